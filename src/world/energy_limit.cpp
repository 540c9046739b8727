#include "world/energy_limit.hpp"

#include <algorithm>

namespace plush {
namespace {

/// Whether rows, forces of surfaces and gravity are all that can give energy to a body, and its velocities are its own.
bool is_limited(const StepContext& step, const BodyRecord& record, bool attached) {
    const DeformableBody& body = record.deformable();
    return body.settings().integration.method == IntegrationMethod::implicit_euler && !attached &&
           !body.problem() && body.pins().empty() && !body.matcher() && record.parts.force_fields.empty() &&
           body.settings().drag == 0 && step.settings.contact.tets.method == TetContactMethod::none;
}

}  // namespace

void limit_energy(const StepContext& step, BodyStore& bodies, const Attachments& attachments,
                  const ConstraintSystem& system, ContactModels& models) {
    const std::vector<double> rows = system.work_on_bodies();
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        // Rows say what velocities their bodies have: nothing may change them afterwards. But for those of single vertices, which
        // a linear step lets go far across a sheet, where nothing of it resists until they are there.
        const bool vertices = models.cloth.touches(i);
        if (!bodies[i].is_deformable() || bodies[i].asleep || (rows[i] != 0 && !vertices) ||
            !models.vertices.by_forces(i) || !is_limited(step, bodies[i], !attachments.of(i).empty()))
            continue;
        DeformableBody& body = bodies[i].deformable();
        const EnergyLedger touches = models.vertices.work_on(step, i, 0);
        const auto obstacles = bodies[i].parts.surface->obstacles();
        const bool free = std::any_of(obstacles.begin(), obstacles.end(),
                                      [&](const Obstacle& o) { return bodies[o.index].dynamic(); });
        body.limit_energy(
            step.h, touches.sum() + rows[i],
            {.touches_free = free || vertices, .always = vertices || bodies[i].tets.tets().empty()});
    }
}

}  // namespace plush
