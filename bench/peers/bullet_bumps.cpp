// The slabs of `plush bench bumps` in Bullet, as a program of its own: Plush links nothing of Bullet. Both
// are GImpact meshes, the only ones of Bullet that move and touch other meshes. Its margin is a millimetre:
// the default of a centimetre is half the height of a bump. Prints what resting.hpp says.

#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletDynamicsCommon.h>

#include "resting.hpp"

namespace {

constexpr btScalar margin = btScalar(1e-3);  // m

/// A shape and the numbers that it points to.
struct Slab {
    std::vector<btScalar> points;
    std::vector<int> corners;
    btTriangleIndexVertexArray mesh;
    btGImpactMeshShape shape;

    explicit Slab(const ObjMesh& from)
        : points(flat(from)),
          corners(indices(from)),
          mesh(int(from.triangles.size()), corners.data(), 3 * sizeof(int), int(from.points.size()),
               points.data(), 3 * sizeof(btScalar)),
          shape(&mesh) {
        shape.setMargin(margin);
        shape.updateBound();
    }

    static std::vector<btScalar> flat(const ObjMesh& from) {
        std::vector<btScalar> out;
        for (const auto& p : from.points)
            for (const double c : p) out.push_back(btScalar(c));
        return out;
    }
    static std::vector<int> indices(const ObjMesh& from) {
        std::vector<int> out;
        for (const auto& t : from.triangles)
            for (const unsigned v : t) out.push_back(int(v));
        return out;
    }
};

}  // namespace

int main(int count, char** words) {
    BumpsTask task;
    if (!task.read(count, words)) return 2;
    Slab lower(task.lower), upper(task.upper);
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, btScalar(-9.81), 0));

    const btScalar friction = btScalar(std::sqrt(task.friction));  // of a pair: the product
    btRigidBody::btRigidBodyConstructionInfo ground(0, nullptr, &lower.shape);
    ground.m_friction = friction;
    btRigidBody fixed(ground);
    world.addRigidBody(&fixed);
    btRigidBody::btRigidBodyConstructionInfo made(
        btScalar(task.mass), nullptr, &upper.shape,
        btVector3(btScalar(task.inertia[0]), btScalar(task.inertia[1]), btScalar(task.inertia[2])));
    made.m_friction = friction;
    made.m_startWorldTransform.setOrigin(btVector3(0, btScalar(task.centre + task.gap), 0));
    btRigidBody body(made);
    body.setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(&body);

    Resting resting;
    for (int s = 0; s < task.settle + task.steps; ++s) {
        const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        world.stepSimulation(btScalar(task.step), 0);
        const double took = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        if (s < task.settle) continue;
        double contacts = 0;
        for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
            const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(m);
            contacts += manifold.getNumContacts();
            for (int c = 0; c < manifold.getNumContacts(); ++c)
                resting.depth = std::max(resting.depth, -double(manifold.getContactPoint(c).getDistance()));
        }
        resting.add(took, contacts,
                    double(body.getLinearVelocity().length2()) +
                        task.gyration * task.gyration * double(body.getAngularVelocity().length2()));
    }
    char version[32];
    std::snprintf(version, sizeof version, "Bullet %d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    resting.print(version, task.centre - double(body.getCenterOfMassPosition().y()));
    world.removeRigidBody(&body);
    world.removeRigidBody(&fixed);
    return 0;
}
