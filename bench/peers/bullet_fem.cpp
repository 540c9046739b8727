// The hanging boxes of `plush bench fem` in Bullet's deformable finite elements, as a program of its own:
// Plush links nothing of Bullet. Boxes of n × n × n nodes, each cell cut into five tets, held at one side,
// implicit, linear corotational elasticity. Prints
//
//     {"version": "3.24", "ms": of the processor a step, mean, "wall_ms": the same by the clock,
//      "size": the largest diagonal of a body's bounding box, by that at rest; −1 where it is not a number}

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bullet_boxes.hpp"
#include "clock.hpp"

namespace {

struct Boxes {
    int bodies;
    ElasticBox box;
    double step;  ///< s
    int steps;
};

bool read(int count, char** words, Boxes& b) {
    if (count != 8) return false;
    b = {std::atoi(words[1]),
         {std::atoi(words[2]), std::atof(words[3]), std::atof(words[4]), std::atof(words[7])},
         std::atof(words[5]),
         std::atoi(words[6])};
    return b.bodies > 0 && b.box.side >= 2 && b.box.side <= 40 && b.box.cell > 0 && b.box.young > 0 &&
           b.step > 0 && b.steps > 1;
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
    DeformableWorld made;
    auto& world = made.world;
    auto& bodies = made.bodies;
    for (int b = 0; b < boxes.bodies; ++b) {
        btTransform place = btTransform::getIdentity();
        place.setOrigin(btVector3(0, 0, btScalar(1.5 * b * boxes.box.cell * (boxes.box.side - 1))));
        made.add(make_box(world.getWorldInfo(), boxes.box, place, true), boxes.box);
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
