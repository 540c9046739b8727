#pragma once

#include <cstdint>

#include "plush/core/error.hpp"

namespace plush {

/// Thrown out of a step that one body's motion makes worthless; the world is as it was before it.
class AbsurdMotionError : public Error {
public:
    AbsurdMotionError(std::uint32_t body, const Error& error) : Error(error), body_(body) {}
    std::uint32_t body() const { return body_; }  ///< its index

private:
    std::uint32_t body_;
};

}  // namespace plush
