#include <fmt/format.h>

#include "geometry/io/io_formats.hpp"

// Geomview's Object File Format. The header word is [ST][C][N]OFF: vertices may carry a normal, a colour and
// texture coordinates behind their position, one vertex a line, so the rest of a line is passed over. A face
// line is its number of corners, the corners, and perhaps a colour.

namespace plush {
namespace {

/// The header word and its meaning; where the word is missing, as the format allows, the counts come first.
void read_header(Scanner& in, RawMesh& mesh) {
    Scanner ahead = in;
    std::string_view word = ahead.word();
    if (!word.ends_with("OFF")) {
        if (!word.empty() && word[0] >= '0' && word[0] <= '9') return;
        return in.fail("this is no OFF file: its first word is not OFF", "export it again as OFF");
    }
    in = ahead;
    word.remove_suffix(3);
    if (word.starts_with("ST")) word.remove_prefix(2), mesh.split = Split::seams;
    if (word.starts_with('C')) word.remove_prefix(1);
    if (word.starts_with('N')) word.remove_prefix(1), mesh.split = Split::seams;
    if (!word.empty())
        return in.fail("an OFF file of points that are not three-dimensional",
                       "export plain OFF, COFF or NOFF");
    if (!in.at_line_end() && ahead.word() == "BINARY")
        in.fail("a binary OFF file, which Plush does not read", "export it as text, or as PLY");
}

}  // namespace

Result<RawMesh> read_off(std::string_view data) {
    Scanner in(data, '#');
    RawMesh mesh;
    read_header(in, mesh);
    // "0 0 0\n" and "3 0 0 0\n": six and eight bytes are the least.
    const std::int64_t vertices = in.integer();
    if (in.has_room(vertices, 6, "vertices")) mesh.positions.reserve(static_cast<std::size_t>(vertices));
    const std::int64_t faces = in.integer();
    if (in.has_room(faces, 8, "faces")) mesh.triangles.reserve(static_cast<std::size_t>(faces));
    in.next_line();  // the number of edges is often wrong, and left out by some
    for (std::int64_t i = 0; i < vertices && in.ok(); ++i) {
        const double x = in.number(), y = in.number_in_line(), z = in.number_in_line();
        mesh.positions.push_back({x, y, z});
        in.next_line();
    }
    IndexCheck index(0);
    std::vector<int> corners;
    for (std::int64_t i = 0; i < faces && in.ok(); ++i) {
        const std::int64_t count = in.integer();
        if (!in.has_room(count, 2, "corners of a face")) break;
        corners.clear();
        for (std::int64_t k = 0; k < count && in.ok(); ++k) {
            if (in.at_line_end()) in.fail(fmt::format("the face promises {} corners and has {}", count, k));
            const std::size_t at = in.position();
            corners.push_back(index(in, in.integer(), at));
        }
        add_polygon(in, corners, mesh.triangles);
        in.next_line();
    }
    index.finish(in, mesh.positions.size());
    if (!in.ok()) return in.error();
    return mesh;
}

}  // namespace plush
