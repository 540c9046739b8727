#pragma once

#include <string>

#include "plush/record/run.hpp"
#include "plush/render/render.hpp"

namespace plush::app {

/// "2 min 5 s", "0.8 s".
std::string duration_text(double seconds);

/// Shows on standard error how far a run, or a film, has come: a bar that redraws itself on a terminal, else
/// a line every few seconds.
class Progress {
public:
    explicit Progress(std::string name);
    void show(const RunProgress& progress);
    void show(const render::RenderProgress& progress);
    /// Clears the bar, so that messages start on a line of their own.
    void finish();

private:
    bool is_time(double wall);
    void draw(double part, std::string line);

    std::string name_;
    bool terminal_;
    double last_ = 0;  // seconds since the start of the run
    bool drawn_ = false;
};

}  // namespace plush::app
