#pragma once

namespace plush::app {

/// From here on Ctrl-C and a request to terminate only raise a flag; a second one ends the program at once.
/// Writes to closed pipes and past file size limits fail with an error instead of ending the program.
void catch_signals();

/// Whether the flag is up.
bool interrupted();

}  // namespace plush::app
