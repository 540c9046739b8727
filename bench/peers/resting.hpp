#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "clock.hpp"
#include "read_obj.hpp"

// What `plush bench bumps` asks of an engine: the slab that it is given, and how it rests.

struct BumpsTask {
    ObjMesh lower, upper;  ///< the upper one about its centre of mass
    double mass = 0, inertia[3] = {};
    double centre = 0, gap = 0;  ///< of its centre in the exact fit, and what it starts above that, m
    double friction = 0, gyration = 0, step = 0;
    int settle = 0, steps = 0;

    /// False where the words are not those of a task.
    bool read(int count, char** words) {
        if (count != 14) {
            std::fprintf(stderr,
                         "usage: %s LOWER.obj UPPER.obj MASS IX IY IZ CENTRE GAP FRICTION GYRATION STEP "
                         "SETTLE STEPS\n",
                         words[0]);
            return false;
        }
        lower = read_obj(words[1]), upper = read_obj(words[2]);
        mass = std::atof(words[3]);
        for (int k = 0; k < 3; ++k) inertia[k] = std::atof(words[4 + k]);
        centre = std::atof(words[7]), gap = std::atof(words[8]), friction = std::atof(words[9]);
        gyration = std::atof(words[10]), step = std::atof(words[11]);
        settle = std::atoi(words[12]), steps = std::atoi(words[13]);
        return !lower.triangles.empty() && !upper.triangles.empty() && mass > 0 && step > 0 && settle >= 0 &&
               steps > 0;
    }
};

/// Gathers the steps that are timed.
struct Resting {
    std::vector<double> seconds;
    double contacts = 0, squares = 0, depth = 0;

    /// One that took so long; v² + (gyration ω)².
    void add(double took, double its_contacts, double speed_squared) {
        seconds.push_back(took), contacts += its_contacts, squares += speed_squared;
    }

    void print(const char* version, double sink) {
        std::sort(seconds.begin(), seconds.end());
        const double n = double(seconds.size());
        std::printf(
            "{\"version\": \"%s\", \"ms\": %.6g, \"median_ms\": %.6g, \"contacts\": %.6g, \"speed\": %.6g, "
            "\"depth\": %.6g, \"sink\": %.6g}\n",
            version, 1e3 * seconds.front(), 1e3 * seconds[seconds.size() / 2], contacts / n,
            std::sqrt(squares / n), depth, sink);
    }
};
