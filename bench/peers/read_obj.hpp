#pragma once

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

// The plain OBJ files that the benchmark writes: v and f lines of triangles.

struct ObjMesh {
    std::vector<std::array<double, 3>> points;
    std::vector<std::array<unsigned, 3>> triangles;
};

inline ObjMesh read_obj(const char* file) {
    ObjMesh mesh;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "v") {
            auto& p = mesh.points.emplace_back();
            words >> p[0] >> p[1] >> p[2];
        } else if (kind == "f") {
            auto& t = mesh.triangles.emplace_back();
            for (unsigned& v : t) {
                std::string corner;
                words >> corner;
                v = static_cast<unsigned>(std::stoul(corner)) - 1;
            }
        }
    }
    return mesh;
}
