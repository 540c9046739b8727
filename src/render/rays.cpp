#include "render/rays.hpp"

#include <embree3/rtcore.h>

#include <algorithm>

#include "core/assert.hpp"

// Embree 3, and nowhere else (Wald et al. 2014, "Embree: a kernel framework for efficient CPU ray tracing").
// One scene a mesh with its hierarchy, and one scene of instances of them. Meshes that change their form are fitted again
// and not built again: for 700,000 triangles that is a tenth of the work. The nearest hit on a ray does not
// depend on the shape of a hierarchy except where two surfaces coincide; and that shape depends on the mesh
// and the machine's number of cores, not on timing. (The device option threads=1 would rule out even that,
// but it limits oneTBB, and with it everybody, in the whole process for as long as the device lives.)

namespace plush::render {

namespace {

/// A handle of Embree's, released at the end of its life.
template <class T, void (*release)(T)>
class Owned {
public:
    Owned() = default;
    explicit Owned(T handle) : handle_(handle) {}
    ~Owned() {
        if (handle_) release(handle_);
    }
    Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    T get() const { return handle_; }

private:
    T handle_ = nullptr;
};
using Device = Owned<RTCDevice, rtcReleaseDevice>;
using Scene = Owned<RTCScene, rtcReleaseScene>;
using Geometry = Owned<RTCGeometry, rtcReleaseGeometry>;

void copy(const Vec3& v, float* out) {
    out[0] = static_cast<float>(v.x), out[1] = static_cast<float>(v.y), out[2] = static_cast<float>(v.z);
}

template <class T>
T* new_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, std::size_t stride, std::size_t n) {
    return static_cast<T*>(rtcSetNewGeometryBuffer(geometry, type, 0, format, stride, n));
}

RTCRay to_embree(const Ray& ray, const Vec3& origin) {
    RTCRay out{};
    const Vec3 from = ray.origin - origin;
    out.org_x = static_cast<float>(from.x), out.org_y = static_cast<float>(from.y);
    out.org_z = static_cast<float>(from.z);
    out.dir_x = static_cast<float>(ray.direction.x), out.dir_y = static_cast<float>(ray.direction.y);
    out.dir_z = static_cast<float>(ray.direction.z);
    out.tnear = static_cast<float>(ray.near);
    out.tfar = static_cast<float>(ray.far);
    out.mask = ~0u;
    return out;
}

}  // namespace

struct RayScene::Impl {
    Device device{rtcNewDevice(nullptr)};
    std::vector<Scene> meshes{};
    struct Moving {
        Scene scene{};
        Geometry geometry{};
        Vec3f* places = nullptr;  // Embree's own
        std::span<const std::int32_t> triangles{};
    };
    std::vector<Moving> moving{};  // by slot
    Scene scene{};
    Vec3 origin{};
    std::vector<Quat> rotations{};  // of the objects, for their normals
    bool out_of_memory = false;

    void attach(const Geometry& geometry) {
        rtcCommitGeometry(geometry.get());
        rtcAttachGeometryByID(scene.get(), geometry.get(), static_cast<unsigned>(rotations.size()));
    }
};

RayScene::RayScene() : impl_(std::make_unique<Impl>()) {
    begin({});
}
RayScene::~RayScene() = default;
RayScene::RayScene(RayScene&&) noexcept = default;
RayScene& RayScene::operator=(RayScene&&) noexcept = default;

