#include "scene/messages.hpp"

#include <algorithm>

#include "scene/document.hpp"

namespace plush {

std::string Place::to_string() const {
    if (line == 0) return path;
    const std::string where = "line " + std::to_string(line);
    return path.empty() ? where : where + ", " + path;
}

Place at_key(const Place& place, std::string_view key) {
    const JsonNode* child = place.node ? place.node->find(key) : nullptr;
    if (!child) return place;
    return {child->source, child->line, place.path + "." + std::string(key), child};
}

void Messages::error(const Place& place, std::string problem, std::string cure) {
    keep(errors_, place, std::move(problem), std::move(cure));
}

void Messages::warning(const Place& place, std::string problem, std::string cure) {
    keep(warnings_, place, std::move(problem), std::move(cure));
}

void Messages::keep(std::vector<Entry>& list, const Place& place, std::string problem, std::string cure) {
    if (list.size() >= most) return;
    const std::string file = place.source < sources.size() ? sources[place.source].name : std::string{};
    list.push_back({place.source, place.line,
                    Error({.file = file,
                           .place = place.to_string(),
                           .problem = std::move(problem),
                           .cure = std::move(cure)})});
}

std::vector<Error> Messages::in_order(std::vector<Entry> entries) {
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.source != b.source ? a.source < b.source : a.line < b.line;
    });
    std::vector<Error> errors;
    for (Entry& entry : entries) errors.push_back(std::move(entry.error));
    return errors;
}

}  // namespace plush
