// The cloth of `plush bench cloth` in Bullet, as a program of its own: Plush links nothing of Bullet. Prints
//
//     {"version": "3.24", "ms": of the processor a step, mean, "wall_ms": the same by the clock, "largest": …,
//      "mean": …, "links": …}
//
// with the largest and the mean ratio of a link to its rest length, the worst of the last second. A soft body
// with links along the grid, on both diagonals and over two cells, where src/lab/bench/bench_springs.cpp has its
// springs; the most rigid material that there is; Bullet's own solver of positions; no collisions, no
// damping, no air.

#include <BulletSoftBody/btSoftBody.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bullet_world.hpp"
#include "clock.hpp"

namespace {

struct Cloth {
    int side;       ///< vertices
    double length;  ///< of a side, m
    double mass;    ///< kg in all
    double step;    ///< s
    int steps;
    int iterations;   ///< of the position solver
    bool whole_side;  ///< held along one side, or at its two corners
};

/// Whole numbers and lengths from the command line; false where one makes no sense.
bool read(int count, char** words, Cloth& c) {
    if (count != 8) return false;
    c = {std::atoi(words[1]),
         std::atof(words[2]),
         std::atof(words[3]),
         std::atof(words[4]),
         std::atoi(words[5]),
         std::atoi(words[6]),
         std::strcmp(words[7], "side") == 0};
    return c.side >= 2 && c.side <= 1000 && c.length > 0 && c.mass > 0 && c.step > 0 && c.steps > 1 &&
           c.iterations > 0;
}

/// Level, its first row along x, which is held.
btSoftBody* make(btSoftBodyWorldInfo& info, const Cloth& c) {
    const int n = c.side;
    std::vector<btVector3> x;
    std::vector<btScalar> m;
    double sum = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            x.emplace_back(btScalar(c.length * i / (n - 1)), btScalar(0), btScalar(c.length * j / (n - 1)));
            // By the area around it: a half at an edge, a quarter at a corner.
            m.push_back(btScalar((i % (n - 1) == 0 ? 0.5 : 1.0) * (j % (n - 1) == 0 ? 0.5 : 1.0)));
            sum += m.back();
        }
    for (btScalar& v : m) v = btScalar(v * c.mass / sum);
    for (int i = 0; i < n; i += c.whole_side ? 1 : n - 1) m[std::size_t(i)] = 0;  // no mass: held
    auto* body = new btSoftBody(&info, n * n, x.data(), m.data());
    body->m_materials[0]->m_kLST = 1;  // the most rigid
    body->m_cfg.piterations = c.iterations;
    body->m_cfg.kDP = 0;
    body->m_cfg.collisions = 0;
    const auto join = [&](int i, int j, int di, int dj) {
        if (i + di >= 0 && i + di < n && j + dj < n) body->appendLink(j * n + i, (j + dj) * n + i + di);
    };
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            join(i, j, 1, 0), join(i, j, 0, 1), join(i, j, 1, 1), join(i, j, -1, 1);
            join(i, j, 2, 0), join(i, j, 0, 2);
        }
    return body;
}

struct Stretch {
    double largest = 0, mean = 0;
};

Stretch stretch_of(const btSoftBody& body) {
    Stretch stretch;
    for (int l = 0; l < body.m_links.size(); ++l) {
        const btSoftBody::Link& link = body.m_links[l];
        const double ratio = double((link.m_n[0]->m_x - link.m_n[1]->m_x).length() / link.m_rl);
        stretch.largest = std::max(stretch.largest, ratio);
        stretch.mean += ratio / body.m_links.size();
    }
    return stretch;
}

}  // namespace

int main(int count, char** words) {
    Cloth cloth{};
    if (!read(count, words, cloth)) {
        std::fprintf(stderr, "usage: %s VERTICES_A_SIDE LENGTH MASS STEP STEPS ITERATIONS side|corners\n",
                     words[0]);
        return 2;
    }
    SoftWorld made_world;
    btSoftRigidDynamicsWorld& world = made_world.world;
    btSoftBody* body = make(world.getWorldInfo(), cloth);
    world.addSoftBody(body);

    Stretch stretch;
    double seconds = 0, wall = 0;
    for (int s = 0; s < cloth.steps; ++s) {
        const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID), wall_start = seconds_of(CLOCK_MONOTONIC);
        world.stepSimulation(btScalar(cloth.step), 0);  // 0: a step of exactly this length
        if (s > 0) {                                    // the first step makes what is made once
            seconds += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
            wall += seconds_of(CLOCK_MONOTONIC) - wall_start;
        }
        if ((cloth.steps - s) * cloth.step > 1) continue;
        const Stretch now = stretch_of(*body);
        stretch = {std::max(stretch.largest, now.largest), std::max(stretch.mean, now.mean)};
    }
    const double ms = 1e3 * seconds / (cloth.steps - 1);
    std::printf(
        "{\"version\": \"%d.%02d\", \"ms\": %.6g, \"wall_ms\": %.6g, \"largest\": %.6g, \"mean\": %.6g, "
        "\"links\": %d}\n",
        btGetVersion() / 100, btGetVersion() % 100, ms, 1e3 * wall / (cloth.steps - 1), stretch.largest,
        stretch.mean, body->m_links.size());
    world.removeSoftBody(body);
    delete body;
    return 0;
}
