#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "plush/bodies/look.hpp"
#include "plush/core/error.hpp"
#include "plush/core/state.hpp"
#include "plush/math/rotation.hpp"

// frames.plush: what a run looked like, frame after frame. The file only ever grows, every chunk in it
// carries a checksum, and it can be read while it is being written. docs/formats.md gives it byte by byte.

namespace plush {

/// Single precision: these numbers are for eyes. Poses stay double, exports may want them back.
struct Vec3f {
    float x = 0, y = 0, z = 0;
    bool operator==(const Vec3f&) const = default;
};
template <>
inline constexpr bool is_plain_state<Vec3f> = true;

/// A mesh that frames refer to.
struct FrameMesh {
    std::vector<Vec3f> positions{};         ///< in the body's frame, m; at rest, of a deformable one
    std::vector<std::int32_t> triangles{};  ///< three indices each, counter-clockwise from outside
    std::vector<std::int32_t> segments{};   ///< two indices each, drawn as round tubes: ropes, springs
};

/// With a mesh and no points: rigid. With points and no mesh: particles. With both: deformable; its points
/// are where the vertices of its mesh are, in the world, one for each.
struct FrameBody {
    std::string name{};
    std::string kind{};        ///< "rigid", "fixed", "scripted", "particles", ...
    std::int32_t mesh = -1;    ///< of FramesHeader::meshes; −1: nothing but its points
    std::uint64_t points = 0;  ///< 0: the body has a pose; else so many points in every frame
    double radius = 0;         ///< of each point, or of the tubes along the mesh's segments, m
    Vec3f normal{};            ///< of a half-space, outward, in the body's frame; zero: it is none
    std::int32_t colour = -1;  ///< 0xRRGGBB, sRGB; −1: chosen by who draws
    Finish finish = Finish::matt;
};

/// What all frames of a run share.
struct FramesHeader {
    std::string scene{};
    double step = 0;                  ///< h, s
    double frame_rate = 0;            ///< frames a second of simulated time
    Vec3 gravity{};                   ///< m/s²; pictures take its other end for up
    std::vector<FrameMesh> meshes{};  ///< each distinct mesh once
    std::vector<FrameBody> bodies{};  ///< in the order of the world
};

/// A contact of a frame.
struct FrameContact {
    std::uint32_t a = 0, b = 0;  ///< of FramesHeader::bodies
    Vec3f point{};               ///< m
    Vec3f normal{};              ///< unit; towards a
    Vec3f force{};               ///< on a, friction included, N
    float depth = 0;             ///< m; negative for a gap
    std::uint32_t sticking = 0;  ///< 1: friction holds it; 0: it slips, or nothing presses
    bool operator==(const FrameContact&) const = default;
};
template <>
inline constexpr bool is_plain_state<FrameContact> = true;

/// The surface of a deformable body that was cut: from then on it is in every frame, in place of the
/// triangles of its mesh.
struct FrameSurface {
    std::uint32_t body = 0;                 ///< of FramesHeader::bodies
    std::uint64_t points = 0;               ///< as many as it has in this frame
    std::vector<std::int32_t> triangles{};  ///< three indices each, of those points
    bool operator==(const FrameSurface&) const = default;
};

/// What a run looked like at one time.
struct Frame {
    std::int64_t step = 0;
    double time = 0;                     ///< s
    std::vector<std::uint8_t> asleep{};  ///< one a body, 0 or 1
    std::vector<Transform> poses{};      ///< of the bodies without points, in their order
    std::vector<Vec3f> points{};         ///< of the bodies with points, one body after the other
    std::vector<FrameContact> contacts{};
    std::vector<FrameSurface> surfaces{};  ///< by body, rising; most runs have none
    bool operator==(const Frame&) const = default;

    /// That of a body; null where it is that of its mesh.
    PLUSH_API const FrameSurface* surface_of(std::size_t body) const;
    /// How many of the points are a body's.
    std::uint64_t points_of(const FramesHeader& header, std::size_t body) const {
        const FrameSurface* surface = surface_of(body);
        return surface ? surface->points : header.bodies[body].points;
    }
};

/// Writes frames. A failed write leaves all earlier frames readable.
class PLUSH_API FrameWriter {
public:
    /// A new file, replacing an old one.
    static Result<FrameWriter> create(const std::filesystem::path& file, const FramesHeader& header);
    /// Goes on with a file after its first `bytes` bytes; later frames are cut off. Refused where the file is
    /// of another format.
    static Result<FrameWriter> resume(const std::filesystem::path& file, std::uint64_t bytes);
    FrameWriter(FrameWriter&&) noexcept;
    FrameWriter& operator=(FrameWriter&&) noexcept;
    ~FrameWriter();

    Result<void> write(const Frame& frame);
    Result<void> sync();          ///< onto the disk
    std::uint64_t bytes() const;  ///< of whole chunks in the file

private:
    struct Impl;
    explicit FrameWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Bytes of a file of frames that are no chunk, or one whose checksum is wrong where the reader looked.
struct FrameDamage {
    std::uint64_t begin = 0, end = 0;  ///< bytes of the file
    std::size_t frame = 0;             ///< the first that stands behind it
    /// "bytes 120 to 480, before frame 3".
    PLUSH_API std::string place() const;
    bool operator==(const FrameDamage&) const = default;
};

/// Reads frames in any order, also those behind damage. Holds the header and sixteen bytes a frame in memory, never the frames.
class PLUSH_API FrameReader {
public:
    static Result<FrameReader> open(const std::filesystem::path& file);
    /// With a header in place of the file's own, which is damaged: the frames that are found in the rest.
    static Result<FrameReader> open_without_header(const std::filesystem::path& file,
                                                   const FramesHeader& header);
    bool own_header() const;
    FrameReader(FrameReader&&) noexcept;
    FrameReader& operator=(FrameReader&&) noexcept;
    ~FrameReader();

    const FramesHeader& header() const;
    std::size_t frames() const;  ///< whole ones, as of the last look at the file
    /// Frame k, into `frame`, whose memory is used again. An Error where the frame is damaged: the others may
    /// still be good.
    Result<void> read(std::size_t k, Frame& frame);
    /// Looks for frames that were written since; returns their number.
    std::size_t refresh();

    /// What lies between the frames that were found. Heads alone are read for it: a frame whose content is damaged is
    /// found by read().
    const std::vector<FrameDamage>& damage() const;

    /// How the file ends.
    enum class Tail {
        whole,       ///< the file ends with a frame
        incomplete,  ///< with a part of one: it is being written, or the writer was stopped
        damaged,     ///< nothing can be found after the last frame, although there are bytes
    };
    Tail tail() const;

private:
    struct Impl;
    explicit FrameReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace plush
