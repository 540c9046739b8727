#pragma once

#include "core/internal_api.hpp"
#include "plush/core/describe.hpp"
#include "plush/core/error.hpp"

// Settings that come from C++ pass no scene reader: the same descriptions refuse the same nonsense here.

namespace plush {

/// Looks at every described number of a struct; keeps the first that is out of its range or no number.
class PLUSH_INTERNAL_API RangeCheck final : public FieldVisitor {
public:
    Result<void> finish() const;

    void field(const FieldInfo&, bool&) override {}
    void field(const FieldInfo& info, int& value) override { look(info, value); }
    void field(const FieldInfo& info, double& value) override { look(info, value); }
    void field(const FieldInfo&, std::string&) override {}
    void field(const FieldInfo& info, std::optional<double>& value) override {
        if (value) look(info, *value);
    }
    void numbers(const FieldInfo& info, std::span<double> values) override {
        for (const double v : values) look(info, v);
    }
    void counts(const FieldInfo& info, std::span<int> values) override {
        for (const int v : values) look(info, v);
    }
    void points(const FieldInfo&, std::vector<Vec3>&) override {}  // their users know what is usable
    void words(const FieldInfo&, std::vector<std::string>&) override {}
    void choice(const FieldInfo& info, int& value, std::span<const Choice> choices) override;

private:
    bool begin_group(const FieldInfo& info) override;
    void end_group() override { path_.pop_back(); }
    std::size_t begin_list(const FieldInfo& info, std::size_t size) override;
    void begin_item(std::size_t) override {}
    void end_item() override {}
    void end_list() override { path_.pop_back(); }
    void look(const FieldInfo& info, double value);
    void keep(const FieldInfo& info, std::string problem, std::string cure);

    std::vector<std::string_view> path_;
    std::optional<Error> first_;
};

template <class Settings>
Result<void> check_ranges(Settings settings) {
    RangeCheck check;
    describe(check, settings);
    return check.finish();
}

}  // namespace plush
