#pragma once

#include <span>
#include <vector>

#include "detect/penetration/penetration.hpp"
#include "plush/core/state.hpp"

// What the paper leaves open: an object wholly inside another has no border point, and so no depth. It is
// pushed the way it came in. While two objects overlap, the way out of the one for the points of the other is
// remembered,
//
//     r ∥ Σ d r over its points that have a depth,   d the largest of them,
//
// and where no point has one any more, all of them get that, but no more depth than a tenth of the object's
// size. An object that was never seen to enter goes back against its motion, if it moves by more than a
// thousandth of its size in a step; else, out at the closest point of the surface to its middle: one way for
// all points in either case, so that it is not torn apart.

namespace plush {

class InsideMemory {
public:
    /// Who is in whom; owner and object are the caller's lasting names.
    struct Entry {
        std::uint32_t owner = 0, object = 0;
        Vec3 direction{};
        double depth = 0;  ///< m
    };

    /// Gives a depth to the points of objects that are wholly inside others, and remembers this step's.
    /// `names` and `way` (m, the mean motion of the last step) are beside the objects.
    void complete(std::span<const TetObject> objects, std::span<const std::uint32_t> names,
                  std::span<const Vec3> way, std::span<Penetration> penetrations);

    /// A body has gone: another one may get its name.
    void forget(std::uint32_t name) {
        std::erase_if(entries_, [&](const Entry& e) { return e.owner == name || e.object == name; });
    }
    std::span<const Entry> entries() const { return entries_; }
    friend void visit_state(StateVisitor& v, InsideMemory& memory);

private:
    const Entry* find(std::uint32_t owner, std::uint32_t object) const;

    std::vector<Entry> entries_;  ///< sorted by owner and object
};

inline void visit_state(StateVisitor& v, InsideMemory::Entry& e) {
    v(e.owner, e.object, e.direction, e.depth);
}
inline void visit_state(StateVisitor& v, InsideMemory& memory) {
    v(memory.entries_);
}

}  // namespace plush
