// The hanging boxes of `plush bench fem` in Bullet's deformable finite elements, as a program of its own:
// Plush links nothing of Bullet. Boxes of n × n × n nodes, each cell cut into five tets, held at one side,
// implicit, linear corotational elasticity. Prints
//
//     {"version": "3.24", "ms": of the processor a step, mean, "wall_ms": the same by the clock,
//      "size": the largest diagonal of a body's bounding box, by that at rest; −1 where it is not a number}

#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableGravityForce.h>
#include <BulletSoftBody/btDeformableLinearElasticityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "clock.hpp"

namespace {

struct Boxes {
    int bodies, side;  ///< nodes along an edge
    double cell;       ///< m
    double young;      ///< Pa; Poisson's ratio is 0.3, the density 1000 kg/m³
    double step;       ///< s
    int steps;
    double damping;  ///< in proportion to stiffness, s
};

bool read(int count, char** words, Boxes& b) {
    if (count != 8) return false;
    b = {std::atoi(words[1]), std::atoi(words[2]), std::atof(words[3]), std::atof(words[4]),
         std::atof(words[5]), std::atoi(words[6]), std::atof(words[7])};
    return b.bodies > 0 && b.side >= 2 && b.side <= 40 && b.cell > 0 && b.young > 0 && b.step > 0 &&
           b.steps > 1;
}

btSoftBody* make(btSoftBodyWorldInfo& info, const Boxes& boxes, double z) {
    const int n = boxes.side;
    std::vector<btVector3> x;
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                x.emplace_back(btScalar(boxes.cell * i), btScalar(boxes.cell * j),
                               btScalar(z + boxes.cell * k));
    auto* body = new btSoftBody(&info, n * n * n, x.data(), nullptr);
    std::vector<btScalar> mass(x.size(), 0);
    const auto node = [n](int i, int j, int k) { return (k * n + j) * n + i; };
    for (int k = 0; k + 1 < n; ++k)
        for (int j = 0; j + 1 < n; ++j)
            for (int i = 0; i + 1 < n; ++i) {
                int c[8];
                for (int b = 0; b < 8; ++b) c[b] = node(i + (b & 1), j + (b >> 1 & 1), k + (b >> 2));
                // The tet in the middle takes every other corner; which four alternates from cell to cell.
                static constexpr int even[5][4] = {
                    {0, 3, 5, 6}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}};
                static constexpr int odd[5][4] = {
                    {1, 2, 4, 7}, {0, 1, 2, 4}, {3, 1, 7, 2}, {5, 1, 4, 7}, {6, 2, 7, 4}};
                const auto& cut = (i + j + k) % 2 ? odd : even;
                for (const auto& t : cut) {
                    int v[4] = {c[t[0]], c[t[1]], c[t[2]], c[t[3]]};
                    const btVector3 &o = x[size_t(v[0])], a = x[size_t(v[1])] - o, d = x[size_t(v[2])] - o,
                                    e = x[size_t(v[3])] - o;
                    const btScalar volume = a.cross(d).dot(e) / 6;
                    for (const int corner : v) mass[size_t(corner)] += 1000 * std::abs(volume) / 4;
                    if (volume < 0) std::swap(v[2], v[3]);
                    body->appendTetra(v[0], v[1], v[2], v[3]);
                }
            }
    // Bullet's own setVolumeDensity() makes bodies six times as heavy.
    for (int i = 0; i < n * n * n; ++i) body->setMass(i, i % n == 0 ? 0 : mass[size_t(i)]);  // no mass: held
    body->m_cfg.collisions = 0;
    body->initializeDmInverse();
    body->m_tetraScratches.resize(body->m_tetras.size());
    body->m_tetraScratchesTn.resize(body->m_tetras.size());
    return body;
}

double size_of(const btSoftBody& body) {
    btVector3 low = body.m_nodes[0].m_x, high = low;
    for (int i = 0; i < body.m_nodes.size(); ++i) {
        const btVector3& p = body.m_nodes[i].m_x;
        if (!std::isfinite(p.x() + p.y() + p.z())) return NAN;
        low.setMin(p), high.setMax(p);
    }
    return double((high - low).length());
}

}  // namespace

int main(int count, char** words) {
    Boxes boxes{};
    if (!read(count, words, boxes)) {
        std::fprintf(stderr, "usage: %s BODIES NODES_A_SIDE CELL YOUNG STEP STEPS DAMPING\n", words[0]);
        return 2;
    }
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btDeformableBodySolver body_solver;
    btDeformableMultiBodyConstraintSolver solver;
    solver.setDeformableSolver(&body_solver);
    btDeformableMultiBodyDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration, &body_solver);
    const btVector3 gravity(0, btScalar(-9.81), 0);
    world.setGravity(gravity);
    world.getWorldInfo().m_gravity = gravity;
    world.getWorldInfo().air_density = 0;
    world.getWorldInfo().m_sparsesdf.Initialize();

    std::vector<std::unique_ptr<btSoftBody>> bodies;
    std::vector<std::unique_ptr<btDeformableLagrangianForce>> forces;
    for (int b = 0; b < boxes.bodies; ++b) {
        bodies.emplace_back(make(world.getWorldInfo(), boxes, 1.5 * b * boxes.cell * (boxes.side - 1)));
        btSoftBody* const body = bodies.back().get();
        world.addSoftBody(body);
        auto elastic = std::make_unique<btDeformableLinearElasticityForce>();
        elastic->setYoungsModulus(btScalar(boxes.young));
        elastic->setPoissonRatio(btScalar(0.3));
        elastic->setDamping(0, btScalar(boxes.damping));
        world.addForce(body, elastic.get());
        forces.push_back(std::move(elastic));
        forces.push_back(std::make_unique<btDeformableGravityForce>(gravity));
        world.addForce(body, forces.back().get());
    }
    const double rest = size_of(*bodies.front());
    double seconds = 0, wall = 0;
    for (int s = 0; s < boxes.steps; ++s) {
        const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID), wall_start = seconds_of(CLOCK_MONOTONIC);
        world.stepSimulation(btScalar(boxes.step), 1, btScalar(boxes.step));
        if (s == 0) continue;  // the first step makes what is made once
        seconds += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        wall += seconds_of(CLOCK_MONOTONIC) - wall_start;
    }
    double size = 0;
    for (const auto& body : bodies) {
        const double now = size_of(*body) / rest;
        size = std::isfinite(now) && size >= 0 ? std::max(size, now) : -1;
    }
    std::printf("{\"version\": \"%d.%02d\", \"ms\": %.6g, \"wall_ms\": %.6g, \"size\": %.6g}\n",
                btGetVersion() / 100, btGetVersion() % 100, 1e3 * seconds / (boxes.steps - 1),
                1e3 * wall / (boxes.steps - 1), size);
    std::fflush(stdout);
    std::_Exit(0);  // the world would free forces that are not its own
}
