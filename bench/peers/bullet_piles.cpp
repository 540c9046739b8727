// The heap of elastic boxes of `plush bench piles` in Bullet's deformable finite elements, as a program of
// its own: Plush links nothing of Bullet. The boxes fall into a pen of four walls; their nodes touch one
// another's faces (VF_DD) and the distance of the walls (SDF_RDN). Writes the nodes' last positions, body by
// body, as lines of three numbers, and prints
//
//     {"version": "3.24", "ms": of the processor a step, mean, "late_ms": that of the second half,
//      "speed": root mean square of the nodes over the last tenth of a second, m/s; −1 where it is not a
//      number}

#include <BulletSoftBody/btSoftBodyHelpers.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "bullet_boxes.hpp"
#include "clock.hpp"

namespace {

struct Heap {
    const char* file;  ///< to write the positions to
    ElasticBox box;
    double pen, wall;  ///< half the inner width, and the walls' height, m
    double friction;
    double step, seconds;
    bool implicit;  ///< elasticity too, not only its damping
    int iterations;
    std::vector<btTransform> places;
};

bool read(int count, char** words, Heap& heap) {
    constexpr int fixed = 13;
    if (count < fixed + 7 || (count - fixed) % 7 != 0) return false;
    const auto number = [&](int w) { return std::atof(words[w]); };
    heap.file = words[1];
    heap.box = {std::atoi(words[2]), number(3), number(4), number(5)};
    heap.pen = number(6), heap.wall = number(7), heap.friction = number(8);
    heap.step = number(9), heap.seconds = number(10);
    heap.implicit = std::strcmp(words[11], "implicit") == 0;
    heap.iterations = std::atoi(words[12]);
    for (int w = fixed; w < count; w += 7) {
        const auto at = [&](int k) { return btScalar(number(w + k)); };
        heap.places.emplace_back(btQuaternion(at(4), at(5), at(6), at(3)), btVector3(at(0), at(1), at(2)));
    }
    return heap.box.side >= 2 && heap.box.side <= 40 && heap.box.cell > 0 && heap.box.young > 0 &&
           heap.pen > 0 && heap.wall > 0 && heap.step > 0 && heap.seconds > 2 * heap.step &&
           heap.iterations > 0;
}

struct Pen {
    std::vector<std::unique_ptr<btBoxShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> sides;

    void add(btDeformableMultiBodyDynamicsWorld& world, const btVector3& half, const btVector3& at,
             double friction) {
        shapes.push_back(std::make_unique<btBoxShape>(half));
        btRigidBody::btRigidBodyConstructionInfo made(0, nullptr, shapes.back().get());
        made.m_startWorldTransform.setOrigin(at);
        made.m_friction = btScalar(friction);
        sides.push_back(std::make_unique<btRigidBody>(made));
        world.addRigidBody(sides.back().get());
    }
    Pen(btDeformableMultiBodyDynamicsWorld& world, const Heap& heap) {
        const btScalar w = btScalar(heap.pen), h = btScalar(0.5 * heap.wall), t = btScalar(0.25);
        add(world, {4 * w, 1, 4 * w}, {0, -1, 0}, heap.friction);
        for (const btScalar side : {btScalar(-1), btScalar(1)}) {
            add(world, {t, h, w + 2 * t}, {side * (w + t), h, 0}, heap.friction);
            add(world, {w + 2 * t, h, t}, {0, h, side * (w + t)}, heap.friction);
        }
    }
};

void touch(btSoftBody& body, const Heap& heap) {
    // Without links Bullet never ends to build the tree of nodes. They carry no force.
    std::set<std::pair<int, int>> links;
    for (int t = 0; t < body.m_tetras.size(); ++t)
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < a; ++b) {
                const auto node = [&](int k) { return int(body.m_tetras[t].m_n[k] - &body.m_nodes[0]); };
                links.insert(std::minmax({node(a), node(b)}));
            }
    for (const auto& [a, b] : links) body.appendLink(a, b);
    btSoftBodyHelpers::generateBoundaryFaces(&body);
    body.m_cfg.kDF = btScalar(heap.friction);
    body.m_cfg.kKHR = body.m_cfg.kCHR = 1;
    body.m_cfg.collisions =
        btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN | btSoftBody::fCollision::VF_DD;
    body.getCollisionShape()->setMargin(btScalar(0.05 * heap.box.cell));
    body.m_sleepingThreshold = 0;
    body.rebuildNodeTree();
    body.initializeFaceTree();
}

double squared_speed(const DeformableWorld& made) {
    double squares = 0, nodes = 0;
    for (const auto& body : made.bodies)
        for (int i = 0; i < body->m_nodes.size(); ++i)
            squares += double(body->m_nodes[i].m_v.length2()), ++nodes;
    return squares / nodes;
}

}  // namespace

int main(int count, char** words) {
    Heap heap{};
    if (!read(count, words, heap)) {
        std::fprintf(stderr,
                     "usage: %s FILE NODES_A_SIDE CELL YOUNG DAMPING PEN WALL FRICTION STEP SECONDS "
                     "explicit|implicit ITERATIONS X Y Z QW QX QY QZ …\n",
                     words[0]);
        return 2;
    }
    DeformableWorld made;
    auto& world = made.world;
    world.setImplicit(heap.implicit);
    world.setLineSearch(false);
    world.setUseProjection(true);
    // As Bullet's own examples of colliding deformable bodies have it.
    world.getSolverInfo().m_deformable_erp = btScalar(0.3);
    world.getSolverInfo().m_deformable_maxErrorReduction = btScalar(200);
    world.getSolverInfo().m_leastSquaresResidualThreshold = btScalar(1e-3);
    world.getSolverInfo().m_splitImpulse = true;
    world.getSolverInfo().m_numIterations = heap.iterations;
    world.getWorldInfo().m_sparsesdf.setDefaultVoxelsz(btScalar(0.25));
    const Pen pen(world, heap);
    for (const btTransform& place : heap.places) {
        btSoftBody* const body = make_box(world.getWorldInfo(), heap.box, place, false);
        touch(*body, heap);
        made.add(body, heap.box);
    }
    const int steps = int(std::lround(heap.seconds / heap.step)), last = int(std::lround(0.1 / heap.step));
    double seconds = 0, late = 0, squares = 0;
    for (int s = 0; s < steps; ++s) {
        const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        world.stepSimulation(btScalar(heap.step), 1, btScalar(heap.step));
        const double took = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        if (s > 0) seconds += took;  // the first makes what is made once
        if (s >= steps / 2) late += took;
        if (s >= steps - last) squares += squared_speed(made) / last;
    }
    std::ofstream out(heap.file);
    out.precision(9);
    for (const auto& body : made.bodies)
        for (int i = 0; i < body->m_nodes.size(); ++i) {
            const btVector3& x = body->m_nodes[i].m_x;
            out << x.x() << ' ' << x.y() << ' ' << x.z() << '\n';
        }
    out.close();
    std::printf("{\"version\": \"%d.%02d\", \"ms\": %.6g, \"late_ms\": %.6g, \"speed\": %.6g}\n",
                btGetVersion() / 100, btGetVersion() % 100, 1e3 * seconds / (steps - 1),
                1e3 * late / (steps - steps / 2), std::isfinite(squares) ? std::sqrt(squares) : -1.0);
    std::fflush(stdout);
    std::_Exit(out.good() ? 0 : 1);  // the world would free forces that are not its own
}
