#include <algorithm>

#include "core/transcendental.hpp"
#include "world/cutting.hpp"
#include "world/posed_sheet.hpp"
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
    return pinned::cbrt(6 * std::sqrt(2.0) * volume / static_cast<double>(tets.size()));
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

// -- friction of the faces
//
// The faces of a cut rub on the blade that is between them with τ a square metre of face, against the motion of the material
// along the blade. Faces that have opened away from it do not. A vertex is never pushed beyond the velocity of the blade: so
// friction of a blade that stands takes energy and gives none.

namespace {

/// The pieces of a sheet: parallelograms behind each piece of its edge.
bool is_at_sheet(const BladeSheet& sheet, const Vec3& p, const Vec3& normal, double reach) {
    constexpr double along = 0.7;  // cosine: faces, and not the skin that the blade came through
    for (std::size_t k = 0; k + 1 < sheet.edge.size(); ++k) {
        const Vec3 a = sheet.edge[k + 1] - sheet.edge[k], n = normalised(cross(a, sheet.back));
        const Vec3 d = p - sheet.edge[k];
        if (!(std::abs(dot(normal, n)) > along) || !(std::abs(dot(d, n)) < reach)) continue;
        const Vec3 of_a = cross(sheet.back, n), of_back = cross(n, a);
        const double u = dot(d, of_a) / dot(a, of_a), v = dot(d, of_back) / dot(sheet.back, of_back);
        if (u >= 0 && u <= 1 && v >= 0 && v <= 1) return true;
    }
    return false;
}

/// How far a face may be from the blade and still rub on it, of a cell's edge.
constexpr double face_reach = 0.1;

}  // namespace

void Cutting::rub(double h) {
    rubbings_.clear();
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].body || !bodies_[i].source || !of_body_[i].cut) continue;
        if (!(bodies_[i].source->elastic.blade_friction > 0)) continue;
        for (const CutStroke& stroke : of_body_[i].cut->strokes)
            if (stroke.blade != CutFace::none) rub(i, stroke.blade, h);
    }
}

void Cutting::rub(std::uint32_t index, std::uint32_t blade_index, double h) {
    const BodyRecord& record = bodies_[index];
    DeformableBody& body = record.deformable();
    const Body& blade = *bodies_[blade_index].body;
    const BladeSheet sheet = sheet_of(*bodies_[blade_index].blade, blade.pose());
    const double reach = face_reach * cell_length(record);
    const bool carried = !record.parts.contact_surface.empty();
    std::vector<Vec3> points(body.positions().begin(), body.positions().end());
    if (carried) {
        points.resize(record.parts.contact_weights->size());
        record.parts.contact_weights->apply(body.positions(), points);
    }
    // The area of face that each vertex carries, and the way of its normals.
    std::vector<double> area(body.positions().size());
    std::vector<Vec3> normals(area.size());
    for (const Triangle& t : record.parts.contact_triangles(body)) {
        const auto corner = [&](std::size_t c) { return points[static_cast<std::size_t>(t[c])]; };
        const Vec3 n = 0.5 * cross(corner(1) - corner(0), corner(2) - corner(0));
        const double size = norm(n);
        if (!(size > 0) || !is_at_sheet(sheet, (corner(0) + corner(1) + corner(2)) / 3.0, n / size, reach))
            continue;
        for (const int c : t) {
            const auto point = static_cast<std::size_t>(c);
            const auto share = [&](std::uint32_t vertex, double weight) {
                area[vertex] += weight * size / 3, normals[vertex] += weight / 3 * n;
            };
            if (!carried) share(static_cast<std::uint32_t>(c), 1);
            if (carried)
                for (const Embedding::Entry& e : record.parts.contact_weights->row(point))
                    share(e.vertex, e.weight);
        }
    }
    Rubbing rubbing{index, blade_index, {}};
    for (std::uint32_t k = 0; k < area.size(); ++k) {
        if (!(area[k] > 0)) continue;
        const Vec3 n = normalised(normals[k], {});
        Vec3 slide = body.velocities()[k] - blade.velocity_at(body.positions()[k]);
        slide -= dot(slide, n) * n;
        const double speed = norm(slide);
        if (!(speed > 0)) continue;
        const double force =
            std::min(record.source->elastic.blade_friction * area[k], body.masses()[k] * speed / h);
        rubbing.forces.emplace_back(k, -force / speed * slide);
    }
    if (rubbing.forces.empty()) return;
    Wrench& wrench = wrench_on_[blade_index];
    for (const auto& [vertex, force] : rubbing.forces) {
        body.add_force(vertex, force);
        wrench.force -= force;
        wrench.torque -= cross(body.positions()[vertex] - blade.pose().position, force);
    }
    bodies_[index].wake();
    rubbings_.push_back(std::move(rubbing));
}

// -- the ledger

void Cutting::account(const StepContext& step) const {
    if (!step.settings.ledger) return;
    EnergyLedger& ledger = step.report.ledger;
    for (const Rubbing& r : rubbings_) {
        const DeformableBody& body = bodies_[r.body].deformable();
        double on_body = 0, by_blade = 0;
        for (const auto& [k, force] : r.forces) {
            on_body += 0.5 * step.h * dot(force, body.start_velocities()[k] + body.velocities()[k]);
            by_blade += step.h * dot(force, bodies_[r.blade].body->velocity_at(body.start_positions()[k]));
        }
        ledger.forces -= on_body;
        ledger.scripts += by_blade;
        ledger.friction += on_body - by_blade;
    }
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
