#include "core/suggestion.hpp"

#include <fmt/format.h>

#include "core/did_you_mean.hpp"

namespace plush {

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
    std::string near = did_you_mean(word, known);
    return near.empty() ? fmt::format("choose one of {}", fmt::join(known, ", ")) : near;
}

}  // namespace plush
