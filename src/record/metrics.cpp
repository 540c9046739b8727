#include "record/metrics.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
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

constexpr std::string_view last_column = ",state_hash";

/// The columns of every run.
std::string usual_columns() {
    std::string line = "step,time";
    for (const std::string_view phase : phase_names) line.append(",").append(phase);
    line += ",contacts,pairs,islands,iterations,residual,largest_depth,kinetic,gravity,elastic";
    for (const LedgerEntry& e : ledger_entries) line.append(",").append(e.name);
    line += ",unconverged,coarsened,displacement,awake";
    for (const ConvergenceEntry& e : convergence_entries) {
        if (e.count == &ConvergenceReport::coarsened) continue;  // it stands before
        // `islands` is the number of islands.
        line.append(",").append(e.count == &ConvergenceReport::islands ? "velocity_islands" : e.name);
    }
    return line + ",most_substeps,linear_residual,newton_residual,position_residual,tet_residual";
}

}  // namespace

std::string metrics_heading(std::span<const std::string> recorded) {
    std::string line = usual_columns();
    for (const std::string& name : recorded) line.append(",").append(csv_field(name));
    return line.append(last_column) + "\n";
}

std::optional<std::vector<std::string>> recorded_columns(std::string_view heading) {
    const std::string usual = usual_columns();
    if (!heading.starts_with(usual) || !heading.ends_with(last_column)) return std::nullopt;
    heading.remove_prefix(usual.size()), heading.remove_suffix(last_column.size());
    if (heading.empty()) return std::vector<std::string>{};
    if (heading.front() != ',') return std::nullopt;
    return csv_fields(heading.substr(1));
}

std::string hash_text(std::uint64_t state_hash) {
    return fmt::format("{:016x}", state_hash);
}

std::string metrics_row(const World& world, std::uint64_t state_hash, const RecordColumns& recorded,
                        bool due) {
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
    fmt::format_to(std::back_inserter(line), ",{},{},{},{}",
                   c.linear_solves + c.newton_solves + c.islands + c.position_islands + c.tet_solves,
                   c.coarsened, c.displacement, report.awake);
    for (const ConvergenceEntry& e : convergence_entries)
        if (e.count != &ConvergenceReport::coarsened)
            fmt::format_to(std::back_inserter(line), ",{}", c.*e.count);
    fmt::format_to(std::back_inserter(line), ",{},{},{},{},{}", c.max_substeps, c.linear_residual,
                   c.newton_residual, c.position_residual, c.tet_residual);
    recorded.append(world, line, due);
    return line + "," + hash_text(state_hash) + "\n";
}

Result<MetricsWriter> MetricsWriter::create(const std::filesystem::path& path,
                                            std::span<const std::string> recorded) {
    auto file = GrowingFile::create(path);
    if (!file) return file.error();
    MetricsWriter writer(std::move(file).value());
    if (auto written = writer.file_.write(bytes_of(metrics_heading(recorded))); !written)
        return written.error();
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

Result<MetricsTable> read_metrics(const std::filesystem::path& path) {
    if (auto opened = ReadFile::open(path); !opened) return opened.error();
    std::ifstream file(path, std::ios::binary);
    std::string line;
    MetricsTable table;
    if (std::getline(file, line)) {
        const auto recorded = recorded_columns(line);
        if (recorded) table.names = csv_fields(line), table.recorded = recorded->size();
    }
    if (table.names.empty())
        return Error({.file = path.string(),
                      .place = "line 1",
                      .problem = "this is not the heading of Plush's metrics",
                      .cure = "name a run folder that this version of Plush has written"});
    table.names.pop_back();  // state_hash is no number to draw
    table.columns.resize(table.names.size());
    while (std::getline(file, line) && !file.eof()) {
        const std::vector<std::string> fields = csv_fields(line);
        if (fields.size() != table.names.size() + 1) break;
        for (std::size_t c = 0; c < table.names.size(); ++c) {
            double value = 0;
            const char* const end = fields[c].data() + fields[c].size();
            const auto [after, bad] = std::from_chars(fields[c].data(), end, value);
            table.columns[c].push_back(bad == std::errc() && after == end ? value : std::nan(""));
        }
    }
    return table;
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
    if (!std::getline(file, line) || !recorded_columns(line)) {
        return fail(1, "this is not the heading of Plush's metrics");
    }
    std::vector<std::uint64_t> hashes;
    std::uint64_t first = 1;  // of a saved world that went on, the step after that
    while (std::getline(file, line) && !file.eof()) {
        std::uint64_t step = 0, hash = 0;
        const std::string_view row = line;
        const std::size_t last = row.rfind(',');
        if (last == row.npos || !parse(row.substr(0, row.find(',')), step, 10) || row.size() - last != 17 ||
            !parse(row.substr(last + 1), hash, 16)) {
            return fail(hashes.size() + 2, "this is not a row of Plush's metrics");
        }
        if (hashes.empty()) first = step;
        if (step != hashes.size() + first) {
            return fail(hashes.size() + 2,
                        fmt::format("step {} stands where step {} should", step, hashes.size() + first));
        }
        hashes.push_back(hash);
    }
    return hashes;
}

}  // namespace plush
