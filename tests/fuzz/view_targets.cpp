#include "fuzz/targets.hpp"
#include "view/command.hpp"
#include "view/input_record.hpp"

// What a page sends, and records of it.

namespace plush::fuzz {

void run_messages(std::string_view input) {
    using namespace view;
    static_cast<void>(read_subscription(input));
    const auto commands = read_commands(input);
    if (!commands) return;
    for (const Command& command : commands.value()) {
        const auto again = read_command(to_json(command), "again");
        expect(again.ok() && to_json(again.value()) == to_json(command),
               "a command is written and read again the same");
    }
}

std::vector<std::string> message_seeds() {
    return {R"({"do":"play"})", R"({"commands":[{"do":"step","count":3},{"do":"pause"}]})",
            R"({"layers":["contacts"],"max_rate":30})"};
}

void run_input_record(std::string_view input) {
    const auto replay = view::InputReplay::read(input, "record");
    if (!replay) return;
    expect(replay.value().steps().value_or(0) >= 0, "a record ends at a step from 0");
    static_cast<void>(replay.value().drops_bodies());
}

std::vector<std::string> input_record_seeds() {
    return {
        "{\"plush_input\":1,\"resolved\":\"{}\",\"scene\":\"x\"}\n{\"do\":\"set_gravity\",\"step\":3,"
        "\"gravity\":[0,1,0]}\n"
        "{\"end\":5,\"state_hash\":\"0123456789abcdef\"}\n"};
}

}  // namespace plush::fuzz
