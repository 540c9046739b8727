#include "record/salvage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

namespace plush {

namespace {

namespace fs = std::filesystem;

fs::path part_of(const fs::path& path) {
    fs::path part = path;
    part += ".part";
    return part;
}
/// The same, with nothing under its name: a link that stands there would lead to a file of somebody else's.
fs::path new_part_of(const fs::path& path) {
    fs::path part = part_of(path);
    std::error_code ignored;
    fs::remove(part, ignored);
    return part;
}

/// The new file takes the place of the old one, which is set aside. A note says what was lost, and where the old one is.
Result<void> take_over(const fs::path& path, std::string place, std::string lost, std::vector<Error>& notes) {
    std::string fix;
    std::error_code error;
    if (fs::exists(path, error)) {
        auto aside = set_aside(path);
        if (!aside) return aside.error();
        fix = fmt::format("what can be read was kept; the damaged file is now {}", aside.value().string());
    } else {
        fix = "a new file was begun";
    }
    fs::rename(part_of(path), path, error);
    if (error) return file_error(path, error.value());
    notes.push_back(Error({.file = path.string(),
                           .place = std::move(place),
                           .problem = std::move(lost),
                           .cure = std::move(fix)}));
    return {};
}

/// Which frames up to a step can be read: their numbers in the file, and where the first thing is wrong.
struct ReadableFrames {
    std::vector<std::size_t> frames{};
    std::string place{};
    bool whole = true;

    ReadableFrames(FrameReader& reader, std::int64_t last_step) {
        Frame frame;
        std::int64_t step = -1;
        for (std::size_t k = 0; k < reader.frames(); ++k) {
            const auto read = reader.read(k, frame);
            if (!read || frame.step <= step) {
                note(fmt::format("frame {}", k));
                continue;
            }
            if (frame.step > last_step) break;
            step = frame.step;
            frames.push_back(k);
        }
        for (const FrameDamage& damage : reader.damage())
            if (damage.frame <= frames.size()) note(damage.place());
    }
    void note(std::string where) {
        whole = false;
        if (place.empty()) place = std::move(where);
    }
};

Result<std::uint64_t> copy_frames(const fs::path& to, FrameReader& reader, const ReadableFrames& readable) {
    auto writer = FrameWriter::create(to, reader.header());
    if (!writer) return writer.error();
    Frame frame;
    for (const std::size_t k : readable.frames) {
        if (auto read = reader.read(k, frame); !read) return read.error();
        if (auto written = writer.value().write(frame); !written) return written.error();
    }
    if (auto done = writer.value().sync(); !done) return done.error();
    return writer.value().bytes();
}

Result<Salvaged<FrameWriter>> begin_frames_anew(const fs::path& path, const std::string& problem,
                                                const std::function<Result<FramesHeader>()>& make_header) {
    const auto header = make_header();
    if (!header) return header.error();
    std::uint64_t bytes = 0;
    {
        auto writer = FrameWriter::create(new_part_of(path), header.value());
        if (!writer) return writer.error();
        if (auto done = writer.value().sync(); !done) return done.error();
        bytes = writer.value().bytes();
    }
    std::vector<Error> notes;
    if (auto taken = take_over(path, "", problem + ": the frames up to the checkpoint are lost", notes);
        !taken)
        return taken.error();
    auto writer = FrameWriter::resume(path, bytes);
    if (!writer) return writer.error();
    return Salvaged<FrameWriter>{std::move(writer).value(), std::move(notes), 0};
}

}  // namespace

Result<Salvaged<FrameWriter>> salvage_frames(const fs::path& path, const Checkpoint& checkpoint,
                                             const std::function<Result<FramesHeader>()>& make_header) {
    auto opened = FrameReader::open(path);
    if (!opened) {
        // The frames behind a header that cannot be read may be whole.
        const std::string problem = opened.error().problem();
        const auto header = make_header();
        if (!header) return header.error();
        opened = FrameReader::open_without_header(path, header.value());
        if (!opened || opened.value().frames() == 0) return begin_frames_anew(path, problem, make_header);
    }
    FrameReader& reader = opened.value();
    const ReadableFrames readable(reader, checkpoint.step);
    const auto kept = static_cast<std::int64_t>(readable.frames.size());
    std::error_code error;
    const bool long_enough = fs::file_size(path, error) >= checkpoint.frames_bytes && !error;
    if (reader.own_header() && readable.whole && long_enough && kept == checkpoint.totals.frames) {
        auto writer = FrameWriter::resume(path, checkpoint.frames_bytes);
        if (!writer) return writer.error();
        return Salvaged<FrameWriter>{std::move(writer).value(), {}, kept};
    }
    // Refuses a file that another run is writing.
    if (auto lock = GrowingFile::resume(path, fs::file_size(path, error)); !lock) return lock.error();
    const auto bytes = copy_frames(new_part_of(path), reader, readable);
    if (!bytes) return bytes.error();
    std::vector<Error> notes;
    const std::string lost =
        fmt::format("the file is damaged or not all there: {} of {} frames up to the checkpoint can be read",
                    kept, checkpoint.totals.frames);
    if (auto taken = take_over(path, reader.own_header() ? readable.place : "header", lost, notes); !taken)
        return taken.error();
    auto writer = FrameWriter::resume(path, bytes.value());
    if (!writer) return writer.error();
    return Salvaged<FrameWriter>{std::move(writer).value(), std::move(notes), kept};
}

namespace {

/// The step of a row with as many columns as the heading has and a hash in the last; nothing of any other line.
std::optional<std::int64_t> step_of_row(std::string_view row, std::ptrdiff_t commas) {
    std::int64_t step = 0;
    const std::size_t first = row.find(','), last = row.rfind(',');
    if (std::count(row.begin(), row.end(), ',') != commas || row.size() - last != 17) return std::nullopt;
    const auto [end, failed] = std::from_chars(row.data(), row.data() + first, step);
    if (failed != std::errc() || end != row.data() + first) return std::nullopt;
    const std::string_view hash = row.substr(last + 1);
    if (hash.find_first_not_of("0123456789abcdef") != hash.npos) return std::nullopt;
    return step;
}

/// The rows up to a step that can be read: of steps 1, 2, 3 …, or of those after the one at which a saved world went on.
struct ReadableRows {
    std::string text{};  ///< whole lines, without the heading
    std::int64_t rows = 0, first = 0, first_missing = 0;
    std::size_t bad_line = 0;  ///< 0: none

