#pragma once

#include <functional>

#include "plush/record/frames.hpp"
#include "record/checkpoint.hpp"
#include "record/metrics.hpp"

// Going on with the files of a run that may have been damaged since: a file that is whole up to the checkpoint is cut there.
// Of any other, what can be read is copied to a new file, and the damaged one is set aside under another name: nothing that
// was saved is lost, and what is written next stands where readers find it.

namespace plush {

/// A file to go on with, and what has to be said about it: nothing where it was whole.
template <class Writer>
struct Salvaged {
    Writer writer;
    std::vector<Error> notes{};
    std::int64_t kept = 0;  ///< frames, or rows
};

/// frames.plush up to the checkpoint. `header` makes the header anew where the file's own cannot be read.
Result<Salvaged<FrameWriter>> salvage_frames(const std::filesystem::path& path, const Checkpoint& checkpoint,
                                             const std::function<Result<FramesHeader>()>& header);

/// metrics.csv up to the checkpoint. `heading` is its first line.
Result<Salvaged<MetricsWriter>> salvage_metrics(const std::filesystem::path& path, const std::string& heading,
                                                const Checkpoint& checkpoint);

}  // namespace plush
