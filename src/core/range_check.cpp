#include "core/range_check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace plush {

Result<void> RangeCheck::finish() const {
    if (first_) return *first_;
    return {};
}

bool RangeCheck::begin_group(const FieldInfo& info) {
    path_.push_back(info.key);
    return true;
}

std::size_t RangeCheck::begin_list(const FieldInfo& info, std::size_t size) {
    path_.push_back(info.key);
    return size;
}

void RangeCheck::look(const FieldInfo& info, double value) {
    const bool low = info.min_excluded ? value > info.min : value >= info.min;
    // An optional upper bound is infinity, which is no number to compute with either.
    if (low && value <= info.max && std::isfinite(value)) return;
    std::string cure = "give a finite number";
    if (std::isfinite(info.min))
        cure += fmt::format("{} {}", info.min_excluded ? " above" : " from", info.min);
    if (std::isfinite(info.max)) cure += fmt::format(" up to {}", info.max);
    keep(info, fmt::format("{} is out of range", value), std::move(cure));
}

void RangeCheck::choice(const FieldInfo& info, int& value, std::span<const Choice> choices) {
    if (std::none_of(choices.begin(), choices.end(), [&](const Choice& c) { return c.value == value; }))
        keep(info, fmt::format("{} is none of its values", value), "take one of the enum's");
}

void RangeCheck::keep(const FieldInfo& info, std::string problem, std::string cure) {
    if (first_) return;
    std::string place;
    for (const std::string_view key : path_) place += fmt::format("{}.", key);
    place += info.key;
    first_ = Error({.place = std::move(place), .problem = std::move(problem), .cure = std::move(cure)});
}

}  // namespace plush
