#pragma once

#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableGravityForce.h>
#include <BulletSoftBody/btDeformableLinearElasticityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

// Elastic boxes in Bullet's deformable finite elements, for `plush bench fem` and `plush bench piles`:
// n × n × n nodes, each cell cut into five tets, linear corotational elasticity.

/// Poisson's ratio is 0.3, the density 1000 kg/m³.
struct ElasticBox {
    int side;        ///< nodes along an edge
    double cell;     ///< m
    double young;    ///< Pa
    double damping;  ///< in proportion to stiffness, s
};

/// A world of deformable bodies and all that Bullet wants beside it: gravity down, no air.
struct DeformableWorld {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btDeformableBodySolver body_solver;
    btDeformableMultiBodyConstraintSolver solver;
    btDeformableMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration, &body_solver};
    const btVector3 gravity{0, btScalar(-9.81), 0};
    std::vector<std::unique_ptr<btSoftBody>> bodies;
    std::vector<std::unique_ptr<btDeformableLagrangianForce>> forces;

    DeformableWorld() {
        solver.setDeformableSolver(&body_solver);
        world.setGravity(gravity);
        world.getWorldInfo().m_gravity = gravity;
        world.getWorldInfo().air_density = 0;
        world.getWorldInfo().m_sparsesdf.Initialize();
    }

    void add(btSoftBody* body, const ElasticBox& box) {
        bodies.emplace_back(body);
        world.addSoftBody(body);
        auto elastic = std::make_unique<btDeformableLinearElasticityForce>();
        elastic->setYoungsModulus(btScalar(box.young));
        elastic->setPoissonRatio(btScalar(0.3));
        elastic->setDamping(0, btScalar(box.damping));
        world.addForce(body, elastic.get());
        forces.push_back(std::move(elastic));
        forces.push_back(std::make_unique<btDeformableGravityForce>(gravity));
        world.addForce(body, forces.back().get());
    }
};

/// Its middle is at the origin of `place`. It touches nothing. `held`: the nodes of one side stay.
inline btSoftBody* make_box(btSoftBodyWorldInfo& info, const ElasticBox& box, const btTransform& place,
                            bool held) {
    const int n = box.side;
    const auto along = [&](int i) { return btScalar(box.cell * (i - 0.5 * (n - 1))); };
    std::vector<btVector3> x;
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) x.push_back(place * btVector3(along(i), along(j), along(k)));
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
    // Bullet's own setVolumeDensity() makes bodies six times as heavy. No mass: held.
    for (int i = 0; i < n * n * n; ++i) body->setMass(i, held && i % n == 0 ? 0 : mass[size_t(i)]);
    body->m_cfg.collisions = 0;
    body->initializeDmInverse();
    body->m_tetraScratches.resize(body->m_tetras.size());
    body->m_tetraScratchesTn.resize(body->m_tetras.size());
    return body;
}
