#include "plush/core/state.hpp"

#include <xxhash.h>

#include <bit>
#include <cstring>

namespace plush {

static_assert(std::endian::native == std::endian::little, "snapshots are little-endian");

void StateWriter::bytes(void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
}

std::size_t StateWriter::length(std::size_t size, std::size_t) {
    std::uint64_t n = size;
    bytes(&n, sizeof n);
    return size;
}

void StateReader::bytes(void* data, std::size_t size) {
    if (size == 0) return;
    if (short_ || size > rest_.size()) {
        short_ = true;
        std::memset(data, 0, size);
        return;
    }
    std::memcpy(data, rest_.data(), size);
    rest_ = rest_.subspan(size);
}

std::size_t StateReader::length(std::size_t, std::size_t element_size) {
    std::uint64_t n = 0;
    bytes(&n, sizeof n);
    if (short_ || n > rest_.size() / element_size) {
        short_ = true;
        return 0;
    }
    return static_cast<std::size_t>(n);
}

Result<void> StateReader::finish() const {
    if (!short_ && rest_.empty()) return {};
    return Error({.problem = short_ ? "the snapshot ends too early or belongs to another world"
                                    : "the snapshot holds more than this world has",
                  .cure = "restore it into a world built from the same scene by the same version of Plush"});
}

struct StateHasher::Hidden {
    XXH3_state_t* state;
};

StateHasher::StateHasher() : hidden_(new Hidden{XXH3_createState()}) {
    XXH3_64bits_reset(hidden_->state);
}

StateHasher::~StateHasher() {
    XXH3_freeState(hidden_->state);
    delete hidden_;
}

void StateHasher::bytes(void* data, std::size_t size) {
    XXH3_64bits_update(hidden_->state, data, size);
}

std::size_t StateHasher::length(std::size_t size, std::size_t) {
    std::uint64_t n = size;
    bytes(&n, sizeof n);
    return size;
}

std::uint64_t StateHasher::digest() const {
    return XXH3_64bits_digest(hidden_->state);
}

std::uint64_t checksum(std::span<const std::byte> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace plush
