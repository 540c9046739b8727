// The stack of soft spheres of `plush bench penetration` in Bullet, as a program of its own: Plush links
// nothing of Bullet. Icosahedra of 20 tets about a node in their middle, with links on all edges, fall into a
// box of four walls; their nodes touch one another's faces (VF_SS) and the distance of the walls (SDF_RS).
// Prints
//
//     {"version": "3.24", "ms": of the processor a step, mean, "overlap": pairs nearer than their radius at the
//      end, "inverted": tets turned inside out, "speed": root mean square of the nodes, m/s}

#include <BulletSoftBody/btSoftBody.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <set>
#include <vector>

#include "bullet_world.hpp"

namespace {

constexpr std::array<std::array<int, 3>, 20> faces{
    {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
     {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
     {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};

btSoftBody* make(btSoftBodyWorldInfo& info, double radius, double density, const btVector3& at) {
    const double g = 0.5 * (1 + std::sqrt(5.0)), s = radius / std::sqrt(1 + g * g);
    const double corner[12][3] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                  {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    std::vector<btVector3> x;
    for (const auto& c : corner)
        x.push_back(at + btVector3(btScalar(s * c[0]), btScalar(s * c[1]), btScalar(s * c[2])));
    x.push_back(at);
    auto* body = new btSoftBody(&info, 13, x.data(), nullptr);
    std::set<std::pair<int, int>> links;
    for (const auto& f : faces) {
        body->appendFace(f[0], f[1], f[2]);
        body->appendTetra(12, f[0], f[1], f[2]);
        for (int k = 0; k < 3; ++k) {
            links.insert(std::minmax(f[std::size_t(k)], f[std::size_t((k + 1) % 3)]));
            links.insert({f[std::size_t(k)], 12});
        }
    }
    for (const auto& [a, b] : links) body->appendLink(a, b);
    const double volume = 2.5362 * radius * radius * radius;  // of the icosahedron
    body->setTotalMass(btScalar(density * volume));
    body->m_materials[0]->m_kLST = btScalar(0.5);
    body->m_cfg.kDP = btScalar(0.01);
    body->m_cfg.kDF = btScalar(0.5);
    body->m_cfg.piterations = 10;
    body->m_cfg.collisions = btSoftBody::fCollision::SDF_RS | btSoftBody::fCollision::VF_SS;
    body->getCollisionShape()->setMargin(btScalar(0.005));
    body->translate(btVector3(0, 0, 0));  // boxes of its own margin: see bullet_matching.cpp
    return body;
}

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

}  // namespace

int main(int count, char** words) {
    if (count < 8 || (count - 5) % 3 != 0) {
        std::fprintf(stderr, "usage: %s RADIUS DENSITY STEP STEPS X Y Z …\n", words[0]);
        return 2;
    }
    const double radius = std::atof(words[1]), density = std::atof(words[2]), step = std::atof(words[3]);
    const int steps = std::atoi(words[4]);
    if (!(radius > 0) || !(density > 0) || !(step > 0) || steps < 2) return 2;
    SoftWorld made_world;
    btSoftRigidDynamicsWorld& world = made_world.world;
    btSoftBodyWorldInfo& info = world.getWorldInfo();

    const btScalar r = btScalar(radius), wall = btScalar(5.5 * radius);
    btBoxShape ground_shape(btVector3(20, 1, 20)), x_shape(btVector3(r / 2, 10 * r, 7 * r)),
        z_shape(btVector3(7 * r, 10 * r, r / 2));
    std::vector<std::unique_ptr<btRigidBody>> fixed;
    const auto add = [&](btBoxShape& shape, const btVector3& at) {
        btRigidBody::btRigidBodyConstructionInfo made(0, nullptr, &shape);
        made.m_startWorldTransform.setOrigin(at);
        made.m_friction = btScalar(0.5);
        fixed.push_back(std::make_unique<btRigidBody>(made));
        world.addRigidBody(fixed.back().get());
    };
    add(ground_shape, btVector3(0, -1, 0));
    for (const btScalar side : {btScalar(-1), btScalar(1)}) {
        add(x_shape, btVector3(side * (wall + r / 2), 10 * r, 0));
        add(z_shape, btVector3(0, 10 * r, side * (wall + r / 2)));
    }
    std::vector<std::unique_ptr<btSoftBody>> bodies;
    for (int w = 5; w + 2 < count; w += 3) {
        const btVector3 at(btScalar(std::atof(words[w])), btScalar(std::atof(words[w + 1])),
                           btScalar(std::atof(words[w + 2])));
        bodies.emplace_back(make(info, radius, density, at));
        world.addSoftBody(bodies.back().get());
    }
    double seconds = 0;
    for (int s = 0; s < steps; ++s) {
        const double start = processor_seconds();
        world.stepSimulation(btScalar(step), 0);
        if (s > 0) seconds += processor_seconds() - start;
    }
    int overlap = 0, inverted = 0;
    double squares = 0, nodes = 0;
    std::vector<btVector3> middles;
    for (const auto& body : bodies) {
        btVector3 middle(0, 0, 0);
        for (int i = 0; i < body->m_nodes.size(); ++i) {
            middle += body->m_nodes[i].m_x / btScalar(body->m_nodes.size());
            squares += double(body->m_nodes[i].m_v.length2()), ++nodes;
        }
        for (const auto& f : faces) {
            const auto at = [&](int n) { return body->m_nodes[n].m_x; };
            const btVector3 a = at(f[0]) - at(12), b = at(f[1]) - at(12), c = at(f[2]) - at(12);
            inverted += a.cross(b).dot(c) <= 0;
        }
        for (const btVector3& other : middles) overlap += (middle - other).length() < r;
        middles.push_back(middle);
    }
    std::printf(
        "{\"version\": \"%d.%02d\", \"ms\": %.6g, \"overlap\": %d, \"inverted\": %d, \"speed\": %.6g}\n",
        btGetVersion() / 100, btGetVersion() % 100, 1e3 * seconds / (steps - 1), overlap, inverted,
        std::sqrt(squares / nodes));
    for (const auto& body : bodies) world.removeSoftBody(body.get());
    for (const auto& body : fixed) world.removeRigidBody(body.get());
    return 0;
}
