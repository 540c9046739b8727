#pragma once

#include "plush/world/world.hpp"

namespace plush::lab {

/// A body between two fingers, one fixed and one that slides towards it along x under a force.
struct Grip {
    enum class What {
        ball,  ///< of 8 cm, between plates
        box,   ///< a cube of 8 cm, between plates
        mesh,  ///< `mesh`, between balls where the x axis through its centre of mass leaves it
    };
    What what = What::ball;
    bool soft = true;
    double force = 2;       ///< of what Coulomb's law asks for, m (g + a)/(2 μ)
    double friction = 0.5;  ///< μ
    double squeeze = 0.2;   ///< of a soft body: how much of its half width the force takes, by Hertz or Hooke
    double acceleration = 0;  ///< of the gripper upwards, m/s²
    Mesh mesh{};
    double step = 1.0 / 60;  ///< s
};

struct Held {
    double drop = 0;   ///< within 2 s under all of its weight, by its width; a half and more: it is gone
    double speed = 0;  ///< of its centre in the last quarter of a second, m/s
};

/// The fingers close slowly and without gravity, gravity comes on, and 2 s are observed.
Held grip(const Grip& g);

/// Turns a mesh so that a line through its centre of mass leaves it along ±x through faces whose normals are within the
/// cone of friction about it, by the sine of half the cone's angle at most; the centre of mass comes to the origin. Of
/// `tries` random directions the best; an empty mesh where none will do.
Mesh turned_to_grip(const Mesh& mesh, double friction, std::uint64_t seed, int tries = 200);

}  // namespace plush::lab
