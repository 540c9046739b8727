#include "record/checkpoint.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/chunk.hpp"
#include "plush/core/version.hpp"
#include "record/findings.hpp"

namespace plush {

void visit_state(StateVisitor& v, RunTotals& t) {
    v(t.seconds, t.wall, t.contacts, t.max_contacts, t.largest_depth, t.residual, t.start.kinetic,
      t.start.gravity, t.start.elastic, t.start_hash, t.frames);
    for (const LedgerEntry& e : ledger_entries) v(t.ledger.*e.value);
    ConvergenceReport& c = t.convergence;
    for (const ConvergenceEntry& e : convergence_entries) v(c.*e.count);
    v(c.max_substeps, c.linear_residual, c.newton_residual, c.position_residual, c.tet_residual,
      c.displacement, c.largest_displacement, t.unconverged_steps, t.findings);
}

void visit_state(StateVisitor& v, InputFile& f) {
    v(f.path, f.bytes, f.hash);
}

void visit_state(StateVisitor& v, Checkpoint& c) {
    v(c.inputs, c.scene_name, c.scene, c.world, c.step, c.steps, c.has_frames, c.frames_bytes,
      c.metrics_bytes, c.totals);
}

namespace {

constexpr Signature signature{'p', 'l', 'u', 's', 'h', 'c', 'h', 'k'};
constexpr ChunkType checkpoint_type{'C', 'H', 'E', 'K'};
constexpr std::uint32_t format_version = 6;

}  // namespace

Result<void> save_checkpoint(const RunFolder& folder, const Checkpoint& checkpoint) {
    const auto letters = std::as_bytes(std::span(signature));
    std::vector<std::byte> bytes(letters.begin(), letters.end());
    append_chunk(bytes, checkpoint_type, state_bytes(format_version, std::string(version()), checkpoint));
    return replace_file(folder.checkpoint(), bytes, folder.previous_checkpoint());
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

Result<FoundCheckpoint> find_checkpoint(const RunFolder& folder) {
    auto newer = load_checkpoint(folder.checkpoint());
    if (newer) return FoundCheckpoint{std::move(newer).value(), folder.checkpoint(), {}};
    auto previous = load_checkpoint(folder.previous_checkpoint());
    if (!previous) return newer.error();
    return FoundCheckpoint{std::move(previous).value(), folder.previous_checkpoint(), newer.error()};
}

namespace {

/// The content's size and hash; nothing where the file cannot be read whole.
std::optional<InputFile> read_input(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
    const auto file = ReadFile::open(path);
    if (!file) return std::nullopt;
    std::vector<std::byte> content(file.value().size());
    if (!file.value().read(0, content)) return std::nullopt;
    return InputFile{path, content.size(), checksum(content)};
}

void add_inputs(const nlohmann::json& value, std::vector<InputFile>& files) {
    if (value.is_structured()) {
        for (const auto& item : value) add_inputs(item, files);
        return;
    }
    if (!value.is_string()) return;
    const std::string& text = value.get_ref<const std::string&>();
    // Paths of a resolved scene are absolute.
    if (!text.starts_with('/') || text.find('\0') != text.npos) return;
    const auto known = [&](const InputFile& f) { return f.path == text; };
    if (std::any_of(files.begin(), files.end(), known)) return;
    if (auto file = read_input(text)) files.push_back(*std::move(file));
}

}  // namespace

std::vector<InputFile> input_files(const std::string& resolved_scene) {
    std::vector<InputFile> files;
    add_inputs(nlohmann::json::parse(resolved_scene, nullptr, false, true), files);
    return files;
}

Result<void> check_inputs(const Checkpoint& checkpoint) {
    for (const InputFile& was : checkpoint.inputs) {
        const std::optional<InputFile> is = read_input(was.path);
        if (is && *is == was) continue;
        return Error({.file = was.path,
                      .problem = is ? "this file has changed since the run began"
                                    : "this file of the run's scene cannot be read any more",
                      .cure = "put the file back as it was, or run the scene again"});
    }
    return {};
}

}  // namespace plush
