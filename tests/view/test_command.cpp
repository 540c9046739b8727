#include <gtest/gtest.h>

#include "view/command.hpp"
#include "view/command_table.hpp"

// The reader of messages: whatever comes, it gives commands that are all right, or says what is wrong.

namespace plush::view {

TEST(ViewCommands, EveryCommandGoesThroughJsonAndBack) {
    const char* const message = R"({"commands": [
        {"do": "drag", "world": 1, "ray": {"origin": [0, 0.1, 5], "direction": [0, 0, -1]}, "max_force": 12.5},
        {"do": "drag_to", "drag": 3, "target": [0.1, 0.2, 0.30000000000000004]},
        {"do": "drop", "shape": "bear", "soft": true, "at": [0, 1, 0]}]})";
    const auto commands = read_commands(message);
    ASSERT_TRUE(commands) << commands.error().what();
    ASSERT_EQ(commands.value().size(), 3u);
    EXPECT_EQ(commands.value()[0].verb, Verb::drag);
    EXPECT_EQ(commands.value()[0].world, 1u);
    EXPECT_EQ(commands.value()[0].ray("ray").direction, (Vec3{0, 0, -1}));
    EXPECT_EQ(commands.value()[1].vec("target").z, 0.30000000000000004);  // every bit: a replay depends on it
    EXPECT_TRUE(commands.value()[2].flag("soft"));
    for (const Command& command : commands.value()) {
        const auto again = read_command(to_json(command), "again");
        ASSERT_TRUE(again);
        EXPECT_EQ(to_json(again.value()), to_json(command));
    }
}

TEST(ViewCommands, WhatIsWrongIsSaidWithItsPlace) {
    const auto problem = [](const std::string& command) {
        const auto read = read_commands("{\"commands\": [" + command + "]}");
        return read ? std::string() : std::string(read.error().what());
    };
    EXPECT_EQ(problem(R"({"do": "play"})"), "");
    EXPECT_NE(problem(R"({"do": "plya"})").find("did you mean \"play\"?"), std::string::npos);
    EXPECT_NE(problem(R"({"do": "speed"})").find("needs \"value\""), std::string::npos);
    EXPECT_NE(problem(R"({"do": "speed", "value": -1})").find("commands[0].value"), std::string::npos);
    EXPECT_NE(problem(R"({"do": "speed", "value": 1e999})"), "");
    EXPECT_NE(problem(R"({"do": "speed", "value": 1, "vlaue": 2})").find("did you mean"), std::string::npos);
    EXPECT_NE(problem(R"({"do": "drag"})").find("either"), std::string::npos);
    EXPECT_NE(
        problem(R"({"do": "pick", "ray": {"origin": [0,0,0], "direction": [0,0,0]}})").find("no length"),
        std::string::npos);
    EXPECT_NE(problem(R"({"do": "release", "drag": -1})"), "");
    EXPECT_NE(problem(R"({"do": "release", "drag": 1.5})"), "");
    EXPECT_NE(problem(R"({"do": "open", "scene": 7})"), "");
    EXPECT_NE(problem(R"({"do": "open", "scene": ")" + std::string(300, 'x') + "\"}"), "");
}

TEST(ViewCommands, SizesAreLimited) {
    std::string many = "{\"commands\": [";
    for (int i = 0; i < 65; ++i) many += std::string(i ? "," : "") + R"({"do":"play"})";
    EXPECT_FALSE(read_commands(many + "]}"));
    EXPECT_FALSE(read_commands("{\"commands\": []}"));
    EXPECT_FALSE(read_commands(std::string(70000, ' ')));
    EXPECT_FALSE(read_commands(std::string(60000, '[')));  // nested, and no stack overflow
    EXPECT_FALSE(read_commands("[[[[[[[[[1]]]]]]]]]"));
    EXPECT_FALSE(read_commands(""));
    EXPECT_FALSE(read_commands("\xff\xfe{"));
}

TEST(ViewCommands, SubscriptionsNameTheirLayers) {
    const auto read = read_subscription(R"({"layers": ["contacts", "strain"], "max_rate": 30})");
    ASSERT_TRUE(read);
    EXPECT_EQ(read.value().layers, 1u | 4u);
    EXPECT_EQ(read.value().max_rate, 30);
    EXPECT_FALSE(read_subscription(R"({"layers": ["contact"]})"));
    EXPECT_FALSE(read_subscription(R"({"max_rate": 0})"));
    EXPECT_FALSE(read_subscription("[]"));
}

}  // namespace plush::view
