#pragma once

#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

/// A world for soft bodies and all that Bullet wants beside it: gravity down, no air.
struct SoftWorld {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};

    SoftWorld() {
        const btVector3 gravity(0, btScalar(-9.81), 0);
        world.setGravity(gravity);
        btSoftBodyWorldInfo& info = world.getWorldInfo();
        info.m_gravity = gravity;
        info.air_density = 0;
        info.m_dispatcher = &dispatcher;
        info.m_broadphase = &broadphase;
        info.m_sparsesdf.Initialize();
    }
};
