#include "record/machine.hpp"

#include <fmt/format.h>

#include <fstream>

#include "core/parallel.hpp"

namespace plush {

Machine this_machine() {
    Machine machine{.cpu = "unknown", .cores = Parallel(0).threads(), .compiler = {}};
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const auto colon = line.find(": ");
        if (!line.starts_with("model name") || colon == std::string::npos) continue;
        machine.cpu = line.substr(colon + 2);
        break;
    }
#ifdef __clang__
    machine.compiler = __VERSION__;  // "Clang 14.0.6 …" says its own name
#else
    machine.compiler = fmt::format("g++ {}", __VERSION__);
#endif
    return machine;
}

}  // namespace plush
