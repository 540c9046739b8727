#include "plush/record/frames.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/assert.hpp"
#include "record/blocks.hpp"

// The format is the visiting order of the structs below: numbers as they lie in memory (little-endian), and
// before each text and list its length as 8 bytes. Header and frames are made of typed blocks
// (record/blocks.hpp).

namespace plush {

void visit_state(StateVisitor& v, FrameMesh& m) {
    v(m.positions, m.triangles, m.segments);
}

void visit_state(StateVisitor& v, FrameBody& b) {
    v(b.name, b.kind, b.mesh, b.points, b.radius, b.normal);
}

void visit_state(StateVisitor& v, FrameSurface& s) {
    v(s.body, s.points, s.triangles);
}

const FrameSurface* Frame::surface_of(std::size_t body) const {
    const auto place = std::lower_bound(surfaces.begin(), surfaces.end(), body,
                                        [](const FrameSurface& s, std::size_t b) { return s.body < b; });
    return place != surfaces.end() && place->body == body ? &*place : nullptr;
}

namespace {

constexpr Signature signature{'p', 'l', 'u', 's', 'h', 'f', 'r', 'm'};
constexpr ChunkType header_type{'H', 'E', 'A', 'D'};
constexpr ChunkType frame_type{'F', 'R', 'A', 'M'};
constexpr std::uint32_t format_version = 3;
// The blocks of a header, and those of a frame. All are needed.
constexpr ChunkType info_block{'I', 'N', 'F', 'O'}, mesh_block{'M', 'E', 'S', 'H'},
    body_block{'B', 'O', 'D', 'Y'};
/// Colours and finishes, one a body; only where some body has one of its own. Older readers pass over it.
constexpr ChunkType look_block{'L', 'O', 'O', 'K'};
constexpr ChunkType time_block{'T', 'I', 'M', 'E'}, sleep_block{'A', 'S', 'L', 'P'},
    pose_block{'P', 'O', 'S', 'E'}, point_block{'P', 'N', 'T', 'S'}, contact_block{'C', 'O', 'N', 'T'};
/// Only where a body was cut.
constexpr ChunkType surface_block{'S', 'U', 'R', 'F'};
/// More points than any machine holds: keeps the sums of lying headers from running over.
constexpr std::uint64_t max_points = std::uint64_t{1} << 40;

/// What every frame of a file must have, from its header.
struct FrameShape {
    std::size_t bodies = 0, poses = 0;
    std::vector<std::uint64_t> points{};  ///< of each body
    std::vector<std::uint8_t> deformable{};

    explicit FrameShape(const FramesHeader& header) : bodies(header.bodies.size()) {
        for (const FrameBody& body : header.bodies) {
            poses += body.points == 0;
            points.push_back(body.points);
            deformable.push_back(body.points > 0 && body.mesh >= 0);
        }
    }
    /// Surfaces in order, of deformable bodies, and with triangles of their own points.
    bool surfaces_fit(const Frame& frame) const {
        for (std::size_t k = 0; k < frame.surfaces.size(); ++k) {
            const FrameSurface& s = frame.surfaces[k];
            if (s.body >= bodies || !deformable[s.body] || s.points > max_points ||
                (k > 0 && s.body <= frame.surfaces[k - 1].body) || s.triangles.size() % 3 != 0 ||
                !std::all_of(s.triangles.begin(), s.triangles.end(), [&](std::int32_t i) {
                    return i >= 0 && static_cast<std::uint64_t>(i) < s.points;
                }))
                return false;
        }
        return true;
    }
    std::uint64_t points_in(const Frame& frame) const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < bodies; ++i) {
            const FrameSurface* surface = frame.surface_of(i);
            sum += surface ? surface->points : points[i];
        }
        return sum;
    }
    bool fits(const Frame& frame) const {
        return frame.asleep.size() == bodies && frame.poses.size() == poses && surfaces_fit(frame) &&
               frame.points.size() == points_in(frame) &&
               std::all_of(frame.contacts.begin(), frame.contacts.end(),
                           [&](const FrameContact& c) { return c.a < bodies && c.b < bodies; });
    }
};

