#pragma once

#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plush/core/export.hpp"

// One description of every setting. Beside each settings struct stands one function,
//
//     void describe(FieldVisitor& v, MaterialSettings& s) {
//         v.field({.key = "friction", .unit = "", .text = "Coulomb's coefficient", .min = 0}, s.friction); …
//         }
//
// and the scene reader, the JSON Schema, `--set a.b=v`, the reference pages and the Python arguments are all
// made from it by visitors. Defaults are those of a default-constructed struct.

namespace plush {

struct Vec3;
using Keys = std::initializer_list<std::string_view>;

/// The description of one setting: its key, unit, range and text.
struct FieldInfo {
    std::string_view key;        ///< the name in scene files, C++, Python and docs alike
    std::string_view unit = "";  ///< SI: "m", "kg/m³"; empty for pure numbers and words
    std::string_view text = "";  ///< one line for the reference page
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool min_excluded = false;  ///< the value must be above min, not equal
    bool required = false;
};

/// A word that a choice may take, with its meaning.
struct Choice {
    std::string_view word;
    int value;
    std::string_view text = "";
};

/// Goes through the settings of a struct: describe(visitor, settings) names each of them.
class PLUSH_API FieldVisitor {
public:
    virtual ~FieldVisitor() = default;

    // Rules of the current object, for visitors that read keys. They come before the fields that they speak of.
    /// Returns which of the keys is there: an index into them, or −1 (wrong, or nothing is being read).
    virtual int exactly_one_of(Keys) { return -1; }
    virtual int at_most_one_of(Keys) { return -1; }  ///< the same; −1 where none is there, too
    /// This key and any of those exclude each other.
    virtual void not_with(std::string_view, Keys) {}
    virtual void only_with(std::string_view, std::string_view) {}

    virtual void field(const FieldInfo& info, bool& value) = 0;
    virtual void field(const FieldInfo& info, int& value) = 0;
    virtual void field(const FieldInfo& info, double& value) = 0;
    virtual void field(const FieldInfo& info, std::string& value) = 0;
    virtual void field(const FieldInfo& info, std::optional<double>& value) = 0;
    /// A vector of fixed length, such as a position or a colour.
    virtual void numbers(const FieldInfo& info, std::span<double> values) = 0;
    /// Whole numbers, as many as there are.
    virtual void counts(const FieldInfo& info, std::span<int> values) = 0;
    virtual void points(const FieldInfo& info, std::vector<Vec3>& values) = 0;
    virtual void words(const FieldInfo& info, std::vector<std::string>& values) = 0;
    virtual void choice(const FieldInfo& info, int& value, std::span<const Choice> choices) = 0;

    /// An enum, as one of its words.
    template <class Enum>
    void choice(const FieldInfo& info, Enum& value, std::span<const Choice> choices) {
        int number = static_cast<int>(value);
        choice(info, number, choices);
        value = static_cast<Enum>(number);
    }

    /// A Vec3.
    template <class Vector>
    void vector(const FieldInfo& info, Vector& value) {
        numbers(info, std::span<double>(&value.x, 3));
    }

    /// A nested struct with its own describe().
    template <class T>
    void group(const FieldInfo& info, T& value) {
        if (!begin_group(info)) return;
        describe(*this, value);
        end_group();
    }

    /// A list of structs.
    template <class T>
    void list(const FieldInfo& info, std::vector<T>& values) {
        values.resize(begin_list(info, values.size()));
        for (std::size_t i = 0; i < values.size(); ++i) {
            begin_item(i);
            describe(*this, values[i]);
            end_item();
        }
        if (values.empty() && describes_types()) {
            T example{};
            begin_item(0);
            describe(*this, example);
            end_item();
        }
        end_list();
    }

protected:
    /// False to leave the group out (it is absent from the input).
    virtual bool begin_group(const FieldInfo& info) = 0;
    virtual void end_group() = 0;
    /// Returns the number of items that the list shall have.
    virtual std::size_t begin_list(const FieldInfo& info, std::size_t size) = 0;
    virtual void begin_item(std::size_t index) = 0;
    virtual void end_item() = 0;
    virtual void end_list() = 0;
    /// True for visitors that want to see the fields of an item even where a list is empty (the schema).
    virtual bool describes_types() const { return false; }
};

}  // namespace plush
