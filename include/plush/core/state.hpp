#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "plush/core/error.hpp"
#include "plush/core/export.hpp"

// All state that a step reads is visited state. A type says once what its state is,
//
//     void visit_state(StateVisitor& v, RigidBody& body) { v(body.position, body.orientation, …); }
//
// and hash, snapshot and restore follow from that one function. A visitor that reads (hash, snapshot) leaves
// the state as it is; one that writes (restore) replaces it, resizing vectors as needed.

namespace plush {

/// Goes through state: hash, snapshot and restore are three of them.
class PLUSH_API StateVisitor {
public:
    virtual ~StateVisitor() = default;

    /// `size` raw bytes at `data`.
    virtual void bytes(void* data, std::size_t size) = 0;

    /// The length of a sequence whose elements take at least `element_size` bytes each: told to a reader,
    /// checked against what is left and returned by a restorer (0 after an error).
    virtual std::size_t length(std::size_t size, std::size_t element_size) = 0;

    template <class... T>
    void operator()(T&... values) {
        (visit(values), ...);
    }

private:
    template <class T>
    void visit(T& value);
    template <class T>
    void visit(std::vector<T>& values);
    void visit(std::string& text);
    template <class T, std::size_t N>
    void visit(std::array<T, N>& values);
    template <class T>
    void visit(std::optional<T>& value);
};

/// Types whose bytes are their state: numbers, enums, and structs that opt in because they have no padding.
template <class T>
inline constexpr bool is_plain_state = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class T>
void StateVisitor::visit(T& value) {
    if constexpr (is_plain_state<T>) {
        bytes(&value, sizeof(T));
    } else {
        visit_state(*this, value);  // found beside the type
    }
}

template <class T>
void StateVisitor::visit(std::vector<T>& values) {
    static_assert(!std::is_same_v<T, bool>, "use std::vector<std::uint8_t>");
    const std::size_t n = length(values.size(), is_plain_state<T> ? sizeof(T) : 1);
    if (n != values.size()) values.resize(n);
    if constexpr (is_plain_state<T>) {
        bytes(values.data(), n * sizeof(T));
    } else {
        for (T& value : values) visit(value);
    }
}

inline void StateVisitor::visit(std::string& text) {
    const std::size_t n = length(text.size(), 1);
    if (n != text.size()) text.resize(n);
    bytes(text.data(), n);
}

template <class T, std::size_t N>
void StateVisitor::visit(std::array<T, N>& values) {
    for (T& value : values) visit(value);
}

template <class T>
void StateVisitor::visit(std::optional<T>& value) {
    std::uint8_t present = value.has_value();
    bytes(&present, 1);
    if (present && !value) value.emplace();
    if (!present) value.reset();
    if (value) visit(*value);
}

/// Collects the bytes of a state.
class PLUSH_API StateWriter final : public StateVisitor {
public:
    void bytes(void* data, std::size_t size) override;
    std::size_t length(std::size_t size, std::size_t element_size) override;
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

/// Puts the bytes of a state back. Never reads past the end and never allocates more than there are bytes:
/// a damaged snapshot ends in an Error, after which the visited object must be thrown away.
class PLUSH_API StateReader final : public StateVisitor {
public:
    explicit StateReader(std::span<const std::byte> bytes) : rest_(bytes) {}
    void bytes(void* data, std::size_t size) override;
    std::size_t length(std::size_t size, std::size_t element_size) override;

    /// Success when everything was read and nothing is left over.
    Result<void> finish() const;

private:
    std::span<const std::byte> rest_;
    bool short_ = false;
};

/// A 64-bit XXH3 hash of a state.
class PLUSH_API StateHasher final : public StateVisitor {
public:
    StateHasher();
    ~StateHasher() override;
    void bytes(void* data, std::size_t size) override;
    std::size_t length(std::size_t size, std::size_t element_size) override;
    std::uint64_t digest() const;

private:
    struct Hidden;
    Hidden* hidden_;
    StateHasher(const StateHasher&) = delete;
    StateHasher& operator=(const StateHasher&) = delete;
};

/// XXH3 of a block of bytes: the checksum of everything that Plush writes.
PLUSH_API std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace plush
