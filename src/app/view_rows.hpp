#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/bench/bench_view.hpp"

namespace plush::app {

nlohmann::ordered_json to_json(const lab::ViewBench& bench);
std::string to_text(const lab::ViewBench& bench);  ///< empty where there is nothing

}  // namespace plush::app
