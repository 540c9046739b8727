#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzz/targets.hpp"

// libFuzzer's side (tests/fuzz/fuzz.py): PLUSH_FUZZ_TARGET names the target. With PLUSH_FUZZ_SEEDS, a folder, seeds and kept
// inputs are written there, and that is all.

namespace {

const plush::fuzz::Target* target = nullptr;

void write_seeds(const std::filesystem::path& folder) {
    int number = 0;
    const auto write = [&](const std::string& input) {
        std::ofstream(folder / ("seed_" + std::to_string(number++)), std::ios::binary) << input;
    };
    for (const std::string& input : target->seeds()) write(input);
    for (const std::string& input : plush::fuzz::kept_inputs(target->name)) write(input);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* name = std::getenv("PLUSH_FUZZ_TARGET");
    target = name ? plush::fuzz::find_target(name) : nullptr;
    if (!target) {
        for (const auto& t : plush::fuzz::targets()) std::printf("%s\n", std::string(t.name).c_str());
        std::exit(name ? 2 : 0);
    }
    if (const char* folder = std::getenv("PLUSH_FUZZ_SEEDS")) {
        write_seeds(folder);
        std::exit(0);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    target->run({reinterpret_cast<const char*>(data), size});
    return 0;
}
