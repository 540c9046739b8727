#pragma once

#include <png.h>

#include "plush/geometry/generate.hpp"
#include "plush/record/frames.hpp"
#include "render/picture.hpp"
#include "support/files.hpp"

namespace plush::test {

inline FrameMesh frame_mesh(const Mesh& mesh) {
    FrameMesh out;
    for (const Vec3& p : mesh.positions())
        out.positions.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
    for (const Triangle& t : mesh.triangles()) out.triangles.insert(out.triangles.end(), t.begin(), t.end());
    return out;
}

/// A ball of radius 0.25 m that moves along x, 0.1 m a frame, above a ground; there is a contact in front of
/// it in every frame: it slips in odd ones.
struct SmallRun {
    double frame_rate = 30;
    std::size_t ballast = 0;  ///< more contacts a frame, so that frames are large
    double sunk = 0;          ///< how far it is in the ground, m

    FramesHeader header() const {
        FramesHeader h{
            .scene = "small", .step = 1.0 / 60, .frame_rate = frame_rate, .gravity = {0, -9.81, 0}};
        h.meshes.push_back(frame_mesh(shapes::icosphere(0.25, 320)));
        h.bodies.push_back({.name = "ground", .kind = "fixed", .normal = {0, 1, 0}});
        h.bodies.push_back({.name = "ball", .kind = "rigid", .mesh = 0});
        return h;
    }
    Frame frame(int k) const {
        Frame f{.step = 2 * k, .time = k / frame_rate};
        const double x = 0.1 * k;
        f.asleep = {0, 0};
        f.poses = {{}, {.position = {x, 0.25 - sunk, 0}}};
        f.contacts.assign(1 + ballast, {.a = 1,
                                        .b = 0,
                                        .point = {static_cast<float>(x), 0.05f, 0.45f},
                                        .normal = {0, 1, 0},
                                        .force = {-3, 10, 0},
                                        .depth = 0.001f,
                                        .sticking = k % 2 == 0});
        return f;
    }
    void write(const std::filesystem::path& folder, int frames) const {
        std::filesystem::create_directories(folder);
        FrameWriter writer = FrameWriter::create(folder / "frames.plush", header()).value();
        for (int k = 0; k < frames; ++k) writer.write(frame(k)).value();
    }
};

/// libpng's own reader; an empty picture where it cannot read the file.
inline render::Picture read_png(const std::filesystem::path& file) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, file.c_str())) return {};
    image.format = PNG_FORMAT_RGB;
    render::Picture picture(static_cast<int>(image.width), static_cast<int>(image.height));
    if (!png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr)) return {};
    return picture;
}

/// Linear light.
inline Vec3 pixel(const render::Picture& picture, double x, double y) {
    const std::uint8_t* p = picture.rgb.data() + picture.at(static_cast<int>(x), static_cast<int>(y));
    using render::to_linear;
    return {to_linear(p[0] / 255.0), to_linear(p[1] / 255.0), to_linear(p[2] / 255.0)};
}

}  // namespace plush::test
