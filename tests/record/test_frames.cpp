#include <gtest/gtest.h>

#include <cstring>

#include "plush/record/frames.hpp"
#include "record/blocks.hpp"
#include "record/disk_full.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

namespace plush {
namespace {

using test::read_text;
using test::says;
using test::TempFolder;
using test::write_text;

/// A triangle that falls, beside three particles and a cloth of one triangle with a hem.
FramesHeader small_header() {
    FramesHeader header{.scene = "small", .step = 1.0 / 60, .frame_rate = 60};
    header.meshes.push_back(
        {.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, .triangles = {0, 1, 2}, .segments = {0, 1, 2, 1}});
    header.bodies.push_back({.name = "leaf", .kind = "rigid", .mesh = 0});
    header.bodies.push_back({.name = "dust", .kind = "particles", .points = 3, .radius = 0.01});
    header.bodies.push_back({.name = "floor", .kind = "fixed", .normal = {0, 1, 0}});
    header.bodies.push_back({.name = "flag", .kind = "cloth", .mesh = 0, .points = 3, .radius = 0.002});
    header.gravity = {0, -9.81, 0};
    return header;
}

Frame small_frame(int k) {
    const auto f = static_cast<float>(k);
    Frame frame{.step = k, .time = k / 60.0};
    frame.asleep = {static_cast<std::uint8_t>(k % 2), 0, 0, 0};
    frame.poses = {{.position = {0, 10.0 - 0.1 * k, 0}, .rotation = {0.6, 0.8, 0, 0}}, {}};
    frame.points = {{f, 0, 0}, {0, f, 0}, {0, 0, f}, {f, f, 0}, {0, f, f}, {f, 0, f}};
    for (int c = 0; c < k % 3; ++c)
        frame.contacts.push_back({0, 1, {f, 1, 2}, {0, 1, 0}, {0, 9.81f, 0}, 0.001f, 1});
    return frame;
}

void write_frames(const std::filesystem::path& file, int count) {
    FrameWriter writer = FrameWriter::create(file, small_header()).value();
    for (int k = 0; k < count; ++k) writer.write(small_frame(k)).value();
}

TEST(Frames, ComeBackInAnyOrder) {
    TempFolder folder;
    write_frames(folder / "frames.plush", 9);
    FrameReader reader = FrameReader::open(folder / "frames.plush").value();
    ASSERT_EQ(reader.frames(), 9u);
    EXPECT_EQ(reader.tail(), FrameReader::Tail::whole);
    EXPECT_EQ(reader.header().scene, "small");
    EXPECT_EQ(reader.header().step, 1.0 / 60);
    ASSERT_EQ(reader.header().bodies.size(), 4u);
    EXPECT_EQ(reader.header().bodies[1].name, "dust");
    EXPECT_EQ(reader.header().bodies[1].points, 3u);
    EXPECT_EQ(reader.header().bodies[2].normal, (Vec3f{0, 1, 0}));
    EXPECT_EQ(reader.header().bodies[3].mesh, 0);
    EXPECT_EQ(reader.header().bodies[3].points, 3u);
    EXPECT_EQ(reader.header().meshes[0].segments, (std::vector<std::int32_t>{0, 1, 2, 1}));
    EXPECT_EQ(reader.header().gravity, (Vec3{0, -9.81, 0}));
    EXPECT_EQ(reader.header().meshes[0].triangles, (std::vector<std::int32_t>{0, 1, 2}));
    Frame frame;
    for (const int k : {8, 0, 5, 5, 1}) {
        reader.read(static_cast<std::size_t>(k), frame).value();
        EXPECT_EQ(frame, small_frame(k)) << k;
    }
    const auto beyond = reader.read(9, frame);
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error().place(), "frame 9");
}

TEST(Frames, AreReadWhileBeingWritten) {
    TempFolder folder;
    FrameWriter writer = FrameWriter::create(folder / "f", small_header()).value();
    FrameReader reader = FrameReader::open(folder / "f").value();
    EXPECT_EQ(reader.frames(), 0u);
    writer.write(small_frame(0)).value();
    writer.write(small_frame(1)).value();
    EXPECT_EQ(reader.refresh(), 2u);
    EXPECT_EQ(reader.refresh(), 0u);
    // Half a frame is not a frame yet; its other half makes it one.
    std::vector<std::byte> chunk;
    append_chunk(chunk, {'F', 'R', 'A', 'M'}, {});
    const std::string bytes(reinterpret_cast<const char*>(chunk.data()), chunk.size());
    std::ofstream(folder / "f", std::ios::app | std::ios::binary) << bytes.substr(0, 11);
    EXPECT_EQ(reader.refresh(), 0u);
    EXPECT_EQ(reader.tail(), FrameReader::Tail::incomplete);
    std::ofstream(folder / "f", std::ios::app | std::ios::binary) << bytes.substr(11);
    EXPECT_EQ(reader.refresh(), 1u);
    EXPECT_EQ(reader.tail(), FrameReader::Tail::whole);
    // That chunk is whole and empty: no frame of these bodies.
    Frame frame;
    EXPECT_FALSE(reader.read(2, frame));
    EXPECT_TRUE(reader.read(1, frame));
}

TEST(Frames, CutAnywhereLeaveTheWholeOnes) {
    TempFolder folder;
    const auto file = folder / "f";
    std::vector<std::uint64_t> ends;
    {
        FrameWriter writer = FrameWriter::create(file, small_header()).value();
        ends.push_back(writer.bytes());
        for (int k = 0; k < 4; ++k) {
            writer.write(small_frame(k)).value();
            ends.push_back(writer.bytes());
        }
    }
    const std::string all = read_text(file);
    ASSERT_EQ(all.size(), ends.back());
    Frame frame;
    for (std::size_t size = 0; size < all.size(); ++size) {
        write_text(file, all.substr(0, size));
        auto reader = FrameReader::open(file);
        ASSERT_EQ(reader.ok(), size >= ends[0]) << size;
        if (!reader) {
            EXPECT_FALSE(reader.error().cure().empty());
            continue;
        }
        std::size_t whole = 0;
        while (whole + 1 < ends.size() && ends[whole + 1] <= size) ++whole;
        ASSERT_EQ(reader.value().frames(), whole) << size;
        ASSERT_EQ(reader.value().tail() == FrameReader::Tail::whole, ends[whole] == size) << size;
        for (std::size_t k = 0; k < whole; ++k) ASSERT_TRUE(reader.value().read(k, frame));
    }
}

TEST(Frames, DamageAnywhereIsNoticed) {
    TempFolder folder;
    const auto file = folder / "f";
    write_frames(file, 3);
    const std::string all = read_text(file);
    for (std::size_t at = 0; at < all.size(); ++at) {
        for (const int bit : {0, 7}) {
            std::string bad = all;
            bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
            write_text(file, bad);
            auto reader = FrameReader::open(file);
            if (!reader) continue;
            ASSERT_NE(reader.value().tail(), FrameReader::Tail::incomplete)
                << at << ": damage is no missing tail";
            // Every frame that is given out is right, and at least one is missing.
            std::size_t good = 0;
            Frame frame;
            for (std::size_t k = 0; k < reader.value().frames(); ++k) {
                if (!reader.value().read(k, frame)) continue;
                ASSERT_EQ(frame, small_frame(static_cast<int>(frame.step))) << at;
                ++good;
            }
            ASSERT_LT(good, 3u) << at;
        }
    }
}

/// A file whose checksums are all right but whose content lies must cost an Error, not memory.
TEST(Frames, LyingLengthsAllocateNothing) {
    TempFolder folder;
    const auto file = folder / "f";
    const auto write_chunks = [&](std::span<const std::byte> header, std::span<const std::byte> frame) {
        std::vector<std::byte> bytes;
        append_chunk(bytes, {'H', 'E', 'A', 'D'}, header);
        append_chunk(bytes, {'F', 'R', 'A', 'M'}, frame);
        write_text(file, "plushfrm" + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    };
    using Bytes = std::vector<std::byte>;
    const std::uint64_t huge = std::uint64_t{1} << 60, none = 0;
    const ChunkType info{'I', 'N', 'F', 'O'}, meshes{'M', 'E', 'S', 'H'}, bodies{'B', 'O', 'D', 'Y'};
    const auto header = [&](std::uint32_t version, const Bytes& mesh_list) {
        Bytes bytes = state_bytes(version);
        append_block(bytes, info, none, 0.01, 60.0, Vec3{});
        append_block(bytes, ChunkType{'N', 'E', 'W', 'S'}, 1.0);  // a block from the future is passed over
        append_block(bytes, meshes);
        bytes.resize(bytes.size() - 8);  // its length, said anew
        const Bytes length = state_bytes(std::uint64_t{mesh_list.size()});
        bytes.insert(bytes.end(), length.begin(), length.end());
        bytes.insert(bytes.end(), mesh_list.begin(), mesh_list.end());
        append_block(bytes, bodies, none);
        return bytes;
    };
    const auto frame_of = [&](const Bytes& asleep) {
        Bytes bytes;
        append_block(bytes, ChunkType{'T', 'I', 'M', 'E'}, std::int64_t{0}, 0.0);
        append_block(bytes, ChunkType{'A', 'S', 'L', 'P'});
        bytes.resize(bytes.size() - 8);
        const Bytes length = state_bytes(std::uint64_t{asleep.size()});
        bytes.insert(bytes.end(), length.begin(), length.end());
        bytes.insert(bytes.end(), asleep.begin(), asleep.end());
        for (const ChunkType& type :
             {ChunkType{'P', 'O', 'S', 'E'}, {'P', 'N', 'T', 'S'}, {'C', 'O', 'N', 'T'}})
            append_block(bytes, type, none);
        return bytes;
    };
    Bytes lying = state_bytes(std::uint32_t{3});
    append_block(lying, info, huge);  // a text of 2⁶⁰ letters
    write_chunks(lying, {});
    EXPECT_FALSE(FrameReader::open(file));
    lying = state_bytes(std::uint32_t{3}, info, huge);  // a block of 2⁶⁰ bytes
    write_chunks(lying, {});
    EXPECT_FALSE(FrameReader::open(file));
    write_chunks(state_bytes(std::uint32_t{3}), {});  // no blocks at all
    EXPECT_FALSE(FrameReader::open(file));
    // A good header without bodies, and a frame that claims 2⁶⁰ of them.
    const Bytes empty = header(3, state_bytes(none));
    write_chunks(empty, frame_of(state_bytes(huge)));
    FrameReader reader = FrameReader::open(file).value();
    Frame frame;
    EXPECT_FALSE(reader.read(0, frame));
    // A frame with one body more than the header has.
    write_chunks(empty, frame_of(state_bytes(std::uint64_t{1}, std::uint8_t{1})));
    EXPECT_FALSE(FrameReader::open(file).value().read(0, frame));
    // One without: this is a frame.
    write_chunks(empty, frame_of(state_bytes(none)));
    EXPECT_TRUE(FrameReader::open(file).value().read(0, frame));
    // A mesh whose triangle names vertex 7 of none.
    write_chunks(header(3, state_bytes(std::uint64_t{1}, none, std::uint64_t{3}, 7, 7, 7, none)), {});
    EXPECT_FALSE(FrameReader::open(file));
}

TEST(Frames, ADeformableBodyHasAPointForEveryVertex) {
    TempFolder folder;
    const auto file = folder / "f";
    const std::uint64_t none = 0, one = 1;
    // A mesh of two vertices with these segments, and a body of it with so many points.
    const auto problem = [&](const std::vector<std::int32_t>& segments, std::int32_t mesh,
                             std::uint64_t points) {
        std::vector<std::byte> header = state_bytes(std::uint32_t{3});
        append_block(header, {'I', 'N', 'F', 'O'}, none, 0.01, 60.0, Vec3{});
        std::vector<Vec3f> vertices(2);
        std::vector<std::int32_t> triangles, pairs = segments;
        append_block(header, {'M', 'E', 'S', 'H'}, one, vertices, triangles, pairs);
        append_block(header, {'B', 'O', 'D', 'Y'}, one, none, none, mesh, points, 0.0, Vec3f{});
        std::vector<std::byte> bytes;
        append_chunk(bytes, {'H', 'E', 'A', 'D'}, header);
        write_text(file, "plushfrm" + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
        const auto reader = FrameReader::open(file);
        return reader ? std::string() : reader.error().problem();
    };
    EXPECT_EQ(problem({0, 1}, 0, 2), "");
    EXPECT_EQ(problem({0, 1}, 0, 0), "") << "a rigid one";
    EXPECT_EQ(problem({0, 1}, -1, 7), "") << "particles";
    EXPECT_EQ(problem({0, 1}, 0, 3), "body 0 has 3 points for the 2 vertices of its mesh");
    EXPECT_EQ(problem({0, 1}, 0, 1), "body 0 has 1 points for the 2 vertices of its mesh");
    for (const auto& bad : std::vector<std::vector<std::int32_t>>{{0, 2}, {-1, 0}, {0, 1, 0}})
        EXPECT_EQ(problem(bad, 0, 2), "mesh 0 has a segment that names a vertex it has not");
}

TEST(Frames, OtherFormatsAreNamedWithTheirCure) {
    TempFolder folder;
    const auto file = folder / "f";
    for (const auto& [version, cure] :
         {std::pair{1u, "run the scene again"}, {2u, "run the scene again"}, {4u, "that wrote it"}}) {
        std::vector<std::byte> bytes;
        append_chunk(bytes, {'H', 'E', 'A', 'D'}, state_bytes(version));
        write_text(file, "plushfrm" + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
        const auto refused = FrameReader::open(file);
        ASSERT_FALSE(refused);
        EXPECT_TRUE(says(refused.error().problem(), "format " + std::to_string(version)));
        EXPECT_TRUE(says(refused.error().cure(), cure));
        // Nor does a run go on in it.
        EXPECT_FALSE(FrameWriter::resume(file, 8));
        EXPECT_EQ(read_text(file).size(), 8 + bytes.size());
    }
}

TEST(Frames, GoOnWhereTheyWereCut) {
    TempFolder folder;
    const auto file = folder / "f";
    std::uint64_t middle = 0;
    {
        FrameWriter writer = FrameWriter::create(file, small_header()).value();
        for (int k = 0; k < 3; ++k) writer.write(small_frame(k)).value();
        middle = writer.bytes();
        writer.write(small_frame(77)).value();
    }
    {
        FrameWriter writer = FrameWriter::resume(file, middle).value();
        writer.write(small_frame(3)).value();
    }
    const std::string resumed = read_text(file);
    write_frames(file, 4);
    EXPECT_EQ(resumed, read_text(file));
    EXPECT_FALSE(FrameWriter::resume(file, resumed.size() + 1));
    EXPECT_FALSE(FrameWriter::resume(folder / "absent", 0));
}

TEST(Frames, HaveOneWriter) {
    TempFolder folder;
    FrameWriter writer = FrameWriter::create(folder / "f", small_header()).value();
    writer.write(small_frame(0)).value();
    const auto second = FrameWriter::create(folder / "f", small_header());
    ASSERT_FALSE(second);
    EXPECT_TRUE(says(second.error().problem(), "another program"));
    EXPECT_EQ(FrameReader::open(folder / "f").value().frames(), 1u);
}

TEST(Frames, FullDiskKeepsEarlierFrames) {
    TempFolder folder;
    const auto file = folder / "f";
    std::uint64_t limit = 0;
    {
        FrameWriter writer = FrameWriter::create(file, small_header()).value();
        for (int k = 0; k < 3; ++k) writer.write(small_frame(k)).value();
        limit = writer.bytes() + 40;  // room for a part of the next frame
    }
    const int status = test::with_file_limit(limit, [&] {
        auto writer = FrameWriter::create(file, small_header());
        if (!writer) return false;
        for (int k = 0; k < 3; ++k) {
            if (!writer.value().write(small_frame(k))) return false;
        }
        const auto failed = writer.value().write(small_frame(3));
        return !failed && !failed.error().cure().empty() && failed.error().file() == file.string();
    });
    ASSERT_EQ(status, 0);
    FrameReader reader = FrameReader::open(file).value();
    EXPECT_EQ(reader.frames(), 3u);
    EXPECT_EQ(reader.tail(), FrameReader::Tail::whole);
}

TEST(Frames, TenThousandAreFoundQuickly) {
    TempFolder folder;
    write_frames(folder / "f", 10000);
    FrameReader reader = FrameReader::open(folder / "f").value();
    ASSERT_EQ(reader.frames(), 10000u);
    Frame frame;
    reader.read(9999, frame).value();
    EXPECT_EQ(frame.step, 9999);
}

}  // namespace
}  // namespace plush
