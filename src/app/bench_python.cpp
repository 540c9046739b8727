#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/commands.hpp"
#include "app/output.hpp"

// plush bench python: what calling from Python costs, measured there (python/plush/bench.py).

namespace plush::app {
namespace {

namespace fs = std::filesystem;

/// The folder that holds the package `plush`: of the build folder, or of the environment that the program is installed in.
fs::path package_folder() {
    std::error_code ignored;
    const fs::path bin = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const fs::path& folder : {bin.parent_path() / "python", bin.parent_path().parent_path()})
        if (fs::exists(folder / "plush/_plush.so", ignored)) return folder;
    return {};
}

}  // namespace

int bench_python(bool json) {
    const fs::path folder = package_folder();
    if (folder.empty())
        return report(Error({.place = "python",
                             .problem = "the Python module is not beside this program",
                             .cure = "cmake --build --preset release --target plush_python"}),
                      json);
    setenv("PYTHONPATH", folder.c_str(), 1);
    execl("/usr/bin/python3", "python3", "-B", "-m", "plush.bench", json ? "--json" : nullptr, nullptr);
    return report(Error({.file = "/usr/bin/python3",
                         .problem = std::strerror(errno),
                         .cure = "apt install python3 python3-numpy"}),
                  json);
}

}  // namespace plush::app
