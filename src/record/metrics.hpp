#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/file.hpp"
#include "plush/world/world.hpp"
#include "record/columns.hpp"

// metrics.csv: one row a step, for spreadsheets and for `plush run --verify`.

namespace plush {

/// The first line of every metrics.csv: the columns of every run, those that were asked for, and `state_hash`.
std::string metrics_heading(std::span<const std::string> recorded = {});
/// Those that were asked for, of such a line without its end; nothing where it is none.
std::optional<std::vector<std::string>> recorded_columns(std::string_view heading);

/// The row of the world's last step. `state_hash` stands last, as 16 hexadecimal digits. `due`: the columns that were asked
/// for have values.
std::string metrics_row(const World& world, std::uint64_t state_hash, const RecordColumns& recorded = {},
                        bool due = true);

std::string hash_text(std::uint64_t state_hash);

/// Writes rows. They wait in memory until a few thousand bytes have come together; flush() and sync() do not
/// wait. A failed write leaves whole rows in the file.
class MetricsWriter {
public:
    static Result<MetricsWriter> create(const std::filesystem::path& path,
                                        std::span<const std::string> recorded = {});
    static Result<MetricsWriter> resume(const std::filesystem::path& path, std::uint64_t bytes);

    Result<void> write(std::string_view row);
    Result<void> flush();
    Result<void> sync();  ///< flushed and on the disk
    std::uint64_t bytes() const { return file_.size(); }

private:
    explicit MetricsWriter(GrowingFile file) : file_(std::move(file)) {}
    GrowingFile file_;
    std::string waiting_;
};

/// metrics.csv as numbers, but for state_hash. Empty fields, and rows that are still being written, are NaN and left out.
struct MetricsTable {
    std::vector<std::string> names{};
    std::size_t recorded = 0;                    ///< so many at the end were asked for
    std::vector<std::vector<double>> columns{};  ///< of each name
};
Result<MetricsTable> read_metrics(const std::filesystem::path& path);

/// The hashes of steps 1, 2, 3 … of a metrics.csv. A last row that is still being written is left out.
Result<std::vector<std::uint64_t>> read_hashes(const std::filesystem::path& path);

}  // namespace plush
