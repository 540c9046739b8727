#include <cstring>

#include "core/chunk.hpp"
#include "fuzz/targets.hpp"
#include "support/hostile_worlds.hpp"

// Snapshots and files of worlds: whole ones, changed as the input says, with checksums that fit. The first byte of an input
// chooses the world (bit 1), and whether the checksum is made to fit (bit 0).

namespace plush::fuzz {
namespace {

struct Base {
    World world;
    std::vector<std::byte> state{}, file{};
    std::uint64_t hash = 0;

    explicit Base(World made) : world(std::move(made)) {
        for (int i = 0; i < 5; ++i) world.step();
        state = world.snapshot();
        file = world.to_bytes();
        hash = world.state_hash();
    }
};

Base& base(std::string_view input) {
    static Base everything(test::everything()), soft_pair(test::soft_pair());
    return (input[0] & 2) != 0 ? soft_pair : everything;
}

/// A step, where that is possible.
void step_once(World& world) {
    try {
        world.step();
    } catch (const Error&) {
    }
}

}  // namespace

void run_snapshot(std::string_view input) {
    if (input.empty()) return;
    Base& b = base(input);
    std::vector<std::byte> state = b.state;
    edit(state, input.substr(1));
    if (input[0] & 1) test::sign_snapshot(state);
    try {
        b.world.restore(state);
        step_once(b.world);
    } catch (const Error&) {
    }
    b.world.restore(b.state);
    expect(b.world.state_hash() == b.hash, "a world can be put back");
}

void run_world_file(std::string_view input) {
    if (input.empty()) return;
    std::vector<std::byte> bytes = base(input).file;
    const std::size_t head = sizeof(Signature) + chunk_head_bytes;
    if (input[0] & 1) {
        std::vector<std::byte> payload(bytes.begin() + static_cast<std::ptrdiff_t>(head),
                                       bytes.end() - static_cast<std::ptrdiff_t>(chunk_sum_bytes));
        edit(payload, input.substr(1));
        bytes.resize(sizeof(Signature));
        append_chunk(bytes, {'W', 'R', 'L', 'D'}, payload);
    } else {
        edit(bytes, input.substr(1));
    }
    auto world = World::try_from_bytes(bytes, 1);
    // A file may ask for more memory than this machine has, as a scene may.
    if (world && world.value().settings().contact.volume.memory_limit <= 1024) step_once(world.value());
}

}  // namespace plush::fuzz