std::vector<std::byte> header_bytes(const FramesHeader& h) {
    std::vector<std::byte> bytes = state_bytes(format_version);
    append_block(bytes, info_block, h.scene, h.step, h.frame_rate, h.gravity);
    append_block(bytes, mesh_block, h.meshes);
    append_block(bytes, body_block, h.bodies);
    std::vector<std::int32_t> colours, finishes;
    for (const FrameBody& b : h.bodies) {
        colours.push_back(b.colour);
        finishes.push_back(static_cast<std::int32_t>(b.finish));
    }
    const auto plain = [](const FrameBody& b) { return b.colour < 0 && b.finish == Finish::matt; };
    if (!std::all_of(h.bodies.begin(), h.bodies.end(), plain))
        append_block(bytes, look_block, colours, finishes);
    return bytes;
}

/// One colour and one finish a body, each within bounds.
bool take_looks(std::span<const std::int32_t> colours, std::span<const std::int32_t> finishes,
                FramesHeader& h) {
    if (colours.empty() && finishes.empty()) return true;
    if (colours.size() != h.bodies.size() || finishes.size() != h.bodies.size()) return false;
    for (std::size_t i = 0; i < colours.size(); ++i) {
        if (colours[i] < -1 || colours[i] > 0xFFFFFF) return false;
        if (finishes[i] < 0 || finishes[i] > static_cast<int>(Finish::translucent)) return false;
        h.bodies[i].colour = colours[i], h.bodies[i].finish = static_cast<Finish>(finishes[i]);
    }
    return true;
}

bool read_header_blocks(std::span<const std::byte> bytes, FramesHeader& h) {
    int found = 0;
    std::vector<std::int32_t> colours, finishes;
    return each_block(bytes,
                      [&](const ChunkType& type, std::span<const std::byte> content) {
                          const auto take = [&](auto&... values) {
                              ++found;
                              return read_block(content, values...);
                          };
                          if (type == look_block) return read_block(content, colours, finishes);
                          if (type == info_block) return take(h.scene, h.step, h.frame_rate, h.gravity);
                          if (type == mesh_block) return take(h.meshes);
                          if (type == body_block) return take(h.bodies);
                          return true;
                      }) &&
           found == 3 && take_looks(colours, finishes, h);
}

void append_frame(std::vector<std::byte>& out, const Frame& f) {
    append_block(out, time_block, f.step, f.time);
    append_block(out, sleep_block, f.asleep);
    append_block(out, pose_block, f.poses);
    append_block(out, point_block, f.points);
    append_block(out, contact_block, f.contacts);
    if (!f.surfaces.empty()) append_block(out, surface_block, f.surfaces);
}

bool read_frame_blocks(std::span<const std::byte> bytes, Frame& f) {
    int found = 0;
    f.surfaces.clear();
    return each_block(bytes,
                      [&](const ChunkType& type, std::span<const std::byte> content) {
                          const auto take = [&](auto&... values) {
                              ++found;
                              return read_block(content, values...);
                          };
                          if (type == surface_block) return read_block(content, f.surfaces);
                          if (type == time_block) return take(f.step, f.time);
                          if (type == sleep_block) return take(f.asleep);
                          if (type == pose_block) return take(f.poses);
                          if (type == point_block) return take(f.points);
                          if (type == contact_block) return take(f.contacts);
                          return true;
                      }) &&
           found == 5;
}

/// An empty text where everything in the header refers to something that is there.
std::string header_problem(const FramesHeader& header) {
    for (std::size_t i = 0; i < header.meshes.size(); ++i) {
        const FrameMesh& mesh = header.meshes[i];
        const auto count = static_cast<std::int64_t>(mesh.positions.size());
        const auto good = [&](const std::vector<std::int32_t>& indices, std::size_t each) {
            return indices.size() % each == 0 &&
                   std::all_of(indices.begin(), indices.end(),
                               [&](std::int32_t k) { return k >= 0 && k < count; });
        };
        if (!good(mesh.triangles, 3))
            return fmt::format("mesh {} has a triangle that names a vertex it has not", i);
        if (!good(mesh.segments, 2))
            return fmt::format("mesh {} has a segment that names a vertex it has not", i);
    }
    const auto meshes = static_cast<std::int64_t>(header.meshes.size());
    for (std::size_t i = 0; i < header.bodies.size(); ++i) {
        const FrameBody& body = header.bodies[i];
        if (body.mesh < -1 || body.mesh >= meshes)
            return fmt::format("body {} names a mesh that is not there", i);
        if (body.points > max_points) return fmt::format("body {} has too many points", i);
        if (body.mesh < 0 || body.points == 0) continue;
        const std::size_t vertices = header.meshes[static_cast<std::size_t>(body.mesh)].positions.size();
        if (body.points != vertices)
            return fmt::format("body {} has {} points for the {} vertices of its mesh", i, body.points,
                               vertices);
    }
    return {};
}

}  // namespace