    ReadableRows(const fs::path& path, const std::string& heading, std::int64_t last_step) {
        std::ifstream file(path, std::ios::binary);
        const auto commas = std::count(heading.begin(), heading.end(), ',');
        std::string line;
        std::int64_t step = 0;
        for (std::size_t number = 1; std::getline(file, line) && !file.eof(); ++number) {
            if (number == 1 && line + "\n" == heading) continue;
            const auto row = step_of_row(line, commas);
            if (row && *row > last_step) break;
            if (!row || *row <= step) {
                if (bad_line == 0) bad_line = number;
                continue;
            }
            if (rows == 0) first = *row;
            if (rows > 0 && *row != step + 1 && first_missing == 0) first_missing = step + 1;
            step = *row, ++rows;
            text.append(line).append("\n");
        }
        if (step < last_step && first_missing == 0) first_missing = step + 1;
    }
};

}  // namespace

Result<Salvaged<MetricsWriter>> salvage_metrics(const fs::path& path, const std::string& heading,
                                                const Checkpoint& checkpoint) {
    ReadableRows readable(path, heading, checkpoint.step);
    const std::uint64_t bytes = heading.size() + readable.text.size();
    if (readable.bad_line == 0 && readable.first_missing == 0 && bytes == checkpoint.metrics_bytes) {
        auto writer = MetricsWriter::resume(path, bytes);
        if (!writer) return writer.error();
        return Salvaged<MetricsWriter>{std::move(writer).value(), {}, readable.rows};
    }
    if (readable.first > 1) readable.first_missing = 1;  // the bytes tell: rows were lost
    std::error_code error;
    if (fs::exists(path, error)) {
        if (auto lock = GrowingFile::resume(path, fs::file_size(path, error)); !lock) return lock.error();
    }
    const std::string all = heading + readable.text;
    {
        auto part = GrowingFile::create(new_part_of(path));
        if (!part) return part.error();
        if (auto done = part.value().write(std::as_bytes(std::span(all))); !done) return done.error();
        if (auto done = part.value().sync(); !done) return done.error();
    }
    std::vector<Error> notes;
    const std::string place = readable.bad_line > 0 ? fmt::format("line {}", readable.bad_line) : "";
    const std::string lost =
        fmt::format("the table is damaged or not all there: {} of {} rows up to the checkpoint can be read",
                    readable.rows, checkpoint.step);
    if (auto taken = take_over(path, place, lost, notes); !taken) return taken.error();
    auto writer = MetricsWriter::resume(path, bytes);
    if (!writer) return writer.error();
    return Salvaged<MetricsWriter>{std::move(writer).value(), std::move(notes), readable.rows};
}

}  // namespace plush
