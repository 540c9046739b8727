#include "record/metrics.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

namespace plush {

namespace {

/// Rows of about 200 bytes: some 40 of them make one write.
constexpr std::size_t flush_bytes = 8192;

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// The whole text as a number, or nothing.
template <class T>
bool parse(std::string_view text, T& value, int base) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

std::string metrics_heading() {
    std::string line = "step,time";
    for (const std::string_view phase : phase_names) line.append(",").append(phase);
    line += ",contacts,pairs,islands,iterations,residual,largest_depth,kinetic,gravity,elastic";
    for (const LedgerEntry& e : ledger_entries) line.append(",").append(e.name);
    return line + ",unconverged,coarsened,displacement,awake,state_hash\n";
}

std::string hash_text(std::uint64_t state_hash) {
    return fmt::format("{:016x}", state_hash);
}

std::string metrics_row(const World& world, std::uint64_t state_hash) {
    const StepReport& report = world.report();
    const Energy energy = world.settings().ledger ? report.energy : world.energy();
    const ConvergenceReport& c = report.convergence;
    std::string line = fmt::format("{},{}", world.steps(), world.time());
    for (const double seconds : report.times.seconds)
        fmt::format_to(std::back_inserter(line), ",{:.9f}", seconds);
    // {} prints the shortest text that reads back as the same double.
    fmt::format_to(std::back_inserter(line), ",{},{},{},{},{},{},{},{},{}", report.contacts, report.pairs,
                   report.islands, report.iterations, report.residual, report.largest_depth, energy.kinetic,
                   energy.gravity, energy.elastic);
    for (const LedgerEntry& e : ledger_entries)
        fmt::format_to(std::back_inserter(line), ",{}", report.ledger.*e.value);
    fmt::format_to(std::back_inserter(line), ",{},{},{},{},{}\n",
                   c.linear_solves + c.newton_solves + c.islands + c.position_islands + c.tet_solves,
                   c.coarsened, c.displacement, report.awake, hash_text(state_hash));
    return line;
}

Result<MetricsWriter> MetricsWriter::create(const std::filesystem::path& path) {
    auto file = GrowingFile::create(path);
    if (!file) return file.error();
    MetricsWriter writer(std::move(file).value());
    if (auto written = writer.file_.write(bytes_of(metrics_heading())); !written) return written.error();
    return writer;
}

Result<MetricsWriter> MetricsWriter::resume(const std::filesystem::path& path, std::uint64_t bytes) {
    auto file = GrowingFile::resume(path, bytes);
    if (!file) return file.error();
    return MetricsWriter(std::move(file).value());
}

Result<void> MetricsWriter::write(std::string_view row) {
    waiting_ += row;
    return waiting_.size() < flush_bytes ? Result<void>{} : flush();
}

Result<void> MetricsWriter::flush() {
    auto written = file_.write(bytes_of(waiting_));
    // Rows that could not be written are given up: the run ends here, and goes on from its checkpoint.
    waiting_.clear();
    return written;
}

Result<void> MetricsWriter::sync() {
    if (auto flushed = flush(); !flushed) return flushed;
    return file_.sync();
}

Result<std::vector<std::uint64_t>> read_hashes(const std::filesystem::path& path) {
    const auto fail = [&](std::size_t line, std::string problem) {
        return Error({.file = path.string(),
                      .place = fmt::format("line {}", line),
                      .problem = std::move(problem),
                      .cure = "name a run folder whose metrics.csv nobody has edited"});
    };
    if (auto opened = ReadFile::open(path); !opened) return opened.error();
    std::ifstream file(path, std::ios::binary);
    std::string line;
    if (!std::getline(file, line) || line + "\n" != metrics_heading()) {
        return fail(1, "this is not the heading of Plush's metrics");
    }
    std::vector<std::uint64_t> hashes;
    while (std::getline(file, line) && !file.eof()) {
        std::uint64_t step = 0, hash = 0;
        const std::string_view row = line;
        const std::size_t last = row.rfind(',');
        if (last == row.npos || !parse(row.substr(0, row.find(',')), step, 10) || row.size() - last != 17 ||
            !parse(row.substr(last + 1), hash, 16)) {
            return fail(hashes.size() + 2, "this is not a row of Plush's metrics");
        }
        if (step != hashes.size() + 1) {
            return fail(hashes.size() + 2,
                        fmt::format("step {} stands where step {} should", step, hashes.size() + 1));
        }
        hashes.push_back(hash);
    }
    return hashes;
}

}  // namespace plush
