#pragma once

#include <span>

#include "lab/bench/bench.hpp"
#include "lab/report/report.hpp"
#include "lab/validation/validate.hpp"

namespace plush::lab {

/// How much of its tolerance each check has used up, and the numbers.
Report validation_report(std::span<const Outcome> outcomes, std::string command);

/// The time of a step by phase, and the numbers.
Report bench_report(std::span<const BenchRow> rows, std::string command);

}  // namespace plush::lab
