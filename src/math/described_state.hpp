#pragma once

#include "plush/core/describe.hpp"
#include "plush/core/state.hpp"
#include "plush/math/vec.hpp"

// Described settings as visited state: every field by its one description. What a reader gives must be checked
// (range_check.hpp): a damaged snapshot may hold anything.

namespace plush {

class DescribedState final : public FieldVisitor {
public:
    explicit DescribedState(StateVisitor& v) : v_(v) {}

    void field(const FieldInfo&, bool& value) override {
        std::uint8_t byte = value ? 1 : 0;
        v_(byte);
        value = byte != 0;
    }
    void field(const FieldInfo&, int& value) override { v_(value); }
    void field(const FieldInfo&, double& value) override { v_(value); }
    void field(const FieldInfo&, std::string& value) override { v_(value); }
    void field(const FieldInfo&, std::optional<double>& value) override { v_(value); }
    void numbers(const FieldInfo&, std::span<double> values) override {
        v_.bytes(values.data(), values.size_bytes());
    }
    void counts(const FieldInfo&, std::span<int> values) override {
        v_.bytes(values.data(), values.size_bytes());
    }
    void points(const FieldInfo&, std::vector<Vec3>& values) override {
        const std::size_t size = v_.length(values.size(), sizeof(Vec3));
        if (size != values.size()) values.resize(size);
        v_.bytes(values.data(), size * sizeof(Vec3));
    }
    void words(const FieldInfo&, std::vector<std::string>& values) override { v_(values); }
    void choice(const FieldInfo&, int& value, std::span<const Choice> choices) override {
        v_(value);
        bool known = false;
        for (const Choice& c : choices) known = known || c.value == value;
        if (!known && !choices.empty()) value = choices.front().value, sound_ = false;
    }
    /// Whether every choice was one.
    bool sound() const { return sound_; }

protected:
    bool begin_group(const FieldInfo&) override { return true; }
    void end_group() override {}
    std::size_t begin_list(const FieldInfo&, std::size_t size) override { return v_.length(size, 1); }
    void begin_item(std::size_t) override {}
    void end_item() override {}
    void end_list() override {}

private:
    StateVisitor& v_;
    bool sound_ = true;
};

}  // namespace plush
