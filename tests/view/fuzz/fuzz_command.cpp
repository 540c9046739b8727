#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "view/command.hpp"

// libFuzzer on the reader of messages (tests/view/fuzz/run.sh). Whatever it accepts must be written and read again the same.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace plush::view;
    const std::string_view message(reinterpret_cast<const char*>(data), size);
    static_cast<void>(read_subscription(message));
    const auto commands = read_commands(message);
    if (!commands) return 0;
    for (const Command& command : commands.value()) {
        const auto again = read_command(to_json(command), "again");
        if (!again || to_json(again.value()) != to_json(command)) std::abort();
    }
    return 0;
}