struct FrameWriter::Impl {
    GrowingFile file;
    std::vector<std::byte> chunk{}, payload{};
};

FrameWriter::FrameWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FrameWriter::FrameWriter(FrameWriter&&) noexcept = default;
FrameWriter& FrameWriter::operator=(FrameWriter&&) noexcept = default;
FrameWriter::~FrameWriter() = default;

Result<FrameWriter> FrameWriter::create(const std::filesystem::path& path, const FramesHeader& header) {
    PLUSH_ASSERT(header_problem(header).empty());
    auto file = GrowingFile::create(path);
    if (!file) return file.error();
    auto impl = std::make_unique<Impl>(Impl{std::move(file).value()});
    const auto letters = std::as_bytes(std::span(signature));
    impl->chunk.assign(letters.begin(), letters.end());
    append_chunk(impl->chunk, header_type, header_bytes(header));
    if (auto written = impl->file.write(impl->chunk); !written) return written.error();
    return FrameWriter(std::move(impl));
}

Result<FrameWriter> FrameWriter::resume(const std::filesystem::path& path, std::uint64_t bytes) {
    if (auto old = FrameReader::open(path); !old) return old.error();
    auto file = GrowingFile::resume(path, bytes);
    if (!file) return file.error();
    return FrameWriter(std::make_unique<Impl>(Impl{std::move(file).value()}));
}

Result<void> FrameWriter::write(const Frame& frame) {
    impl_->chunk.clear(), impl_->payload.clear();
    append_frame(impl_->payload, frame);
    append_chunk(impl_->chunk, frame_type, impl_->payload);
    return impl_->file.write(impl_->chunk);
}

Result<void> FrameWriter::sync() {
    return impl_->file.sync();
}

std::uint64_t FrameWriter::bytes() const {
    return impl_->file.size();
}

struct FrameReader::Impl {
    struct Place {
        std::uint64_t payload, length;
    };
    ReadFile file;
    FramesHeader header{};
    FrameShape shape{header};
    std::vector<Place> index{};
    std::uint64_t scanned = 0;  // up to here the file was read
    std::vector<FrameDamage> damage{};
    Tail tail = Tail::whole;
    bool own_header = true;
    std::vector<std::byte> buffer{};

    Result<void> read_header();
    bool skip_damage(std::uint64_t size);
};

FrameReader::FrameReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FrameReader::FrameReader(FrameReader&&) noexcept = default;
FrameReader& FrameReader::operator=(FrameReader&&) noexcept = default;
FrameReader::~FrameReader() = default;

Result<void> FrameReader::Impl::read_header() {
    const auto fail = [&](std::string problem,
                          std::string cure = "copy the file again, or run the scene again") {
        return Error({.file = file.path().string(),
                      .place = "header",
                      .problem = std::move(problem),
                      .cure = std::move(cure)});
    };
    if (auto checked = check_signature(file, signature, "a file of frames"); !checked) return checked;
    ChunkPlace place;
    const ChunkState state = find_chunk(file, sizeof(Signature), file.size(), place);
    if (state == ChunkState::incomplete) {
        return fail("the file ends inside its header",
                    "wait for the run to write it, or run the scene again");
    }
    if (state == ChunkState::damaged) return fail("the header is damaged");
    if (place.type != header_type) return fail("the first chunk is not a header");
    const auto payload = read_chunk(file, place, buffer);
    if (!payload) return payload.error();
    const std::span<const std::byte> bytes = payload.value();
    std::uint32_t version = 0;
    if (bytes.size() < sizeof version) return fail("the header is empty");
    std::memcpy(&version, bytes.data(), sizeof version);
    if (version != format_version) {
        return fail(
            fmt::format("format {} is not the one that this Plush reads ({})", version, format_version),
            version < format_version ? "run the scene again: an older Plush wrote this file"
                                     : "read it with the version of Plush that wrote it");
    }
    if (!read_header_blocks(bytes.subspan(sizeof version), header)) {
        return fail("the header does not have the length that its content needs");
    }
    if (const std::string problem = header_problem(header); !problem.empty()) return fail(problem);
    shape = FrameShape(header);
    scanned = place.end();
    return {};
}

