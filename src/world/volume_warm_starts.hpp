#pragma once

#include "contact/volume/volume_contact.hpp"
#include "plush/core/state.hpp"

namespace plush {

/// What a contact was in the last step.
enum class VolumePart : std::uint8_t { cell, outline, parting };

/// The impulses of the last step's volume contacts, by which those of this step are recognised.
class VolumeWarmStarts {
public:
    /// Gives every contact its lasting name; returns the impulse that it had in the last step, one a contact.
    std::vector<Vec3> match(std::span<VolumeContact> contacts);
    void clear() { known_.clear(); }
    /// A world vector, N s.
    void record(const VolumeContact& contact, const Vec3& impulse);
    /// After the last record() of a step.
    void sort();

    /// Whether a pair that one of was inside the other was still to be parted when the last step was solved.
    bool parting(std::uint32_t i, std::uint32_t j) const;

    void forget_body(std::uint32_t body);
    void visit_state(StateVisitor& v);
    bool is_consistent() const;  ///< of a state that was restored

private:
    struct Known {
        std::uint32_t i = 0, j = 0;
        std::uint64_t id = 0;
        Vec3 centre{};
        double area = 0;
        Vec3 impulse{};
        VolumePart part = VolumePart::cell;
    };
    friend void visit_state(StateVisitor& v, VolumeWarmStarts::Known& k) {
        v(k.i, k.j, k.id, k.centre, k.area, k.impulse, k.part);
    }
    static const Known* nearest(std::span<const Known> known, std::span<const char> taken,
                                const VolumeContact& contact);

    std::vector<Known> known_;  ///< sorted by (i, j)
    std::uint64_t names_ = 0;   ///< given so far
};

}  // namespace plush
