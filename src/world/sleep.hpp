#pragma once

#include "world/contact_events.hpp"
#include "world/contact_models.hpp"
#include "world/deformable_motion.hpp"
#include "world/joint_store.hpp"

namespace plush {

/// Which bodies rest, and what wakes them. An island is awake when any of its bodies is.
class Sleep {
public:
    Sleep(const WorldSettings& settings, BodyStore& bodies, const PairRules& rules, const JointStore& joints,
          const Attachments& attachments, const DeformableMotion& deformables, const VolumeSurfaces& surfaces,
          const ContactEvents& events, ContactModels& models)
        : settings_(settings),
          bodies_(bodies),
          rules_(rules),
          joints_(joints),
          attachments_(attachments),
          deformables_(deformables),
          surfaces_(surfaces),
          events_(events),
          models_(models) {}

    /// Sleep ends where something awake touches.
    void wake_touched();
    /// A body was changed from outside: it and all that touch it are awake.
    void wake_neighbours(std::uint32_t body);
    /// After a step: islands whose bodies have all been slow for long enough fall asleep.
    void update(double h);

private:
    bool may_sleep(std::uint32_t body) const;
    std::vector<double> quiet_times_of_islands() const;
    void watch(BodyRecord& record, double slow, double h) const;
    bool travels(const BodyRecord& record, double slow) const;

    const WorldSettings& settings_;
    BodyStore& bodies_;
    const PairRules& rules_;
    const JointStore& joints_;
    const Attachments& attachments_;
    const DeformableMotion& deformables_;
    const VolumeSurfaces& surfaces_;
    const ContactEvents& events_;
    ContactModels& models_;
};

/// No velocity is left.
void stop_motion(const BodyRecord& record);

}  // namespace plush
