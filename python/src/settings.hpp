#pragma once

#include <fmt/format.h>

#include "binding.hpp"
#include "plush/core/describe.hpp"

// Settings from keyword arguments, by the one description of each struct.

namespace plush::python {

/// Fills a described struct from a dictionary. Throws an Error with the words of the scene reader: an unknown key, a wrong
/// type, a value out of its range.
class SettingsReader final : public FieldVisitor {
public:
    /// `place` is what messages call the whole: "Soft".
    SettingsReader(const py::dict& given, std::string place) { enter(given, std::move(place)); }
    void finish() { leave(); }

    int exactly_one_of(Keys keys) override;
    int at_most_one_of(Keys keys) override;
    void not_with(std::string_view key, Keys others) override;
    void only_with(std::string_view key, std::string_view other) override;
    void field(const FieldInfo& info, bool& value) override;
    void field(const FieldInfo& info, int& value) override;
    void field(const FieldInfo& info, double& value) override;
    void field(const FieldInfo& info, std::string& value) override;
    void field(const FieldInfo& info, std::optional<double>& value) override;
    void numbers(const FieldInfo& info, std::span<double> values) override;
    void counts(const FieldInfo& info, std::span<int> values) override;
    void points(const FieldInfo& info, std::vector<Vec3>& values) override;
    void words(const FieldInfo& info, std::vector<std::string>& values) override;
    void choice(const FieldInfo& info, int& value, std::span<const Choice> choices) override;

protected:
    bool begin_group(const FieldInfo& info) override;
    void end_group() override { leave(); }
    std::size_t begin_list(const FieldInfo& info, std::size_t size) override;
    void begin_item(std::size_t index) override;
    void end_item() override { leave(); }
    void end_list() override { lists_.pop_back(); }

private:
    struct Frame {
        py::dict given;
        std::string path;
        std::vector<std::string_view> known{};
    };
    struct List {
        py::list items;
        std::string path;
    };

    void enter(py::dict given, std::string path) { frames_.push_back({std::move(given), std::move(path)}); }
    void leave();
    py::object take(const FieldInfo& info);
    std::string place(std::string_view key) const { return frames_.back().path + "." + std::string(key); }
    std::vector<std::string_view> present(Keys keys) const;
    py::dict to_dict(py::handle object, const std::string& where) const;
    double number(const FieldInfo& info, py::handle object) const;
    int whole(const FieldInfo& info, py::handle object) const;

    std::vector<Frame> frames_;
    std::vector<List> lists_;
};

/// A struct from what was given of it.
template <class Settings>
Settings read_settings(const py::dict& given, const char* place, Settings settings = {}) {
    SettingsReader reader(given, place);
    describe(reader, settings);
    reader.finish();
    return settings;
}

/// A described struct as a dictionary of all its fields.
py::dict to_dict(std::string_view kind, const std::function<void(FieldVisitor&)>& describe_it);
template <class Settings>
py::dict settings_to_dict(Settings settings) {
    return to_dict("", [&](FieldVisitor& v) { describe(v, settings); });
}

}  // namespace plush::python