int RayScene::add_mesh(std::span<const Vec3f> positions, std::span<const std::int32_t> triangles) {
    Impl& my = *impl_;
    const Geometry geometry(rtcNewGeometry(my.device.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
    auto* p = new_buffer<Vec3f>(geometry.get(), RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, sizeof(Vec3f),
                                positions.size());
    auto* t = new_buffer<std::int32_t>(geometry.get(), RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3,
                                       3 * sizeof(std::int32_t), triangles.size() / 3);
    Scene scene(rtcNewScene(my.device.get()));
    if (p && t) {
        std::copy(positions.begin(), positions.end(), p);
        std::copy(triangles.begin(), triangles.end(), t);
        // No ray slips through between two triangles.
        rtcSetSceneFlags(scene.get(), RTC_SCENE_FLAG_ROBUST);
        rtcCommitGeometry(geometry.get());
        rtcAttachGeometryByID(scene.get(), geometry.get(), 0);
    } else if (!positions.empty() && !triangles.empty()) {
        my.out_of_memory = true;
    }
    rtcCommitScene(scene.get());
    my.meshes.push_back(std::move(scene));
    return static_cast<int>(my.meshes.size()) - 1;
}

void RayScene::begin(const Vec3& origin) {
    Impl& my = *impl_;
    my.scene = Scene(rtcNewScene(my.device.get()));
    rtcSetSceneFlags(my.scene.get(), RTC_SCENE_FLAG_ROBUST);
    my.origin = origin;
    my.rotations.clear();
}

void RayScene::add_body(int mesh, const Transform& pose) {
    Impl& my = *impl_;
    PLUSH_ASSERT(mesh >= 0 && static_cast<std::size_t>(mesh) < my.meshes.size());
    const Geometry geometry(rtcNewGeometry(my.device.get(), RTC_GEOMETRY_TYPE_INSTANCE));
    rtcSetGeometryInstancedScene(geometry.get(), my.meshes[static_cast<std::size_t>(mesh)].get());
    const Mat3 r = to_matrix(pose.rotation);
    const Vec3 t = pose.position - my.origin;
    float matrix[12];
    for (std::size_t i = 0; i < 3; ++i) {
        copy(r.row[i], matrix + 4 * i);
        matrix[4 * i + 3] = static_cast<float>(t[i]);
    }
    rtcSetGeometryTransform(geometry.get(), 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, matrix);
    my.attach(geometry);
    my.rotations.push_back(pose.rotation);
}

void RayScene::add_surface(std::span<const Vec3f> positions, std::span<const std::int32_t> triangles) {
    Impl& my = *impl_;
    const Geometry geometry(rtcNewGeometry(my.device.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
    auto* p = new_buffer<Vec3f>(geometry.get(), RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, sizeof(Vec3f),
                                positions.size());
    auto* t = new_buffer<std::int32_t>(geometry.get(), RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3,
                                       3 * sizeof(std::int32_t), triangles.size() / 3);
    if (p && t) {
        for (std::size_t i = 0; i < positions.size(); ++i) copy(to_double(positions[i]) - my.origin, &p[i].x);
        std::copy(triangles.begin(), triangles.end(), t);
        my.attach(geometry);
    } else if (!positions.empty() && !triangles.empty()) {
        my.out_of_memory = true;
    }
    my.rotations.emplace_back();
}

void RayScene::add_moving(std::size_t slot, std::span<const Vec3f> positions,
                          std::span<const std::int32_t> triangles) {
    Impl& my = *impl_;
    if (slot >= my.moving.size()) my.moving.resize(slot + 1);
    Impl::Moving& mesh = my.moving[slot];
    const bool fresh = !mesh.scene.get() || mesh.triangles.data() != triangles.data();
    if (fresh) {
        mesh = {};
        mesh.triangles = triangles;
        mesh.geometry = Geometry(rtcNewGeometry(my.device.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
        mesh.scene = Scene(rtcNewScene(my.device.get()));
        rtcSetSceneFlags(mesh.scene.get(),
                         static_cast<RTCSceneFlags>(RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_DYNAMIC));
        rtcSetGeometryBuildQuality(mesh.geometry.get(), RTC_BUILD_QUALITY_REFIT);
        mesh.places = new_buffer<Vec3f>(mesh.geometry.get(), RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3,
                                        sizeof(Vec3f), positions.size());
        auto* t = new_buffer<std::int32_t>(mesh.geometry.get(), RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3,
                                           3 * sizeof(std::int32_t), triangles.size() / 3);
        if (t) std::copy(triangles.begin(), triangles.end(), t);
        if (!t || !mesh.places) my.out_of_memory = true;
    }
    if (my.out_of_memory) return;
    for (std::size_t i = 0; i < positions.size(); ++i)
        copy(to_double(positions[i]) - my.origin, &mesh.places[i].x);
    rtcUpdateGeometryBuffer(mesh.geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(mesh.geometry.get());
    if (fresh) rtcAttachGeometryByID(mesh.scene.get(), mesh.geometry.get(), 0);
    rtcCommitScene(mesh.scene.get());
    const Geometry instance(rtcNewGeometry(my.device.get(), RTC_GEOMETRY_TYPE_INSTANCE));
    rtcSetGeometryInstancedScene(instance.get(), mesh.scene.get());
    my.attach(instance);
    my.rotations.emplace_back();
}

void RayScene::add_balls(std::span<const Vec3f> centres, double radius) {
    Impl& my = *impl_;
    const Geometry geometry(rtcNewGeometry(my.device.get(), RTC_GEOMETRY_TYPE_SPHERE_POINT));
    auto* out = new_buffer<float>(geometry.get(), RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4,
                                  4 * sizeof(float), centres.size());
    if (out) {
        for (std::size_t i = 0; i < centres.size(); ++i) {
            copy(to_double(centres[i]) - my.origin, out + 4 * i);
            out[4 * i + 3] = static_cast<float>(radius);
        }
        my.attach(geometry);
    } else if (!centres.empty()) {
        my.out_of_memory = true;
    }
    my.rotations.emplace_back();
}

void RayScene::add_cones(std::span<const RoundCone> cones) {
    Impl& my = *impl_;
    const Geometry geometry(rtcNewGeometry(my.device.get(), RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE));
    auto* out = new_buffer<float>(geometry.get(), RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4,
                                  4 * sizeof(float), 2 * cones.size());
    auto* first = new_buffer<std::uint32_t>(geometry.get(), RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT,
                                            sizeof(std::uint32_t), cones.size());
    if (out && first) {
        for (std::size_t i = 0; i < cones.size(); ++i) {
            copy(cones[i].from - my.origin, out + 8 * i);
            copy(cones[i].to - my.origin, out + 8 * i + 4);
            out[8 * i + 3] = static_cast<float>(cones[i].from_radius);
            out[8 * i + 7] = static_cast<float>(cones[i].to_radius);
            first[i] = static_cast<std::uint32_t>(2 * i);
        }
        my.attach(geometry);
    } else if (!cones.empty()) {
        my.out_of_memory = true;
    }
    my.rotations.emplace_back();
}

Result<void> RayScene::commit() {
    Impl& my = *impl_;
    rtcCommitScene(my.scene.get());
    const RTCError error = rtcGetDeviceError(my.device.get());
    if (my.out_of_memory || error == RTC_ERROR_OUT_OF_MEMORY) {
        return Error({.problem = "there is not enough memory to draw this",
                      .cure = "draw on a machine with more, or a scene with fewer triangles"});
    }
    PLUSH_ASSERT(error == RTC_ERROR_NONE);
    return {};
}

std::optional<RayHit> RayScene::first(const Ray& ray) const {
    const Impl& my = *impl_;
    RTCRayHit query{to_embree(ray, my.origin), {}};
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(my.scene.get(), &context, &query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return std::nullopt;
    const bool instance = query.hit.instID[0] != RTC_INVALID_GEOMETRY_ID;
    const unsigned object = instance ? query.hit.instID[0] : query.hit.geomID;
    const Vec3 normal = to_double({query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z});
    return RayHit{.distance = static_cast<double>(query.ray.tfar),
                  .object = static_cast<int>(object),
                  .primitive = static_cast<int>(query.hit.primID),
                  .u = static_cast<double>(query.hit.u),
                  .v = static_cast<double>(query.hit.v),
                  .normal = normalised(rotate(my.rotations[object], normal))};
}

bool RayScene::blocked(const Ray& ray) const {
    RTCRay query = to_embree(ray, impl_->origin);
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(impl_->scene.get(), &context, &query);
    return query.tfar < 0;  // −∞ where something was hit
}

}  // namespace plush::render
