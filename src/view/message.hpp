#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Binary messages of the stream, as docs/viewer-protocol.md has them: a header of 16 bytes, then sections with headers of
// 16 bytes, all 4-byte aligned and little endian.

namespace plush::view {

static_assert(std::endian::native == std::endian::little, "messages are written as memory has them");

inline constexpr std::uint32_t message_magic = 0x31564C50;  // "PLV1"

enum class MessageType : std::uint32_t { scene = 1, frame = 2, state = 3, bodies = 4, ping = 5 };

enum class SectionKind : std::uint32_t {
    meta = 1,
    mesh_positions = 2,
    mesh_triangles = 3,
    mesh_segments = 4,
    skin_index = 5,
    skin_weight = 6,
    tets = 7,
    poses = 16,
    points = 17,
    flags = 18,
    drags = 19,
    pins = 20,
    contacts = 32,
    cells = 33,
    strain = 34,
    velocities = 35,
    body_velocities = 36,
    joints = 37,
    inverted = 38,
};

/// Appends messages to a buffer.
class MessageWriter {
public:
    explicit MessageWriter(std::vector<std::byte>& out) : out_(out) {}

    void begin(MessageType type, std::uint32_t world);
    void section(SectionKind kind, std::uint32_t subject, std::size_t count, std::span<const std::byte> data);
    template <class T>
    void section(SectionKind kind, std::uint32_t subject, std::size_t count, const std::vector<T>& data) {
        section(kind, subject, count, std::as_bytes(std::span(data)));
    }
    /// Padded with spaces, so that a page may parse all of it.
    void json(std::string_view text);
    void end();

private:
    void word(std::uint32_t value);
    std::vector<std::byte>& out_;
    std::size_t start_ = 0;
};

/// Appends words of 4 bytes: elements of sections.
class Words {
public:
    Words& operator<<(std::uint32_t v) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + 4);
        std::memcpy(bytes_.data() + at, &v, 4);
        return *this;
    }
    Words& operator<<(float v) { return *this << std::bit_cast<std::uint32_t>(v); }
    Words& operator<<(double v) { return *this << static_cast<float>(v); }
    template <class V>
    requires requires(const V& v) { v.x, v.y, v.z; }
    Words& operator<<(const V& v) { return *this << v.x << v.y << v.z; }
    std::vector<std::byte>& bytes() { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

}  // namespace plush::view
