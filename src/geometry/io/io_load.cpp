#include <array>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "geometry/io/io_file.hpp"
#include "geometry/io/io_formats.hpp"

// From a file to metres with y up: read, recognise the format, parse, weld, scale and turn.

namespace plush {
namespace {

using Reader = Result<RawMesh> (*)(std::string_view);

struct Format {
    std::string_view ending;
    Reader read;
    bool is_text;  ///< always: a zero byte in it is an error
};
constexpr Format obj{".obj", read_obj, true}, off{".off", read_off, true}, ply{".ply", read_ply, false},
    stl{".stl", read_stl, false}, msh{".msh", read_msh, false}, medit{".mesh", read_medit, true};
constexpr std::array<Format, 6> formats{obj, off, ply, stl, msh, medit};

constexpr std::string_view known_formats = "use OBJ, OFF, PLY, STL, MSH or MESH (as text)";

/// A file that begins like these is of that format whatever its name; OBJ has no mark of its own.
const Format* format_by_content(std::string_view data) {
    Scanner in(data, '#');
    const std::string_view word = in.word().substr(0, 64);
    if (word == "ply") return &ply;
    if (word.starts_with('$')) return &msh;
    if (same_word(word, "meshversionformatted")) return &medit;
    if (word.size() <= 7 && word.ends_with("OFF")) return &off;  // at most STCNOFF
    if (same_word(word, "solid")) return &stl;
    return nullptr;
}

const Format* find_format(std::string_view data, const std::filesystem::path& file) {
    if (const Format* format = format_by_content(data)) return format;
    const std::string ending = lower_ending(file);
    for (const Format& format : formats)
        if (ending == format.ending) return &format;
    return nullptr;
}

Result<RawMesh> parse(const std::filesystem::path& file, std::string_view data) {
    if (data.starts_with("\xEF\xBB\xBF")) data.remove_prefix(3);  // the mark of UTF-8
    const Format* format = find_format(data, file);
    if (format == nullptr)
        return Error({.problem = "the format is known neither by the content nor by the ending",
                      .cure = std::string(known_formats)});
    if (format->is_text)
        if (const std::size_t zero = data.find('\0'); zero != data.npos)
            return Error({.place = fmt::format("byte {}", zero),
                          .problem = fmt::format("binary data in a text file ({})", format->ending),
                          .cure = std::string(known_formats)});
    return format->read(data);
}

double metres(ImportSettings::Unit unit) {
    switch (unit) {
        case ImportSettings::Unit::m:
            return 1;
        case ImportSettings::Unit::cm:
            return 0.01;
        case ImportSettings::Unit::mm:
            return 0.001;
        case ImportSettings::Unit::inch:
            return 0.0254;
    }
    return 1;
}

/// Quarter turns that bring the file's up axis to y; right-handed, so no triangle turns inside out. Adding
/// zero makes +0 of −0.
Vec3 turned(const Vec3& p, ImportSettings::UpAxis up) {
    switch (up) {
        case ImportSettings::UpAxis::x:
            return {0.0 - p.y, p.x, p.z};
        case ImportSettings::UpAxis::y:
            return p;
        case ImportSettings::UpAxis::z:
            return {p.x, p.z, 0.0 - p.y};
    }
    return p;
}

Result<void> apply(const ImportSettings& settings, std::vector<Vec3>& positions) {
    if (!(settings.scale > 0 && std::isfinite(settings.scale)))
        return Error({.problem = fmt::format("the scale of the import is {}", settings.scale),
                      .cure = "give a number above zero"});
    const double factor = settings.scale * metres(settings.unit);
    for (std::size_t v = 0; v < positions.size(); ++v) {
        positions[v] = turned(positions[v] * factor, settings.up);
        if (!is_finite(positions[v]))
            return Error({.place = fmt::format("vertex {}", v),
                          .problem = "the scaled position is not finite",
                          .cure = "give a smaller scale"});
    }
    return {};
}

}  // namespace

Result<RawMesh> read_mesh_file(const std::filesystem::path& file, const ImportSettings& settings) {
    const Result<std::string> bytes = read_file(file);
    if (!bytes) return bytes.error();
    try {
        Result<RawMesh> mesh = parse(file, bytes.value());
        if (!mesh) return mesh.error().in_file(file.string());
        if (mesh.value().triangles.empty() && mesh.value().tets.empty())
            return Error({.file = file.string(),
                          .problem = "no triangles are in it",
                          .cure = "export a mesh with faces, not points, curves or other elements"});
        weld_split_vertices(mesh.value());
        if (const auto done = apply(settings, mesh.value().positions); !done)
            return done.error().in_file(file.string());
        return mesh;
    } catch (const std::bad_alloc&) {
        return Error({.file = file.string(),
                      .problem = "the mesh does not fit into memory",
                      .cure = "close other programs or simplify the mesh"});
    }
}

Result<std::string> encode_mesh(const std::filesystem::path& file, std::span<const Vec3> positions,
                                std::span<const Triangle> triangles, std::span<const Tet> tets) {
    const std::string ending = lower_ending(file);
    if (ending == ".mesh") return write_medit(positions, triangles, tets);
    if (!tets.empty())
        return Error({.problem = "tets cannot be written in this format", .cure = "end the name in .mesh"});
    if (ending == ".obj") return write_obj(positions, triangles);
    if (ending == ".ply") return write_ply(positions, triangles);
    if (ending == ".stl") return write_stl(positions, triangles);
    return Error({.problem = fmt::format("the ending '{}' names no format that Plush writes", ending),
                  .cure = "end the name in .obj, .ply, .stl or .mesh"});
}

}  // namespace plush
