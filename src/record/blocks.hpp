#pragma once

#include <cstring>

#include "core/chunk.hpp"

// Inside a chunk of frames.plush: typed blocks, one after the other, so that later versions can add some (the
// vertices of soft bodies, tets, pressures) without a new format: a reader passes over those it does not
// know.
//
//     block:  type    4 bytes, letters
//             length  8 bytes, of the content
//             content

namespace plush {

inline constexpr std::size_t block_head_bytes = 12;

/// Adds a block with these values to `out`.
template <class... T>
void append_block(std::vector<std::byte>& out, const ChunkType& type, const T&... values) {
    const std::vector<std::byte> content = state_bytes(values...);
    const std::uint64_t length = content.size();
    const std::size_t start = out.size();
    out.resize(start + block_head_bytes);
    std::memcpy(out.data() + start, type.data(), 4);
    std::memcpy(out.data() + start + 4, &length, 8);
    out.insert(out.end(), content.begin(), content.end());
}

/// Calls `take(type, content)` for each block; false where a length is not that of the bytes that are there,
/// or `take` returns false.
template <class Take>
bool each_block(std::span<const std::byte> bytes, Take&& take) {
    while (!bytes.empty()) {
        if (bytes.size() < block_head_bytes) return false;
        ChunkType type;
        std::uint64_t length;
        std::memcpy(type.data(), bytes.data(), 4);
        std::memcpy(&length, bytes.data() + 4, 8);
        bytes = bytes.subspan(block_head_bytes);
        if (length > bytes.size() || !take(type, bytes.first(length))) return false;
        bytes = bytes.subspan(length);
    }
    return true;
}

/// The values of a block; false where it has too few bytes for them, or too many.
template <class... T>
bool read_block(std::span<const std::byte> content, T&... values) {
    StateReader reader(content);
    reader(values...);
    return reader.finish().ok();
}

}  // namespace plush
