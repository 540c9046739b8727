#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plush/core/error.hpp"
#include "plush/math/vec.hpp"

// What a page asks for. Messages come from outside: read_commands() is a pure function that takes any bytes, and gives
// commands whose fields are all known, of the right type and in range, or an Error that says what is wrong. A command
// keeps its fields as JSON, so that a record of them holds the same numbers, bit for bit.

namespace plush::view {

enum class Verb {
    take_control,
    play,
    pause,
    step,
    reset,
    reload,
    open,
    speed,
    loop,
    seek,
    pick,
    drag,
    drag_to,
    release,
    pin,
    unpin,
    cut,
    drop,
    set_gravity,
    set_step,
    set_cells,
    set_method,
    set_friction,
    set_damping,
    set_young,
};

/// Of whom a command asks something.
enum class Reach {
    session,  ///< all worlds at once: time, and which worlds there are
    query,    ///< one world, without changing it: any page may
    world,    ///< one world, which it changes: part of the record
};

struct Ray {
    Vec3 origin{}, direction{};
};

/// A place on the drawn mesh of a body, as the page picked it.
struct PickedPoint {
    std::uint32_t body = 0, triangle = 0;
    Vec3 weights{};
};

struct Command {
    Verb verb = Verb::pause;
    std::uint32_t world = 0;
    nlohmann::json fields = nlohmann::json::object();  ///< without "do" and "world"

    bool has(const char* key) const { return fields.contains(key); }
    double number(const char* key) const { return fields.at(key).get<double>(); }
    double number(const char* key, double absent) const { return has(key) ? number(key) : absent; }
    std::optional<double> optional_number(const char* key) const;
    std::uint32_t whole(const char* key) const { return fields.at(key).get<std::uint32_t>(); }
    bool flag(const char* key) const { return has(key) && fields.at(key).get<bool>(); }
    std::string text(const char* key) const { return fields.at(key).get<std::string>(); }
    std::vector<std::string> names(const char* key) const;
    Vec3 vec(const char* key) const;
    Vec3 vec(const char* key, const Vec3& absent) const { return has(key) ? vec(key) : absent; }
    Ray ray(const char* key) const;
    PickedPoint picked(const char* key) const;
};

Reach reach_of(Verb verb);
/// Only for the page that acts.
bool changes_something(Verb verb);
std::string_view to_word(Verb verb);

/// One request holds at most so much.
inline constexpr std::size_t max_message_bytes = 65536, max_commands = 64, max_depth = 8;

/// The commands of {"commands": [...]}.
Result<std::vector<Command>> read_commands(std::string_view message);
/// One command of an object with "do".
Result<Command> read_command(const nlohmann::json& object, const std::string& place);
nlohmann::json to_json(const Command& command);

/// What a page wants to be sent: {"layers": [...], "max_rate": 60}.
struct Subscription {
    std::uint32_t layers = 0;  ///< bits of Layer (stage.hpp)
    double max_rate = 60;      ///< frames a second
};
Result<Subscription> read_subscription(std::string_view message);
/// Layers in words, separated by commas or as a list.
Result<std::uint32_t> read_layers(std::span<const std::string> words);

/// JSON of a limited size and depth, whose numbers are finite.
Result<nlohmann::json> read_json(std::string_view message);

}  // namespace plush::view
