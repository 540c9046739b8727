#pragma once

namespace plush {

/// When the rows of a contact act in a step.
struct ContactTime {
    ContactTime(double h)
        : step(h), window(h) {}  // NOLINT: a step is the time of its contacts where nothing else is known
    ContactTime(double h, double at, double rest) : step(h), moment(at), window(rest) {}

    double step;        ///< s
    double moment = 0;  ///< after the start of the step: that of an impact
    double window;      ///< how long the bodies move with the velocities that the rows give them
};

}  // namespace plush
