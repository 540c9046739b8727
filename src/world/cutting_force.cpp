#include <algorithm>

#include "world/cutting.hpp"
#include "world/step_context.hpp"

// The resistance of material to a blade. New surface dA takes the fracture energy G dA, and the blade's advance ds against the
// material pays for it: F ds = G dA. Cells are divided one by one, so that new surface comes in portions; what a portion takes
// is owed, and paid over the length ℓ of a cell,
//
//     F = E/ℓ,   dE = G dA − F ds,
//
// so that a blade of width w that cuts steadily feels F = G w, without jumps, and the work of its way is the fracture energy
// of the new surface, but for what is owed when it leaves (at most G w ℓ). The body feels the opposite force where it is cut:
// its vertices there share it by their masses. Of the blade's work F v_blade h a part F v_body h moves the body, and the
// rest parts it.

namespace plush {
namespace {

/// The mean edge of its tets, as if they were regular, m.
double cell_length(const BodyRecord& record) {
    const auto x = record.source->solid.tets().positions();
    const auto tets = record.source->solid.tets().tets();
    double volume = 0;
    for (const Tet& t : tets) {
        const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(t[k])]; };
        volume += dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0)) / 6;
    }
    return std::cbrt(6 * std::sqrt(2.0) * volume / static_cast<double>(tets.size()));
}

}  // namespace

void Cutting::owe(std::uint32_t body, std::uint32_t blade, double energy) {
    auto& owed = of_body_[body].cut->owed;
    const auto at =
        std::find_if(owed.begin(), owed.end(), [&](const CutBody::Owed& o) { return o.blade == blade; });
    if (at != owed.end())
        at->energy += energy;
    else if (energy > 0)
        owed.push_back({blade, energy});
}

void Cutting::resist(double h) {
    resistances_.clear();
    wrench_on_ = {};
    wrench_on_.fit(bodies_.size());
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].body || !bodies_[i].source || !of_body_[i].cut) continue;
        for (CutBody::Owed& owed : of_body_[i].cut->owed) {
            if (!(owed.energy > 0)) continue;
            DeformableBody& body = bodies_[i].deformable();
            const Body& blade = *bodies_[owed.blade].body;
            // Where the edge is: the vertices about it feel the blade.
            const Blade& form = *bodies_[owed.blade].blade;
            Vec3 edge = form.edge.empty() ? 0.5 * (form.from + form.to) : Vec3{};
            for (const Vec3& p : form.edge) edge += p / static_cast<double>(form.edge.size());
            edge = blade.pose() * edge;
            const Vec3 advance = blade.velocity_at(edge);
            if (!(norm(advance) > 0)) continue;
            const Vec3 direction = normalised(advance);
            const double length = cell_length(bodies_[i]);
            Resistance r{i, owed.blade, {}, {}, 0};
            const auto x = body.positions();
            const auto v = body.velocities();
            double mass = 0;
            Vec3 momentum{}, centre{};
            for (std::uint32_t k = 0; k < x.size(); ++k) {
                if (std::abs(dot(x[k] - edge, direction)) > length) continue;
                r.vertices.push_back(k);
                mass += body.masses()[k], momentum += body.masses()[k] * v[k];
                centre += body.masses()[k] * x[k];
            }
            if (r.vertices.empty()) continue;
            const double way = h * dot(advance - momentum / mass, direction);
            if (!(way > 0)) continue;  // it is drawn back, or the body goes with it
            r.energy = std::min(owed.energy, owed.energy * way / length);
            r.force = r.energy / way * direction;
            owed.energy -= r.energy;
            for (const std::uint32_t k : r.vertices) body.add_force(k, body.masses()[k] / mass * r.force);
            bodies_[i].wake();
            wrench_on_[owed.blade].force -= r.force;
            wrench_on_[owed.blade].torque -= cross(centre / mass - blade.pose().position, r.force);
            resistances_.push_back(std::move(r));
        }
    }
}

void Cutting::account(const StepContext& step) const {
    if (!step.settings.ledger) return;
    EnergyLedger& ledger = step.report.ledger;
    for (const Resistance& r : resistances_) {
        const DeformableBody& body = bodies_[r.body].deformable();
        double mass = 0;
        Vec3 momentum{};
        for (const std::uint32_t k : r.vertices) {
            mass += body.masses()[k];
            momentum += 0.5 * body.masses()[k] * (body.start_velocities()[k] + body.velocities()[k]);
        }
        const double on_body = step.h * dot(r.force, momentum / mass);
        ledger.forces -= on_body;
        ledger.scripts += on_body + r.energy;
        ledger.fracture -= r.energy;
    }
}

}  // namespace plush
