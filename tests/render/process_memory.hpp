#pragma once

#include <fstream>
#include <string>

namespace plush::test {

/// Resident memory of this process, MiB: now ("VmRSS:") or the most since the last reset ("VmHWM:").
inline double memory_mib(const std::string& key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(key)) return std::stod(line.substr(key.size())) / 1024;
    return 0;
}

inline void forget_peak_memory() {
    std::ofstream("/proc/self/clear_refs") << 5;
}

}  // namespace plush::test
