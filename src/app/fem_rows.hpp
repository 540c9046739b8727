#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/bench/bench_fem.hpp"

// What `plush bench fem` prints.

namespace plush::app {

nlohmann::ordered_json to_json(const lab::FemBench& bench);
nlohmann::ordered_json to_json(const lab::FemPeer& row);
std::string to_text(const lab::FemBench& bench);

}  // namespace plush::app
