#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plush/world/world.hpp"
#include "record/file.hpp"

// metrics.csv: one row a step, for spreadsheets and for `plush run --verify`.

namespace plush {

/// The first line of every metrics.csv.
std::string metrics_heading();

/// The row of the world's last step. `state_hash` stands last, as 16 hexadecimal digits.
std::string metrics_row(const World& world, std::uint64_t state_hash);

std::string hash_text(std::uint64_t state_hash);

/// Writes rows. They wait in memory until a few thousand bytes have come together; flush() and sync() do not
/// wait. A failed write leaves whole rows in the file.
class MetricsWriter {
public:
    static Result<MetricsWriter> create(const std::filesystem::path& path);
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

/// The hashes of steps 1, 2, 3 … of a metrics.csv. A last row that is still being written is left out.
Result<std::vector<std::uint64_t>> read_hashes(const std::filesystem::path& path);

}  // namespace plush
