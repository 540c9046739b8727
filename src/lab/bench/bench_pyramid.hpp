#pragma once

#include <string>
#include <vector>

// A pyramid of 1,035 boxes, 45 rows high and one box deep. Solvers that end their sweeps early let it lean
// and sink; what that saves is only comparable where the lean is.

namespace plush::lab {

struct PyramidRow {
    std::string name;              ///< of the engine and how it was asked
    int iterations = 0;            ///< allowed a step
    double seconds = 0;            ///< simulated
    double ms = 0, median_ms = 0;  ///< of the processor a step, one thread: all steps but the first
    double contacts = 0;           ///< a step, mean
    double lean = 0;   ///< largest horizontal distance of a box of the ten topmost from its start, m
    double sink = 0;   ///< how far the topmost box has come down, m
    double speed = 0;  ///< of all boxes at the end, root mean square, m/s
};

struct PyramidBench {
    std::vector<PyramidRow> rows;
    std::vector<std::string> notes;  ///< what is missing and how to get it; what was cut short
};

/// One run of each engine, whatever is asked: together they take minutes.
PyramidBench bench_pyramid();

}  // namespace plush::lab
