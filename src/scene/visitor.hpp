#pragma once

#include <array>
#include <map>

#include "plush/core/describe.hpp"
#include "plush/math/vec.hpp"
#include "scene/boxed.hpp"
#include "scene/messages.hpp"

namespace plush {

/// A FieldVisitor with the words that only scene files need: choices between objects, named lists, files.
/// A struct of a scene is described by describe(SceneVisitor&, T&), one of the world by
/// describe(FieldVisitor&, T&).
class SceneVisitor : public FieldVisitor {
public:
    /// Remembers where the current object stands (the reader only).
    virtual void place(Place&) {}

    /// Keys that are not described are welcome.
    virtual void any_other_key(std::string_view text) = 0;

    using FieldVisitor::choice;
    using FieldVisitor::counts;
    using FieldVisitor::field;
    virtual void field(const FieldInfo& info, std::optional<bool>& value) = 0;
    virtual void optional_choice(const FieldInfo& info, std::optional<int>& value,
                                 std::span<const Choice> choices) = 0;
    virtual void counts(const FieldInfo& info, std::optional<std::array<int, 3>>& values) = 0;
    /// A list of whole numbers of any length, each once.
    virtual void indices(const FieldInfo& info, std::vector<int>& values) = 0;
    /// A file, relative to the one that names it; absolute once it is read.
    virtual void file(const FieldInfo& info, std::string& value) = 0;

    template <class T>
    void group(const FieldInfo& info, T& value) {
        if (!begin_group(info)) return;
        describe(*this, value);
        end_group();
    }

    /// A group that may be absent.
    template <class T>
    void group(const FieldInfo& info, std::optional<T>& value) {
        optional_group<T>(info, value);
    }
    template <class T>
    void group(const FieldInfo& info, Boxed<T>& value) {
        optional_group<T>(info, value);
    }

    template <class T>
    void list(const FieldInfo& info, std::vector<T>& values) {
        const std::size_t size = begin_list(info, values.size());
        const std::size_t count = describes_types() ? 1 : size;
        if (values.size() > count) values.resize(count);
        values.reserve(count);
        for (std::size_t i = 0; i < count && (i < values.size() || !gives_up()); ++i) {
            if (i == values.size()) values.emplace_back();
            begin_item(i);
            describe(*this, values[i]);
            end_item();
        }
        end_list();
    }

    /// A list of what contains it: who describes types stops here, at a level of nesting of its own choice.
    template <class T>
    void nested_list(const FieldInfo& info, std::vector<T>& values, int level) {
        if (!begin_nested(info, level)) return;
        const std::size_t size = begin_list(info, values.size());
        values.resize(describes_types() ? 1 : size);
        for (std::size_t i = 0; i < values.size(); ++i) {
            begin_item(i);
            values[i].level = level + 1;
            describe(*this, values[i]);
            end_item();
        }
        end_list();
    }

    /// An object whose keys are names that the user chose.
    template <class T>
    void map(const FieldInfo& info, std::map<std::string, T>& values) {
        for (const std::string& name : begin_map(info)) {
            begin_entry(name);
            describe(*this, values[name]);
            end_entry();
        }
        end_map();
    }

protected:
    /// False: it has reported all that it wants to report of the list.
    virtual bool begin_nested(const FieldInfo&, int /*level*/) { return true; }
    /// So much is wrong that what is left of a list need not be read.
    virtual bool gives_up() const { return false; }
    virtual std::vector<std::string> begin_map(const FieldInfo& info) = 0;
    virtual void begin_entry(const std::string& name) = 0;
    virtual void end_entry() = 0;
    virtual void end_map() = 0;

private:
    template <class T, class Absent>
    void optional_group(const FieldInfo& info, Absent& value) {
        T content{};
        if (!begin_group(info)) return;
        describe(*this, content);
        end_group();
        value = std::move(content);
    }
};

}  // namespace plush
