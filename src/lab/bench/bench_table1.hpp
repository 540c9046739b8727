#pragma once

#include <string>
#include <vector>

namespace plush::lab {

/// Milliseconds of a step, as Allard et al. 2010, Table 1, takes it apart: seeing the contacts and modelling
/// them, the motion of the bodies, the solves of velocities and of positions.
struct Table1Times {
    double see = 0, motion = 0, solve = 0;
    double step() const { return see + motion + solve; }
};

/// A row of the table, run here.
struct Table1Row {
    std::string name;
    std::string note{};  ///< why it was not run
    long long bodies = 0, triangles = 0, nodes = 0, dofs = 0;
    double pixel_mm = 0;
    std::string image{};  ///< the moving bodies' box in such pixels, or the cells of a distance field
    std::string paper_image{};
    int layers = 0;  ///< of depth images of the whole scene, at most; 0 where there are none
    int paper_layers = 0;
    int contacts = 0;  ///< at most
    double mean_contacts = 0;
    int paper_contacts = 0;
    double step_seconds = 0, tolerance = 0;
    double iterations = 0;    ///< sweeps, mean
    double motion_turns = 0;  ///< of the solves of motion, mean a body
    Table1Times min{}, median{}, mean{}, paper{};
    int steps = 0;                ///< in contact and motion, that were timed
    double steps_per_second = 0;  ///< mean over these
    double memory_mib = 0;
};

struct Table1Bench {
    std::vector<Table1Row> rows{};
};

/// Every scene of the table that exists, and the distance field that it has beside the armadillos, in the part in which bodies touch and move. `meshes`: a folder of
/// meshes to take instead of generated ones of the same name; empty: none.
Table1Bench bench_table1(int threads, const std::string& meshes = {});

}  // namespace plush::lab
