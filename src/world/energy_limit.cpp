#include "world/energy_limit.hpp"

#include <algorithm>

namespace plush {

bool may_only_lose(const StepContext& step, const BodyRecord& record, bool attached) {
    const DeformableBody& body = record.deformable();
    return !attached && !body.problem() && body.pins().empty() && !body.matcher() &&
           record.parts.force_fields.empty() && body.settings().drag == 0 &&
           step.settings.contact.tets.method == TetContactMethod::none;
}

void limit_energy(const StepContext& step, BodyStore& bodies, const Attachments& attachments,
                  const ConstraintSystem& system, ContactModels& models) {
    const std::vector<double> rows = system.work_on_bodies();
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        // Rows say what velocities their bodies have: nothing may change them afterwards, but for those of single vertices, which
        // a linear step lets go far across a sheet, where nothing of it resists until they are there.
        const bool vertices = models.cloth.touches(i), by_rows = rows[i] != 0 && !vertices;
        if (!bodies[i].is_deformable() || bodies[i].asleep || !models.vertices.by_forces(i) ||
            !may_only_lose(step, bodies[i], !attachments.of(i).empty()))
            continue;
        const IntegrationMethod method = bodies[i].deformable().settings().integration.method;
        if (method != IntegrationMethod::implicit_euler && !(by_rows && method == IntegrationMethod::bdf2))
            continue;
        DeformableBody& body = bodies[i].deformable();
        const EnergyLedger touches = models.vertices.work_on(step, i, 0);
        const auto obstacles = bodies[i].parts.surface->obstacles();
        const bool free = std::any_of(obstacles.begin(), obstacles.end(),
                                      [&](const Obstacle& o) { return bodies[o.index].dynamic(); });
        body.limit_energy(step.h, touches.sum() + rows[i],
                          {.touches_free = free || vertices,
                           .always = vertices || (bodies[i].tets.tets().empty() && !by_rows),
                           .by_rows = by_rows});
    }
}

}  // namespace plush
