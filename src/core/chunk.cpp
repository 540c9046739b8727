#include "core/chunk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace plush {

namespace {

std::uint32_t head_check(const ChunkType& type, std::uint64_t length) {
    std::array<std::byte, 12> bytes;
    std::memcpy(bytes.data(), type.data(), 4);
    std::memcpy(bytes.data() + 4, &length, 8);
    return static_cast<std::uint32_t>(checksum(bytes));
}

}  // namespace

void append_chunk(std::vector<std::byte>& out, const ChunkType& type, std::span<const std::byte> payload) {
    const std::size_t start = out.size();
    out.resize(start + chunk_head_bytes + payload.size() + chunk_sum_bytes);
    std::byte* head = out.data() + start;
    const std::uint64_t length = payload.size();
    const std::uint32_t check = head_check(type, length);
    std::memcpy(head, type.data(), 4);
    std::memcpy(head + 4, &check, 4);
    std::memcpy(head + 8, &length, 8);
    if (!payload.empty()) std::memcpy(head + chunk_head_bytes, payload.data(), payload.size());
    const std::size_t covered = chunk_head_bytes + payload.size();
    const std::uint64_t sum = checksum({head, covered});
    std::memcpy(head + covered, &sum, 8);
}

ChunkState find_chunk(const ReadFile& file, std::uint64_t offset, std::uint64_t size, ChunkPlace& place) {
    if (offset > size || size - offset < chunk_head_bytes) return ChunkState::incomplete;
    std::array<std::byte, chunk_head_bytes> head;
    if (!file.read(offset, head)) return ChunkState::incomplete;
    std::uint32_t check;
    std::memcpy(place.type.data(), head.data(), 4);
    std::memcpy(&check, head.data() + 4, 4);
    std::memcpy(&place.length, head.data() + 8, 8);
    if (check != head_check(place.type, place.length)) return ChunkState::damaged;
    place.payload = offset + chunk_head_bytes;
    const std::uint64_t left = size - place.payload;
    if (left < chunk_sum_bytes || place.length > left - chunk_sum_bytes) return ChunkState::incomplete;
    return ChunkState::whole;
}

Result<std::span<const std::byte>> read_chunk(const ReadFile& file, const ChunkPlace& place,
                                              std::vector<std::byte>& buffer) {
    const auto fail = [&](std::string problem) {
        return Error({.file = file.path().string(),
                      .place = fmt::format("byte {}", place.payload - chunk_head_bytes),
                      .problem = std::move(problem),
                      .cure = "copy the file again, or run the scene again"});
    };
    // find_chunk() saw that the file is long enough; one that shrank since ends the read below. Head, payload
    // and sum together: one read, and one pass of the checksum.
    const std::uint64_t covered = chunk_head_bytes + place.length;
    buffer.resize(covered + chunk_sum_bytes);
    if (!file.read(place.payload - chunk_head_bytes, buffer)) return fail("the chunk here cannot be read");
    const std::span<const std::byte> all(buffer);
    std::uint64_t sum;
    std::memcpy(&sum, buffer.data() + covered, chunk_sum_bytes);
    if (sum != checksum(all.first(covered))) return fail("the chunk here is damaged: its checksum is wrong");
    return all.subspan(chunk_head_bytes, place.length);
}

namespace {

/// Enough to make the scan as fast as the disk.
constexpr std::size_t scan_bytes = std::size_t{1} << 20;

}  // namespace

std::optional<std::uint64_t> next_chunk(const ReadFile& file, std::uint64_t from, std::uint64_t size,
                                        const ChunkType& type) {
    std::vector<std::byte> window, buffer;
    const std::array<std::byte, 4> letters = std::bit_cast<std::array<std::byte, 4>>(type);
    while (from + chunk_head_bytes <= size) {
        window.resize(std::min<std::uint64_t>(scan_bytes, size - from));
        if (!file.read(from, window)) return std::nullopt;
        auto at = window.begin();
        while ((at = std::search(at, window.end(), letters.begin(), letters.end())) != window.end()) {
            const std::uint64_t offset = from + static_cast<std::uint64_t>(at - window.begin());
            ChunkPlace place;
            if (find_chunk(file, offset, size, place) == ChunkState::whole && read_chunk(file, place, buffer))
                return offset;
            ++at;
        }
        // The letters may stand across the border of two windows.
        from += window.size() < scan_bytes ? window.size() : window.size() - letters.size() + 1;
    }
    return std::nullopt;
}

Result<void> check_signature(const ReadFile& file, const Signature& signature, std::string_view what) {
    Signature found{};
    if (file.read(0, std::as_writable_bytes(std::span(found))) && found == signature) return {};
    return Error({.file = file.path().string(),
                  .place = "byte 0",
                  .problem = fmt::format("this is not {}", what),
                  .cure = "name a file or folder that plush run has written"});
}

}  // namespace plush
