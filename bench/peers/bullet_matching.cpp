// The rain of `plush bench shape_matching` in Bullet, as a program of its own: Plush links nothing of Bullet.
// Cubes of n × n × n nodes that match their pose, over level ground, which is a static box as Bullet has no
// soft contact with its plane. Prints
//
//     {"version": "3.24", "ms": of the processor a step, mean, "wall_ms": the same by the clock,
//      "depth": how far the deepest node is below the ground at the end, as a part of a cube's side}
//
// Modes: `sdf` is Bullet's default, nodes against the distance of rigid bodies, and cubes pass through one
// another; `vertex_face` adds the cubes' nodes against each other's faces.

#include <BulletSoftBody/btSoftBody.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "bullet_world.hpp"
#include "clock.hpp"

namespace {

struct Rain {
    int bodies, side;  ///< nodes along an edge
    double length;     ///< of an edge, m
    double step;       ///< s
    int steps;
    bool vertex_face;
};

bool read(int count, char** words, Rain& r) {
    if (count != 7) return false;
    r = {std::atoi(words[1]), std::atoi(words[2]), std::atof(words[3]),
         std::atof(words[4]), std::atoi(words[5]), std::strcmp(words[6], "vertex_face") == 0};
    return r.bodies > 0 && r.side >= 2 && r.side <= 20 && r.length > 0 && r.step > 0 && r.steps > 1;
}

btSoftBody* make(btSoftBodyWorldInfo& info, const Rain& r, const btVector3& at) {
    const int n = r.side;
    std::vector<btVector3> x;
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                x.push_back(at +
                            btScalar(r.length / (n - 1)) * btVector3(btScalar(i), btScalar(j), btScalar(k)));
    auto* body = new btSoftBody(&info, n * n * n, x.data(), nullptr);
    const auto node = [n](int i, int j, int k) { return (k * n + j) * n + i; };
    const auto quad = [&](int a, int b, int c, int d) {
        body->appendFace(a, b, c), body->appendFace(a, c, d);
    };
    for (int i = 0; i + 1 < n; ++i)
        for (int j = 0; j + 1 < n; ++j)
            for (int side : {0, n - 1}) {
                quad(node(side, i, j), node(side, i + 1, j), node(side, i + 1, j + 1), node(side, i, j + 1));
                quad(node(i, side, j), node(i + 1, side, j), node(i + 1, side, j + 1), node(i, side, j + 1));
                quad(node(i, j, side), node(i + 1, j, side), node(i + 1, j + 1, side), node(i, j + 1, side));
            }
    // Bullet makes its tree of nodes by joining those that links join, and turns for ever where there are
    // parts without one: a tree of links along the grid, the fewest that will do.
    for (int k = 0; r.vertex_face && k < n; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                if (i + j + k > 0)
                    body->appendLink(node(i, j, k), i > 0   ? node(i - 1, j, k)
                                                    : j > 0 ? node(i, j - 1, k)
                                                            : node(i, j, k - 1));
    body->setTotalMass(btScalar(500 * r.length * r.length * r.length));
    body->m_cfg.kMT = 1;  // pose matching, the most rigid
    body->m_cfg.kDF = btScalar(0.5);
    body->m_cfg.collisions = btSoftBody::fCollision::SDF_RS;
    if (r.vertex_face) body->m_cfg.collisions |= btSoftBody::fCollision::VF_SS;
    body->getCollisionShape()->setMargin(btScalar(0.005));
    // A body is made with boxes of the default margin, 0.25 m, around its nodes, and they stay until a node
    // leaves its box. Each would be tested against all that is near: moving the body makes them anew.
    body->translate(btVector3(0, 0, 0));
    body->setPose(false, true);
    return body;
}

}  // namespace

int main(int count, char** words) {
    Rain rain{};
    if (!read(count, words, rain)) {
        std::fprintf(stderr, "usage: %s BODIES NODES_A_SIDE LENGTH STEP STEPS sdf|vertex_face\n", words[0]);
        return 2;
    }
    SoftWorld made_world;
    btSoftRigidDynamicsWorld& world = made_world.world;
    btSoftBodyWorldInfo& info = world.getWorldInfo();

    btBoxShape ground_shape(btVector3(20, 1, 20));
    btRigidBody::btRigidBodyConstructionInfo ground_info(0, nullptr, &ground_shape);
    ground_info.m_startWorldTransform.setOrigin(btVector3(0, -1, 0));
    ground_info.m_friction = btScalar(0.5);
    btRigidBody ground(ground_info);
    world.addRigidBody(&ground);

    std::vector<std::unique_ptr<btSoftBody>> bodies;
    for (int b = 0; b < rain.bodies; ++b) {  // layers of 10 × 10, 2 lengths apart, every other one moved
        const int i = b % 10, j = b / 10 % 10, k = b / 100;
        const double gap = 2 * rain.length, shift = (k % 2) * 0.4 * rain.length;
        bodies.emplace_back(make(
            info, rain,
            {btScalar(gap * (i - 5) + shift), btScalar(gap * (k + 0.5)), btScalar(gap * (j - 5) + shift)}));
        world.addSoftBody(bodies.back().get());
    }
    double seconds = 0, wall = 0;
    for (int s = 0; s < rain.steps; ++s) {
        const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID), wall_start = seconds_of(CLOCK_MONOTONIC);
        world.stepSimulation(btScalar(rain.step), 0);
        if (s == 0) continue;  // the first step makes what is made once
        seconds += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        wall += seconds_of(CLOCK_MONOTONIC) - wall_start;
    }
    double lowest = 0;
    for (const auto& body : bodies)
        for (int i = 0; i < body->m_nodes.size(); ++i)
            lowest = std::min(lowest, double(body->m_nodes[i].m_x.y()));
    std::printf("{\"version\": \"%d.%02d\", \"ms\": %.6g, \"wall_ms\": %.6g, \"depth\": %.6g}\n",
                btGetVersion() / 100, btGetVersion() % 100, 1e3 * seconds / (rain.steps - 1),
                1e3 * wall / (rain.steps - 1), -lowest / rain.length);
    for (const auto& body : bodies) world.removeSoftBody(body.get());
    world.removeRigidBody(&ground);
    return 0;
}
