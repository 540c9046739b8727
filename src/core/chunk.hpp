#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/file.hpp"
#include "plush/core/state.hpp"

// The envelope of everything binary that a run writes (docs/formats.md):
//
//     signature (8 bytes)   chunk   chunk   chunk …
//
//     chunk:  type    4 bytes, letters
//             check   4 bytes, the low half of XXH3(type, length)
//             length  8 bytes, of the payload
//             payload
//             sum     8 bytes, XXH3(type, check, length, payload)
//
// The check in the head tells a chunk that is still being written (the file just ends) from a damaged one
// (the length itself is wrong): without it a flipped bit in a length would look like an incomplete tail.

namespace plush {

using Signature = std::array<char, 8>;
using ChunkType = std::array<char, 4>;

inline constexpr std::uint64_t chunk_head_bytes = 16;
inline constexpr std::uint64_t chunk_sum_bytes = 8;

/// The bytes of some state, by its visit_state().
template <class... T>
std::vector<std::byte> state_bytes(const T&... values) {
    StateWriter writer;
    writer(const_cast<T&>(values)...);  // a writer only reads
    return writer.take();
}

/// Adds a whole chunk to `out`.
void append_chunk(std::vector<std::byte>& out, const ChunkType& type, std::span<const std::byte> payload);

struct ChunkPlace {
    ChunkType type{};
    std::uint64_t payload = 0;  ///< offset of the payload
    std::uint64_t length = 0;   ///< of the payload
    std::uint64_t end() const { return payload + length + chunk_sum_bytes; }
};

enum class ChunkState {
    whole,       ///< all its bytes are there
    incomplete,  ///< the file ends inside it
    damaged,     ///< the head is not one that Plush wrote
};

/// What stands at `offset` of a file of `size` bytes. Reads the head only.
ChunkState find_chunk(const ReadFile& file, std::uint64_t offset, std::uint64_t size, ChunkPlace& place);

/// The payload, checked against its sum, as a part of `buffer`. Allocates no more than the file holds.
Result<std::span<const std::byte>> read_chunk(const ReadFile& file, const ChunkPlace& place,
                                              std::vector<std::byte>& buffer);

/// The first offset from `from` on where a whole chunk of this type starts, checked against its sum: where a reader goes on
/// behind bytes that are no chunk.
std::optional<std::uint64_t> next_chunk(const ReadFile& file, std::uint64_t from, std::uint64_t size,
                                        const ChunkType& type);

/// An Error unless the file starts with the signature. `what` names the kind of file.
Result<void> check_signature(const ReadFile& file, const Signature& signature, std::string_view what);

}  // namespace plush
