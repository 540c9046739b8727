#pragma once

#include <string>

namespace plush {

/// Where a measurement was made: numbers without it mean nothing.
struct Machine {
    std::string cpu{};  ///< "AMD EPYC 7763 64-Core Processor"
    int cores = 0;      ///< that this process may use
    std::string compiler{};
};

Machine this_machine();

}  // namespace plush
