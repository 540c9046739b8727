#pragma once

#include "core/quantities.hpp"
#include "scene/spec.hpp"

// What the descriptions of several kinds of bodies have in common.

namespace plush {

using namespace quantity;

void describe_generated(SceneVisitor& v, GenerateSettings& s);
void describe_surface(SceneVisitor& v, SurfaceSpec& s);
/// What becomes of the closed components of a mesh file.
void describe_components(SceneVisitor& v, ShapeSpec& s);

void describe(SceneVisitor& v, MaterialSpec& s);
void describe(SceneVisitor& v, RotateSpec& s);
void describe(SceneVisitor& v, PartSpec& s);
void describe(SceneVisitor& v, SolidSpec& s);
void describe(SceneVisitor& v, FramesSpec& s);
void describe(SceneVisitor& v, GroundSpec& s);
void describe(SceneVisitor& v, RigidSpec& s);
void describe(SceneVisitor& v, FixedSpec& s);
void describe(SceneVisitor& v, ScriptedSpec& s);
void describe(SceneVisitor& v, ParticlesSpec& s);
void describe(SceneVisitor& v, RopeSpec& s);
void describe(SceneVisitor& v, ClothSpec& s);
void describe(SceneVisitor& v, JellySpec& s);
void describe(SceneVisitor& v, ShellsSpec& s);
void describe(SceneVisitor& v, TetSpringsSpec& s);
void describe(SceneVisitor& v, ShapeMatchingSpec& s);
void describe(SceneVisitor& v, SoftSpec& s);

}  // namespace plush
