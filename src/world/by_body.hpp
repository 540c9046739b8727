#pragma once

#include <cstdint>
#include <vector>

#include "core/assert.hpp"

namespace plush {

/// What a part of the world keeps for each body, by the body's index. A part calls fit() with the number of bodies
/// when a step begins and reset() when a body is gone, since a later body may get its index.
template <class T>
class ByBody {
public:
    void fit(std::size_t bodies) {
        if (items_.size() < bodies) items_.resize(bodies);
    }
    void reset(std::uint32_t body) {
        if (body < items_.size()) items_[body] = T{};
    }
    /// For writing from outside of a step: makes room for the body.
    T& at(std::uint32_t body) {
        fit(std::size_t{body} + 1);
        return items_[body];
    }
    T& operator[](std::size_t body) {
        PLUSH_ASSERT(body < items_.size());
        return items_[body];
    }
    /// A body for which nothing was kept yet has the default.
    const T& operator[](std::size_t body) const {
        static const T none{};
        return body < items_.size() ? items_[body] : none;
    }

private:
    std::vector<T> items_;
};

}  // namespace plush
