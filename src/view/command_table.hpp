#pragma once

#include <span>

#include "view/command.hpp"

// What each command is called and which fields it has.

namespace plush::view {

enum class FieldType { number, whole, vec, ray, picked, text, flag, names };

struct CommandField {
    const char* key;
    FieldType type;
    bool required = false;
    double low = -1e9, high = 1e9;  ///< of numbers, and of the entries of vectors
};

struct CommandKind {
    Verb verb;
    std::string_view name;
    Reach reach;
    std::span<const CommandField> fields{};
    bool needs_point = false;  ///< a ray, or a point that was picked
};

std::span<const CommandKind> command_kinds();

}  // namespace plush::view
