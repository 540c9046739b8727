#include <algorithm>
#include <cstring>

#include "core/chunk.hpp"
#include "fuzz/targets.hpp"
#include "record/checkpoint.hpp"
#include "record/metrics.hpp"
#include "record/salvage.hpp"
#include "support/files.hpp"
#include "support/hostile_worlds.hpp"

// The files of a run. Files of chunks are whole ones, changed as the input says; bit 0 of its first byte makes checksums fit.

namespace plush::fuzz {
namespace {

std::vector<std::byte> bytes_of(const std::filesystem::path& file) {
    const std::string text = test::read_text(file);
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

/// Every chunk again, as long as its head says or the file goes, with the sums that it should have.
std::vector<std::byte> signed_again(const std::vector<std::byte>& bytes) {
    if (bytes.size() < sizeof(Signature)) return bytes;
    std::vector<std::byte> out(bytes.begin(), bytes.begin() + sizeof(Signature));
    for (std::size_t at = sizeof(Signature); at + chunk_head_bytes <= bytes.size();) {
        ChunkType type{};
        std::uint64_t length = 0;
        std::memcpy(type.data(), bytes.data() + at, type.size());
        std::memcpy(&length, bytes.data() + at + 8, sizeof(length));
        at += chunk_head_bytes;
        length = std::min<std::uint64_t>(length, bytes.size() - at);
        append_chunk(out, type, std::span(bytes).subspan(at, length));
        at = static_cast<std::size_t>(std::min<std::uint64_t>(at + length + chunk_sum_bytes, bytes.size()));
    }
    return out;
}

std::string changed(std::vector<std::byte> bytes, std::string_view input) {
    if (!input.empty()) edit(bytes, input.substr(1));
    if (!input.empty() && (input[0] & 1)) bytes = signed_again(bytes);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

FramesHeader header() {
    FramesHeader h{.scene = "fuzzed", .step = 0.01, .frame_rate = 100, .gravity = {0, -9.81, 0}};
    h.meshes.push_back({.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                        .triangles = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3},
                        .segments = {0, 1}});
    h.bodies.push_back({.name = "ball", .kind = "rigid", .mesh = 0, .colour = 0x123456});
    h.bodies.push_back({.name = "toy", .kind = "soft", .mesh = 0, .points = 4});
    h.bodies.push_back({.name = "dust", .kind = "particles", .points = 2, .radius = 0.1});
    return h;
}

std::vector<std::byte> whole_frames() {
    const std::string path = file_with("whole.plush", "");
    FrameWriter writer = FrameWriter::create(path, header()).value();
    for (int k = 0; k < 3; ++k) {
        Frame frame{.step = k, .time = 0.01 * k, .asleep = {0, 1, 0}, .poses = {Transform{}}};
        frame.points.resize(6);
        frame.contacts.push_back({.a = 0, .b = 1, .depth = 0.1f});
        if (k == 2) {
            frame.surfaces.push_back({.body = 1, .points = 5, .triangles = {0, 1, 4}});
            frame.points.resize(7);
        }
        static_cast<void>(writer.write(frame));
    }
    return bytes_of(path);
}

std::vector<std::byte> whole_checkpoint() {
    const World world = test::everything();
    const RunFolder folder{std::filesystem::path(file_with("none", "")).parent_path()};
    Checkpoint checkpoint{.scene_name = "fuzzed", .scene = R"({"plush":1,"bodies":[]})"};
    checkpoint.inputs.push_back({.path = folder.path / "none", .bytes = 0, .hash = 1});
    const std::vector<std::byte> state = world.snapshot();
    checkpoint.world.assign(state.begin(), state.begin() + 200);
    checkpoint.step = 3, checkpoint.steps = 10;
    checkpoint.totals.findings.resize(2);
    static_cast<void>(save_checkpoint(folder, checkpoint));
    return bytes_of(folder.checkpoint());
}

void require_frames(const FrameReader& reader, std::size_t k, const Frame& frame) {
    const FramesHeader& h = reader.header();
    expect(frame.asleep.size() == h.bodies.size(), "a frame has every body");
    std::uint64_t points = 0;
    for (std::size_t i = 0; i < h.bodies.size(); ++i) points += frame.points_of(h, i);
    expect(frame.points.size() == points && k < reader.frames(), "a frame has every point");
}

}  // namespace

void run_frames(std::string_view input) {
    static const std::vector<std::byte> whole = whole_frames();
    const std::filesystem::path path = file_with("frames.plush", changed(whole, input));
    std::size_t read = 0;
    if (auto reader = FrameReader::open(path)) {
        Frame frame;
        for (std::size_t k = 0; k < reader.value().frames(); ++k)
            if (reader.value().read(k, frame)) require_frames(reader.value(), k, frame), ++read;
        for (const FrameDamage& damage : reader.value().damage()) static_cast<void>(damage.place());
        static_cast<void>(reader.value().tail());
        reader.value().refresh();
    }
    const Checkpoint checkpoint{.step = 2, .frames_bytes = whole.size()};
    const auto salvaged = salvage_frames(path, checkpoint, [] { return Result<FramesHeader>(header()); });
    if (salvaged) {
        auto reader = FrameReader::open(path);
        expect(reader.ok() && reader.value().tail() == FrameReader::Tail::whole &&
                   reader.value().damage().empty(),
               "a file that is gone on with is whole");
    }
    for (const auto& entry : std::filesystem::directory_iterator(path.parent_path()))
        if (entry.path().string().find(".damaged") != std::string::npos)
            std::filesystem::remove(entry.path());
}

void run_checkpoint(std::string_view input) {
    static const std::vector<std::byte> whole = whole_checkpoint();
    const auto checkpoint = load_checkpoint(file_with("checkpoint.plush", changed(whole, input)));
    if (!checkpoint) {
        expect(!checkpoint.error().file().empty() && !checkpoint.error().problem().empty(),
               "errors name the file");
        return;
    }
    static_cast<void>(check_inputs(checkpoint.value()));
    static_cast<void>(input_files(checkpoint.value().scene));
}

void run_metrics(std::string_view input) {
    const std::filesystem::path path = file_with("metrics.csv", input);
    if (const auto table = read_metrics(path)) {
        for (const auto& column : table.value().columns)
            expect(column.size() == table.value().columns.front().size(), "columns are equally long");
        expect(table.value().names.size() == table.value().columns.size(), "every column has a name");
    }
    static_cast<void>(read_hashes(path));
    static_cast<void>(recorded_columns(input.substr(0, input.find('\n'))));
    const Checkpoint checkpoint{.step = 3, .metrics_bytes = input.size()};
    static_cast<void>(salvage_metrics(path, metrics_heading(), checkpoint));
    for (const auto& entry : std::filesystem::directory_iterator(path.parent_path()))
        if (entry.path().string().find(".damaged") != std::string::npos)
            std::filesystem::remove(entry.path());
}

std::vector<std::string> metrics_seeds() {
    World world = test::everything();
    std::string text = metrics_heading();
    for (int k = 0; k < 3; ++k) {
        world.step();
        text += metrics_row(world, world.state_hash());
    }
    const std::string words[] = {"position:ball", "position.y:box"};
    return {text, metrics_heading(), metrics_heading(words), "step,time\n1,2\n"};
}

}  // namespace plush::fuzz