Result<FrameReader> FrameReader::open(const std::filesystem::path& path) {
    auto file = ReadFile::open(path);
    if (!file) return file.error();
    auto impl = std::make_unique<Impl>(Impl{std::move(file).value()});
    if (auto read = impl->read_header(); !read) return read.error();
    FrameReader reader(std::move(impl));
    reader.refresh();
    return reader;
}

/// Goes to the next frame behind `scanned`, where no chunk starts; false where there is none. A file that has lost bytes inside
/// a chunk has that chunk's head and the next one's within its length: the search starts there.
bool FrameReader::Impl::skip_damage(std::uint64_t size) {
    std::uint64_t begin = scanned;
    if (!index.empty()) {
        const Place last = index.back();
        const ChunkPlace place{frame_type, last.payload, last.length};
        if (place.end() == scanned && !read_chunk(file, place, buffer)) {
            begin = last.payload - chunk_head_bytes;
            index.pop_back();
        }
    }
    const auto next = next_chunk(file, begin + 1, size, frame_type);
    if (!next) {
        if (begin != scanned) damage.push_back({begin, scanned, index.size()});
        return false;
    }
    damage.push_back({begin, *next, index.size()});
    scanned = *next;
    return true;
}

Result<FrameReader> FrameReader::open_without_header(const std::filesystem::path& path,
                                                     const FramesHeader& header) {
    auto file = ReadFile::open(path);
    if (!file) return file.error();
    auto impl = std::make_unique<Impl>(Impl{std::move(file).value()});
    impl->header = header;
    impl->shape = FrameShape(header);
    impl->own_header = false;
    impl->skip_damage(impl->file.size());
    FrameReader reader(std::move(impl));
    reader.refresh();
    return reader;
}

bool FrameReader::own_header() const {
    return impl_->own_header;
}

std::size_t FrameReader::refresh() {
    Impl& my = *impl_;
    const std::size_t before = my.index.size();
    const std::uint64_t size = my.file.size();
    my.tail = Tail::whole;
    while (my.scanned < size) {
        ChunkPlace place;
        const ChunkState state = find_chunk(my.file, my.scanned, size, place);
        if (state != ChunkState::whole) {
            if (state == ChunkState::damaged && my.skip_damage(size)) continue;
            my.tail = state == ChunkState::incomplete ? Tail::incomplete : Tail::damaged;
            break;
        }
        // Chunks of other types are for readers that know them.
        if (place.type == frame_type) my.index.push_back({place.payload, place.length});
        my.scanned = place.end();
    }
    return my.index.size() > before ? my.index.size() - before : 0;
}

Result<void> FrameReader::read(std::size_t k, Frame& frame) {
    Impl& my = *impl_;
    const auto fail = [&](std::string problem, std::string cure) {
        return Error({.file = my.file.path().string(),
                      .place = fmt::format("frame {}", k),
                      .problem = std::move(problem),
                      .cure = std::move(cure)});
    };
    if (k >= my.index.size()) {
        return fail("there is no such frame",
                    fmt::format("the file has {}, counted from 0", my.index.size()));
    }
    const Impl::Place at = my.index[k];
    const auto payload = read_chunk(my.file, {frame_type, at.payload, at.length}, my.buffer);
    if (!payload) return fail(payload.error().problem(), payload.error().cure());
    if (!read_frame_blocks(payload.value(), frame) || !my.shape.fits(frame)) {
        return fail("it does not fit the bodies in the header", "run the scene again");
    }
    return {};
}

const FramesHeader& FrameReader::header() const {
    return impl_->header;
}

std::size_t FrameReader::frames() const {
    return impl_->index.size();
}

FrameReader::Tail FrameReader::tail() const {
    return impl_->tail;
}

const std::vector<FrameDamage>& FrameReader::damage() const {
    return impl_->damage;
}

std::string FrameDamage::place() const {
    return fmt::format("bytes {} to {}, before frame {}", begin, end, frame);
}

}  // namespace plush
