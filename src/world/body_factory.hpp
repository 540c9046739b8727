#pragma once

#include "world/tet_contacts.hpp"

namespace plush {

/// Makes bodies of what the user gives. What is wrong with one is said here, before it can do harm: an Error that names
/// the body, the property and the fix.
class BodyFactory {
public:
    /// The threads must outlive the bodies.
    BodyFactory(const WorldSettings& settings, const Parallel& parallel, TetContacts& tets)
        : settings_(settings), parallel_(parallel), tets_(tets) {}

    BodyRecord make(const Rigid& body, const Placement& placement);
    BodyRecord make(const Fixed& body, const Placement& placement);
    BodyRecord make(const Scripted& body);
    BodyRecord make(const Particles& body);
    BodyRecord make(const Rope& body, const Placement& placement);
    BodyRecord make(const Cloth& body, const Placement& placement);
    BodyRecord make(const Jelly& body, const Placement& placement);
    BodyRecord make(const Shells& body, const Placement& placement);
    BodyRecord make(const TetSprings& body, const Placement& placement);
    BodyRecord make(const ShapeMatching& body, const Placement& placement);
    BodyRecord make(const Soft& body, const Placement& placement);

private:
    BodyRecord deformable(const Deformable& body, DeformableModel model, const Vec3& velocity,
                          std::shared_ptr<const Embedding> contact_points = {});
    BodyRecord spring_body(const SpringBody& body, Result<DeformableModel> model, const Placement& placement);
    BodyRecord point_cloud(const Particles& body);  ///< that surface laws act on
    BodyRecord deformed_by_frames(const Scripted& body);
    SoftSolid solid_of(const std::string& name, const Mesh& mesh);

    const WorldSettings& settings_;
    const Parallel& parallel_;
    TetContacts& tets_;
    /// Filling and embedding are dear: once for all bodies of a mesh.
    struct KnownSolid {
        Mesh mesh;
        SoftSolid solid;
    };
    std::vector<KnownSolid> known_solids_;
};

Quat checked_rotation(const std::string& name, const char* key, const Quat& rotation);
std::vector<Keyframe> checked_keyframes(const std::string& name, std::vector<Keyframe> keyframes);
/// Contact at the points of a skin is by forces that pull back to vertices; other laws would move the points.
void require_skin_law(const std::string& name, const SurfaceSettings& surface);

}  // namespace plush
