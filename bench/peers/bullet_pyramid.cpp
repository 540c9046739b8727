// The pyramid of boxes of `plush bench pyramid` in Bullet, as a program of its own: Plush links nothing of
// Bullet. Rigid boxes on a plane, its default solver with as many iterations as asked. Prints
//
//     {"version": "3.24", "ms" and "median_ms": of the processor a step, "contacts": a step, "lean" and
//      "sink": of the topmost boxes at the end, m, "speed": root mean square of all at the end, m/s}

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "clock.hpp"

int main(int count, char** words) {
    if (count < 11 || (count - 8) % 3 != 0) {
        std::fprintf(stderr, "usage: %s SIDE DENSITY FRICTION STEP ITERATIONS STEPS TOPMOST X Y Z …\n",
                     words[0]);
        return 2;
    }
    const double side = std::atof(words[1]), density = std::atof(words[2]), step = std::atof(words[4]);
    const btScalar friction = btScalar(std::sqrt(std::atof(words[3])));  // of a pair: the product
    const int iterations = std::atoi(words[5]), steps = std::atoi(words[6]), topmost = std::atoi(words[7]);
    if (!(side > 0) || !(density > 0) || !(step > 0) || iterations < 1 || steps < 2) return 2;

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, btScalar(-9.81), 0));
    world.getSolverInfo().m_numIterations = iterations;

    btStaticPlaneShape plane(btVector3(0, 1, 0), 0);
    btRigidBody::btRigidBodyConstructionInfo ground(0, nullptr, &plane);
    ground.m_friction = friction;
    btRigidBody fixed(ground);
    world.addRigidBody(&fixed);
    const btScalar half = btScalar(0.5 * side), mass = btScalar(density * side * side * side);
    btBoxShape box(btVector3(half, half, half));
    btVector3 inertia;
    box.calculateLocalInertia(mass, inertia);
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<btVector3> places;
    for (int w = 8; w + 2 < count; w += 3) {
        btRigidBody::btRigidBodyConstructionInfo made(mass, nullptr, &box, inertia);
        places.emplace_back(btScalar(std::atof(words[w])), btScalar(std::atof(words[w + 1])),
                            btScalar(std::atof(words[w + 2])));
        made.m_startWorldTransform.setOrigin(places.back());
        made.m_friction = friction;
        bodies.push_back(std::make_unique<btRigidBody>(made));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
    }

    std::vector<double> seconds;
    double contacts = 0;
    for (int s = 0; s < steps; ++s) {
        const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        world.stepSimulation(btScalar(step), 0);
        const double took = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        if (s == 0) continue;
        seconds.push_back(took);
        for (int m = 0; m < dispatcher.getNumManifolds(); ++m)
            contacts += dispatcher.getManifoldByIndexInternal(m)->getNumContacts();
    }
    std::sort(seconds.begin(), seconds.end());
    double lean = 0, sink = 0, squares = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const btVector3 moved = bodies[b]->getCenterOfMassPosition() - places[b];
        if (b + std::size_t(topmost) >= bodies.size())
            lean = std::max(lean, std::hypot(double(moved.x()), double(moved.z())));
        sink = -double(moved.y());
        squares += double(bodies[b]->getLinearVelocity().length2());
    }
    std::printf(
        "{\"version\": \"%d.%02d\", \"ms\": %.6g, \"median_ms\": %.6g, \"contacts\": %.6g, \"lean\": %.6g, "
        "\"sink\": %.6g, \"speed\": %.6g}\n",
        btGetVersion() / 100, btGetVersion() % 100, 1e3 * seconds.front(), 1e3 * seconds[seconds.size() / 2],
        contacts / (steps - 1), lean, sink, std::sqrt(squares / double(bodies.size())));
    for (const auto& body : bodies) world.removeRigidBody(body.get());
    world.removeRigidBody(&fixed);
    return 0;
}
