#include "core/stop.hpp"

namespace plush::detail {

std::atomic<bool> stop_wanted = false;

void throw_stopped() {
    // What takes the state back and writes a checkpoint runs loops too, and must get to its end.
    stop_wanted = false;
    throw Stopped();
}

}  // namespace plush::detail
