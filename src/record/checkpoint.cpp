#include "record/checkpoint.hpp"

#include <fmt/format.h>

#include "plush/core/version.hpp"
#include "record/chunk.hpp"

namespace plush {

void visit_state(StateVisitor& v, RunTotals& t) {
    v(t.seconds, t.wall, t.contacts, t.most_contacts, t.largest_depth, t.residual, t.start.kinetic,
      t.start.gravity, t.start.elastic, t.start_hash, t.frames);
    for (const LedgerEntry& e : ledger_entries) v(t.ledger.*e.value);
    ConvergenceReport& c = t.convergence;
    v(c.linear_solves, c.newton_solves, c.islands, c.position_islands, c.tet_solves, c.coarsened,
      c.position_residual, c.tet_residual, c.displacement, c.largest_displacement, t.unconverged_steps);
}

void visit_state(StateVisitor& v, Checkpoint& c) {
    v(c.scene_name, c.scene, c.world, c.step, c.steps, c.has_frames, c.frames_bytes, c.metrics_bytes,
      c.totals);
}

namespace {

constexpr Signature signature{'p', 'l', 'u', 's', 'h', 'c', 'h', 'k'};
constexpr ChunkType checkpoint_type{'C', 'H', 'E', 'K'};
constexpr std::uint32_t format_version = 3;

}  // namespace

Result<void> save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
    const auto letters = std::as_bytes(std::span(signature));
    std::vector<std::byte> bytes(letters.begin(), letters.end());
    append_chunk(bytes, checkpoint_type, state_bytes(format_version, std::string(version()), checkpoint));
    return replace_file(path, bytes);
}

Result<Checkpoint> load_checkpoint(const std::filesystem::path& path) {
    const auto fail = [&](std::string problem, std::string cure) {
        return Error({.file = path.string(), .problem = std::move(problem), .cure = std::move(cure)});
    };
    const std::string again = "copy the file again, or run the scene again";
    const auto file = ReadFile::open(path);
    if (!file) return file.error();
    if (auto checked = check_signature(file.value(), signature, "a checkpoint"); !checked)
        return checked.error();
    ChunkPlace place;
    const std::uint64_t size = file.value().size();
    if (find_chunk(file.value(), sizeof(Signature), size, place) != ChunkState::whole ||
        place.type != checkpoint_type || place.end() != size) {
        return fail("the checkpoint is damaged or not all there", again);
    }
    std::vector<std::byte> buffer;
    const auto payload = read_chunk(file.value(), place, buffer);
    if (!payload) return payload.error();
    StateReader reader(payload.value());
    std::uint32_t format = 0;
    std::string writer;
    reader(format, writer);
    // A snapshot is the memory of one version's structs: no other version may take it for its own.
    if (format != format_version || writer != version()) {
        return fail(fmt::format("Plush {} wrote it (format {}), and this is Plush {} (format {})", writer,
                                format, version(), format_version),
                    "go on with that version, or run the scene again");
    }
    Checkpoint checkpoint;
    reader(checkpoint);
    if (!reader.finish())
        return fail("the checkpoint does not have the length that its content needs", again);
    return checkpoint;
}

}  // namespace plush
