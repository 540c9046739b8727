#pragma once

#include <memory>
#include <utility>

namespace plush {

/// A std::optional that takes the room of a pointer where there is nothing in it: a body of a scene is one of a dozen kinds,
/// and some of them are kilobytes.
template <class T>
class Boxed {
public:
    Boxed() = default;
    Boxed(const Boxed& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
    Boxed(Boxed&&) noexcept = default;
    Boxed& operator=(Boxed other) noexcept {
        value_ = std::move(other.value_);
        return *this;
    }
    Boxed& operator=(T&& value) {
        value_ = std::make_unique<T>(std::move(value));
        return *this;
    }
    ~Boxed() = default;

    bool has_value() const { return value_ != nullptr; }
    explicit operator bool() const { return has_value(); }
    T& operator*() { return *value_; }
    const T& operator*() const { return *value_; }
    T* operator->() { return value_.get(); }
    const T* operator->() const { return value_.get(); }

private:
    std::unique_ptr<T> value_{};
};

}  // namespace plush
