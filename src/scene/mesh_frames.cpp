#include "scene/mesh_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace plush {
namespace {

/// What stands for the *: numbers before letters, numbers by their size.
struct Stand {
    bool letters = true;
    unsigned long long number = 0;
    std::string text{};
    auto key() const { return std::tie(letters, number, text); }
};

Stand stand_of(std::string text) {
    Stand stand{.text = std::move(text)};
    const char* const end = stand.text.data() + stand.text.size();
    const auto [last, bad] = std::from_chars(stand.text.data(), end, stand.number);
    stand.letters = bad != std::errc() || last != end;
    if (stand.letters) stand.number = 0;
    return stand;
}

}  // namespace

Result<std::vector<std::string>> files_of_pattern(const std::string& pattern) {
    const std::filesystem::path path(pattern);
    const std::string name = path.filename().string();
    const auto fail = [&](std::string problem, std::string cure) {
        return Error({.file = pattern, .problem = std::move(problem), .cure = std::move(cure)});
    };
    const auto star = name.find('*');
    if (star == name.npos || name.find('*', star + 1) != name.npos)
        return fail("the name of the files has not one * in it",
                    "write * for what differs: \"walk/pose_*.obj\"");
    const std::string before = name.substr(0, star), after = name.substr(star + 1);
    std::error_code error;
    std::filesystem::directory_iterator it(path.has_parent_path() ? path.parent_path() : ".", error);
    if (error) return fail("its folder cannot be read", "name a folder with mesh files");
    std::vector<std::pair<Stand, std::string>> found;
    for (const std::filesystem::directory_iterator end; it != end; it.increment(error)) {
        const std::string file = it->path().filename().string();
        if (file.size() < before.size() + after.size() || !file.starts_with(before) || !file.ends_with(after))
            continue;
        found.emplace_back(stand_of(file.substr(before.size(), file.size() - before.size() - after.size())),
                           it->path().string());
    }
    if (found.empty())
        return fail("there is no such file", "look at the folder and at the name around the *");
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.first.key() < b.first.key(); });
    std::vector<std::string> files;
    for (auto& [stand, file] : found) files.push_back(std::move(file));
    return files;
}

Result<std::vector<MeshFrame>> load_frames(const FramesSpec& spec) {
    const auto files = files_of_pattern(spec.files);
    if (!files) return files.error();
    std::vector<MeshFrame> frames;
    for (const std::string& file : files.value()) {
        const auto mesh = Mesh::try_load(file, spec.import_as);
        if (!mesh) return mesh.error();
        if (!frames.empty()) {
            const Mesh& first = frames.front().mesh;
            const auto a = first.triangles(), b = mesh.value().triangles();
            if (first.positions().size() != mesh.value().positions().size() ||
                !std::equal(a.begin(), a.end(), b.begin(), b.end()))
                return Error({.file = file,
                              .problem = fmt::format(
                                  "it has {} vertices and {} triangles, and not the {} and {} of {}, "
                                  "or in another order",
                                  mesh.value().positions().size(), b.size(), first.positions().size(),
                                  a.size(), files.value().front()),
                              .cure = "export all frames of one mesh, with its vertices in their order"});
        }
        frames.push_back({static_cast<double>(frames.size()) / spec.rate, mesh.value()});
    }
    return frames;
}

}  // namespace plush
