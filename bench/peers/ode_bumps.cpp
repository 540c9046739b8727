// The slabs of `plush bench bumps` in the Open Dynamics Engine, as a program of its own: Plush links nothing
// of it. Two trimesh geoms (OPCODE), every contact that it finds a joint, and its quick stepper with its
// default 20 iterations: the exact one is out of reach with thousands of contacts. Prints what resting.hpp
// says.

#include <ode/ode.h>

#include <cstdarg>

#include "resting.hpp"

namespace {

constexpr int max_contacts = 65535;  // what dCollide's flags can say

struct Slab {
    std::vector<double> points;
    std::vector<dTriIndex> corners;
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomID geom = nullptr;

    Slab(const ObjMesh& from, dSpaceID space) {
        for (const auto& p : from.points) points.insert(points.end(), p.begin(), p.end());
        for (const auto& t : from.triangles)
            for (const unsigned v : t) corners.push_back(dTriIndex(v));
        dGeomTriMeshDataBuildDouble(data, points.data(), 3 * sizeof(double), int(from.points.size()),
                                    corners.data(), int(corners.size()), 3 * sizeof(dTriIndex));
        geom = dCreateTriMesh(space, data, nullptr, nullptr, nullptr);
    }
};

/// It complains of full tables a thousand times a step, which would be timed.
void say_nothing(int, const char*, va_list) {}

double square(const dReal* v) {
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

}  // namespace

int main(int count, char** words) {
    BumpsTask task;
    if (!task.read(count, words)) return 2;
    dInitODE2(0);
    dSetMessageHandler(say_nothing);
    dAllocateODEDataForThread(dAllocateMaskAll);
    const dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0, -9.81, 0);
    const dSpaceID space = dSimpleSpaceCreate(nullptr);
    const dJointGroupID joints = dJointGroupCreate(0);
    Slab lower(task.lower, space), upper(task.upper, space);
    const dBodyID body = dBodyCreate(world);
    dMass mass;
    dMassSetParameters(&mass, task.mass, 0, 0, 0, task.inertia[0], task.inertia[1], task.inertia[2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dGeomSetBody(upper.geom, body);
    dBodySetPosition(body, 0, task.centre + task.gap, 0);

    std::vector<dContactGeom> found(max_contacts);
    Resting resting;
    for (int s = 0; s < task.settle + task.steps; ++s) {
        const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        const int contacts =
            dCollide(upper.geom, lower.geom, max_contacts, found.data(), sizeof(dContactGeom));
        for (int c = 0; c < contacts; ++c) {
            dContact contact{};
            contact.geom = found[std::size_t(c)];
            contact.surface.mode = dContactApprox1;  // friction by the normal force: Coulomb's pyramid
            contact.surface.mu = task.friction;
            dJointAttach(dJointCreateContact(world, joints, &contact), body, nullptr);
        }
        dWorldQuickStep(world, task.step);
        dJointGroupEmpty(joints);
        const double took = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        if (s < task.settle) continue;
        for (int c = 0; c < contacts; ++c)
            resting.depth = std::max(resting.depth, double(found[std::size_t(c)].depth));
        resting.add(took, contacts,
                    square(dBodyGetLinearVel(body)) +
                        task.gyration * task.gyration * square(dBodyGetAngularVel(body)));
    }
    resting.print("ODE " dODE_VERSION, task.centre - dBodyGetPosition(body)[1]);
    dJointGroupDestroy(joints);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
    return 0;
}
