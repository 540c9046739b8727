#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "plush/core/export.hpp"

namespace plush {

/// What went wrong, where, and how to fix it. The public API throws it; inside, it travels in a Result.
/// Empty fields are left out of the message.
class PLUSH_API Error : public std::exception {
public:
    /// What an error is made of.
    struct Parts {
        std::string file{};     ///< the file at fault, as the user named it
        std::string place{};    ///< where in it: "line 12", "$.bodies[3].density", "triangle 17"
        std::string problem{};  ///< what is wrong, in one sentence without a full stop
        std::string cure{};     ///< what to do about it
    };

    explicit Error(Parts parts);

    const std::string& file() const { return parts_.file; }
    const std::string& place() const { return parts_.place; }
    const std::string& problem() const { return parts_.problem; }
    const std::string& cure() const { return parts_.cure; }

    /// "FILE: PLACE: PROBLEM (FIX)".
    const char* what() const noexcept override { return message_.c_str(); }

    /// The same error, seen from a caller that knows the file.
    Error in_file(std::string file) const;

private:
    Parts parts_;
    std::string message_;
};

/// A value, or the Error that explains why there is none.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::move(value)) {}
    Result(Error error) : content_(std::move(error)) {}

    bool ok() const { return content_.index() == 0; }
    explicit operator bool() const { return ok(); }

    /// The value; throws the Error where there is none.
    T& value() & { return check(), std::get<0>(content_); }
    const T& value() const& { return check(), std::get<0>(content_); }
    T&& value() && { return check(), std::get<0>(std::move(content_)); }

    const Error& error() const { return std::get<1>(content_); }

private:
    void check() const {
        if (!ok()) throw error();
    }
    std::variant<T, Error> content_;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    bool ok() const { return !error_; }
    explicit operator bool() const { return ok(); }
    void value() const {
        if (error_) throw *error_;
    }
    const Error& error() const { return *error_; }

private:
    std::optional<Error> error_;
};

}  // namespace plush
