#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "geometry/io/io_formats.hpp"

namespace plush {

namespace {

constexpr std::size_t largest_fan = 16;  // corners of a polygon that is cut from its first one

}  // namespace

void IndexCheck::bad(Scanner& in, std::int64_t index, std::size_t at) const {
    in.fail_at(at, fmt::format("vertex index {} is out of range (the first vertex is {})", index, base_));
}

void IndexCheck::finish(Scanner& in, std::size_t vertices) const {
    if (largest_ < 0 || static_cast<std::size_t>(largest_) < vertices) return;
    in.fail_at(where_, fmt::format("vertex index {} is out of range (there are {} vertices)",
                                   std::int64_t{largest_} + base_, vertices));
}

void add_polygon(Scanner& in, std::span<const int> corners, std::vector<Triangle>& triangles) {
    if (corners.size() < 3)
        return in.fail(fmt::format("a face of {} vertices", corners.size()),
                       "a face needs at least 3; remove it or export the mesh again");
    if (corners.size() <= largest_fan) {
        for (std::size_t i = 2; i < corners.size(); ++i)
            triangles.push_back({corners[0], corners[i - 1], corners[i]});
        return;
    }
    // A fan of thousands would be slivers that all overlap in their boxes, and a vertex in thousands of triangles: whatever
    // looks at neighbours would take the square of that. So every second corner is cut off, until few are left: a corner is
    // in log2 n triangles, and most of those are small.
    std::vector<int> rest(corners.begin(), corners.end());
    while (rest.size() > 3) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < rest.size(); i += 2) {
            // The last of an even number goes with the first.
            if (i + 1 < rest.size()) triangles.push_back({rest[i], rest[i + 1], rest[(i + 2) % rest.size()]});
            rest[kept++] = rest[i];
        }
        rest.resize(kept);
    }
    if (rest.size() == 3) triangles.push_back({rest[0], rest[1], rest[2]});
}

template <class Item>
void drop_unused_vertices(std::vector<Vec3>& positions, std::vector<Item>& items) {
    std::vector<int> new_index(positions.size(), -1);
    for (const Item& item : items)
        for (int v : item) new_index[static_cast<std::size_t>(v)] = 0;
    int count = 0;
    for (std::size_t v = 0; v < positions.size(); ++v) {
        if (new_index[v] < 0) continue;
        positions[static_cast<std::size_t>(count)] = positions[v];
        new_index[v] = count++;
    }
    positions.resize(static_cast<std::size_t>(count));
    for (Item& item : items)
        for (int& v : item) v = new_index[static_cast<std::size_t>(v)];
}
template void drop_unused_vertices(std::vector<Vec3>&, std::vector<Triangle>&);
template void drop_unused_vertices(std::vector<Vec3>&, std::vector<Tet>&);

namespace {

template <class Number>
void append(std::string& out, Number x) {
    std::array<char, 32> buffer;  // the longest shortest double, -2.2250738585072014e-308, has 24
    const auto [end, code] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
    static_cast<void>(code);  // the buffer is large enough
    out.append(buffer.data(), end);
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

void append_number(std::string& out, double x) {
    append(out, x);
}
void append_number(std::string& out, int x) {
    append(out, x);
}

std::string lower_ending(const std::filesystem::path& file) {
    std::string ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), lower);
    return ending;
}

bool same_word(std::string_view a, std::string_view lower_b) {
    return std::equal(a.begin(), a.end(), lower_b.begin(), lower_b.end(),
                      [](char x, char y) { return lower(x) == y; });
}

}  // namespace plush
