#include "bodies/integrator.hpp"
#include "core/assert.hpp"

// Linearised implicit Euler: f(x', v') ≈ f + K (h v + h Δv) + B Δv makes
//
//     (M − h B − h² K) Δv = h f + h² K v.
//
// One pass over the elements fills one matrix of blocks, with the factors −h² and −h, or (springs) the edges
// that are added to it; K v comes from the same pass. Where nothing is pinned the net force that a solve to a
// tolerance leaves over is taken away (balance_net), so that momentum changes by h times the external forces
// and by nothing else.

namespace plush {

SolveReport Integrator::implicit_euler(MotionSystem& system, MotionState& s, double h,
                                       const IntegrationSettings& settings) {
    const std::size_t n = s.x.size();
    const auto masses = system.masses();
    const auto pinned = system.pinned();
    const Parallel& parallel = system.parallel();
    BlockMatrix& matrix = system.matrix();
    PLUSH_ASSERT(matrix.rows() == n);

    matrix.set_zero(parallel);
    external_.assign(n, {});
    product_.assign(n, {});
    dense_.clear(), edges_.clear();
    Linearisation out{-h * h, -h, matrix, external_, dense_, edges_, product_};
    a_.resize(n);
    system.linearise(s.x, s.v, s.t, a_, out);
    parallel.each(n, BlockMatrix::rows_per_task, [&](std::size_t i) {
        external_[i] += Mat3::diagonal({masses[i], masses[i], masses[i]});
        matrix.add_symmetric(matrix.diagonal_slot(i), external_[i]);
        a_[i] = h * a_[i] + (h * h) * product_[i];
    });

    s.last_change.resize(n);
    const SolveReport report = cg_.solve(matrix, {dense_, edges_}, a_, pinned, s.last_change,
                                         {settings.tolerance, settings.iterations}, parallel);
    if (pinned.empty()) balance_net(external_, a_, s.last_change);
    for (std::size_t i = 0; i < n; ++i) {
        s.v[i] += s.last_change[i];
        s.x[i] += h * s.v[i];
    }
    return report;
}

SolveReport Integrator::respond(MotionSystem& system, std::span<const Vec3> impulses, std::span<Vec3> change,
                                const IntegrationSettings& settings) {
    const auto pinned = system.pinned();
    const SolveReport report = cg_.solve(system.matrix(), {dense_, edges_}, impulses, pinned, change,
                                         {settings.tolerance, settings.iterations}, system.parallel());
    if (pinned.empty()) balance_net(external_, impulses, change);
    return report;
}

}  // namespace plush
