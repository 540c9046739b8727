#pragma once

#include <functional>

#include "plush/world/world.hpp"

// Columns of metrics.csv that a user asked for: positions, forces, strains, by the names of bodies.

namespace plush {

/// What may be recorded, for --help and the reference page: "position", of what, and what it is.
struct RecordWord {
    std::string_view word, unit, text;
    std::string_view of{};  ///< what stands behind the colon: "NAME", "A/B", "K" or nothing
};
std::span<const RecordWord> record_choices();

/// The wanted columns of one world.
class RecordColumns {
public:
    /// Of words such as "position:ball", "position.y:ball", "normal_force:ball/floor" or "joint_force:2". A name with copies
    /// means all of them. The error names the word.
    static Result<RecordColumns> make(const World& world, std::span<const std::string> wanted);

    const std::vector<std::string>& names() const { return names_; }
    /// Appends ",value" for each column; nothing between the commas of a step without values.
    void append(const World& world, std::string& row, bool due = true) const;

private:
    std::vector<std::string> names_;
    /// Each gives some values, in the order of the names.
    std::vector<std::function<void(const World&, std::vector<double>&)>> readers_;
};

/// Of a column of metrics.csv: "m" of "position.x:ball"; empty where it has none or is not known.
std::string_view column_unit(std::string_view name);

/// As a field of a CSV file (RFC 4180).
std::string csv_field(const std::string& text);
/// The fields of a line.
std::vector<std::string> csv_fields(std::string_view line);

}  // namespace plush
