#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plush/detect/overlap.hpp"
#include "plush/geometry/check.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/tetrahedralise.hpp"

// One function a command. The options are what the command line said; main.cpp fills them in and knows
// nothing else. Each function returns the exit status.

namespace plush::app {

struct RunOptions {
    std::string scene{};    ///< a file or a built-in name; empty with --resume and --verify
    std::string variant{};  ///< of the scene; empty: all of them
    std::string out{};
    std::optional<double> duration{};
    std::optional<long long> steps{};
    int threads = 0;
    std::vector<std::string> set{};
    std::vector<std::string> record{};  ///< instead of the scene's
    std::optional<double> record_every{};
    double checkpoint_every = 0;
    std::string resume{}, verify{};
    std::string save_world{};    ///< a file for the world at the end
    std::string replay_input{};  ///< a file of plush view --save-input
    bool no_frames = false, replace = false, strict = false, quiet = false, json = false;
};
[[nodiscard]] int run(const RunOptions& options);

struct RenderOptions {
    std::string run{}, out{};
    std::optional<long long> frame{}, every{};
    std::optional<double> time{};
    std::optional<int> turntable{};
    std::string follow{};
    std::optional<double> orbit{};
    std::string size{}, camera{}, mode = "surface", quality = "normal";
    double fps = 0;
    int threads = 0;
    bool no_labels = false, quiet = false, json = false;
};
[[nodiscard]] int render(const RenderOptions& options);

struct CheckOptions {
    std::vector<std::string> files{};
    bool verbose = false;  ///< also who touches whom, and how
    bool json = false;
};
[[nodiscard]] int check(const CheckOptions& options);

struct MeshMakeOptions {
    GenerateSettings settings{};
    std::string out{};
    bool json = false;
};
[[nodiscard]] int mesh_make(const MeshMakeOptions& options);

struct MeshInfoOptions {
    std::string file{};
    bool json = false;
};
[[nodiscard]] int mesh_info(const MeshInfoOptions& options);

struct MeshRepairOptions {
    std::string file{}, out{};
    RepairSettings settings{};
    bool json = false;
};
[[nodiscard]] int mesh_repair(const MeshRepairOptions& options);

struct MeshTetOptions {
    std::string file{}, out{};
    std::string method = "lattice";
    TetSettings settings{};  ///< but for the method
    bool json = false;
};
[[nodiscard]] int mesh_tet(const MeshTetOptions& options);

/// Where a mesh is: numbers as they were given, or none.
struct MeshPlacement {
    std::vector<double> at{};    ///< x y z
    std::vector<double> turn{};  ///< axis and degrees
};

struct MeshOverlapOptions {
    std::string a{}, b{};  ///< b empty: a with itself, or with the half-space
    MeshPlacement place_a{}, place_b{};
    std::vector<double> half_space{};  ///< normal and offset
    OverlapSettings settings{};        ///< but for split, volume and axes
    bool whole = false, mean = false, tilted = false, json = false;
};
[[nodiscard]] int mesh_overlap(const MeshOverlapOptions& options);

struct ValidateOptions {
    std::vector<std::string> names{};  ///< empty: all problems
    std::string method = "points";     ///< or "all"
    std::string report{};              ///< an HTML file to write as well
    bool json = false;
};
[[nodiscard]] int validate(const ValidateOptions& options);

struct BenchOptions {
    std::vector<std::string> names{};  ///< empty: all
    int threads = 0, runs = 3;
    std::string mesh{}, meshes{};
    std::string report{};
    bool json = false;
};
[[nodiscard]] int bench(const BenchOptions& options);
[[nodiscard]] int bench_python(bool json);

struct StudyOptions {
    std::string name{}, out{};  ///< out empty: NAME.html
    std::string csv{};          ///< empty: a folder beside the report, with its name and _csv
    bool quiet = false, json = false;
};
[[nodiscard]] int study(const StudyOptions& options);

struct ViewOptions {
    std::vector<std::string> names{};  ///< scenes, runs, saved states; none: the gallery
    std::vector<std::string> set{}, variants{}, methods{};
    std::string save_input{};
    int port = 0, threads = 0;
    bool quiet = false, json = false;
};
[[nodiscard]] int view(const ViewOptions& options);

struct GalleryOptions {
    std::vector<std::string> names;
    std::string out = "docs", runs = "out/gallery";
    int threads = 0;
    bool quiet = false, json = false;
};
[[nodiscard]] int gallery(const GalleryOptions& options);

struct PlotOptions {
    std::string run{}, out{};            ///< out empty: RUN/plot.html
    std::vector<std::string> columns{};  ///< empty: those that were recorded, or the energies
    std::optional<double> from{}, to{};  ///< s
    bool quiet = false, json = false;
};
[[nodiscard]] int plot(const PlotOptions& options);

[[nodiscard]] int scenes(bool json);
[[nodiscard]] int schema();
[[nodiscard]] int version(bool json);

}  // namespace plush::app
