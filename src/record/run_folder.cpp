#include "record/run_folder.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/file.hpp"
#include "record/metrics.hpp"

namespace plush {

namespace {

namespace fs = std::filesystem;

/// Whether the file starts with this text.
bool starts_with(const fs::path& file, std::string_view text) {
    std::ifstream stream(file, std::ios::binary);
    std::string start(text.size(), '\0');
    return stream.read(start.data(), static_cast<std::streamsize>(start.size())) && start == text;
}

/// A table that a full disk has kept from getting its whole heading: the empty file too.
bool is_begun_table(const fs::path& file) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    const std::string heading = metrics_heading();
    return !error && size < heading.size() && starts_with(file, std::string_view(heading).substr(0, size));
}

bool is_table(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string line;
    return std::getline(stream, line) && recorded_columns(line).has_value();
}

/// By the content of its files, not their names: a folder with some metrics.csv of its own is left alone.
bool holds_run(const RunFolder& folder) {
    return starts_with(folder.frames(), "plushfrm") || starts_with(folder.checkpoint(), "plushchk") ||
           starts_with(folder.previous_checkpoint(), "plushchk") || is_begun_table(folder.metrics()) ||
           is_table(folder.metrics());
}

}  // namespace

bool can_go_on(const RunFolder& folder) {
    if (!folder.has_checkpoint()) return false;
    std::ifstream stream(folder.summary());
    const auto summary = nlohmann::json::parse(stream, nullptr, false);
    if (!summary.is_object()) return true;
    if (summary.value("finished", false)) return false;
    return summary.value("can_go_on", !summary.contains("error"));
}

Result<void> prepare_run_folder(const RunFolder& folder, bool replace) {
    const auto refuse = [&](std::string problem, std::string cure) {
        return Error({.file = folder.path.string(), .problem = std::move(problem), .cure = std::move(cure)});
    };
    std::error_code error;
    fs::create_directories(folder.path, error);
    if (error) return file_error(folder.path, error.value());
    const bool empty = fs::is_empty(folder.path, error);
    if (error) return file_error(folder.path, error.value());
    if (empty) return {};
    if (!holds_run(folder)) {
        return refuse("this folder holds something else than a Plush run, and nothing in it will be touched",
                      "name a new or empty folder");
    }
    if (!replace && can_go_on(folder)) {
        return refuse("this folder holds a run that was stopped before its end and can go on",
                      fmt::format("go on with plush run --resume {0}, or say --replace to start anew",
                                  folder.path.string()));
    }
    // Frames and metrics are cut to nothing where they are opened, behind their lock. A folder that another
    // run is writing must not lose its checkpoint before that lock refuses us, so it is asked first.
    if (auto lock = GrowingFile::create(folder.metrics()); !lock) return lock.error();
    for (const fs::path& old :
         {folder.checkpoint(), folder.previous_checkpoint(), folder.summary(), folder.frames()}) {
        fs::remove(old, error);
        if (error) return file_error(old, error.value());
    }
    return {};
}

}  // namespace plush
