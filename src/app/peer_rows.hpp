#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/bench/bench_bumps.hpp"
#include "lab/bench/bench_piles.hpp"
#include "lab/bench/bench_pyramid.hpp"
#include "lab/bench/bench_table1.hpp"

// What `plush bench` says of things at rest in several engines. Empty text where nothing was timed.

namespace plush::app {

nlohmann::ordered_json to_json(const lab::BumpsBench& bench);
nlohmann::ordered_json to_json(const lab::PyramidBench& bench);
nlohmann::ordered_json to_json(const lab::PilesBench& bench);
nlohmann::ordered_json to_json(const lab::Table1Bench& bench);
std::string to_text(const lab::BumpsBench& bench);
std::string to_text(const lab::PyramidBench& bench);
std::string to_text(const lab::PilesBench& bench);
std::string to_text(const lab::Table1Bench& bench);

}  // namespace plush::app
