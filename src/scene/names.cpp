#include "scene/names.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/did_you_mean.hpp"

namespace plush {
namespace {

std::string base_name(const BodySpec& body) {
    return body.name.empty() && body.ground ? "ground" : body.name;
}

}  // namespace

std::string copy_name(const BodySpec& body, long long copy) {
    const std::string name = base_name(body);
    return name.empty() || !body.repeat ? name : fmt::format("{} {}", name, copy + 1);
}

Names::Names(const std::vector<BodySpec>& bodies, Messages& messages) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const BodySpec& body = bodies[i];
        const std::string name = base_name(body);
        if (name.empty()) continue;
        const auto [entry, fresh] = entries_.emplace(name, Entry{i, body.copies(), body.repeat.has_value()});
        if (!fresh)
            messages.error(at_key(body.place, "name"),
                           fmt::format("another body is already called \"{}\": the one on line {}", name,
                                       bodies[entry->second.body].place.line),
                           "give each its own name");
    }
    // "toy 1" by name beside a repeated "toy".
    for (const auto& [name, entry] : entries_)
        if (const auto copy = find_copy(name))
            messages.error(at_key(bodies[entry.body].place, "name"),
                           fmt::format("a copy of the repeated body on line {} is already called \"{}\"",
                                       bodies[copy->body].place.line, name),
                           "give each its own name");
}

std::optional<NamedBody> Names::find(const std::string& name) const {
    if (const auto exact = entries_.find(name); exact != entries_.end())
        return NamedBody{exact->second.body, 0, exact->second.copies};
    return find_copy(name);
}

std::optional<NamedBody> Names::find_copy(const std::string& name) const {
    const auto space = name.rfind(' ');
    if (space == name.npos) return {};
    const auto base = entries_.find(name.substr(0, space));
    if (base == entries_.end() || !base->second.repeated) return {};
    long long number = 0;
    const char* end = name.data() + name.size();
    const auto [stop, problem] = std::from_chars(name.data() + space + 1, end, number);
    if (problem != std::errc{} || stop != end || number < 1 || number > base->second.copies) return {};
    return NamedBody{base->second.body, number - 1, 1};
}

std::string Names::cure(const std::string& name) const {
    std::vector<std::string_view> known;
    for (const auto& entry : entries_) known.push_back(entry.first);
    if (const std::string guess = did_you_mean(name, known); !guess.empty()) return guess;
    if (known.empty()) return "give the body a \"name\"";
    known.resize(std::min<std::size_t>(known.size(), 10));
    return fmt::format("bodies with a name: {}", fmt::join(known, ", "));
}

}  // namespace plush
