#pragma once

#include <string>
#include <vector>

// Overlaps of fine meshes, from moved positions to contacts: refitted clusters, images, columns, volumes and
// gradients. The scenes are of the size of those of Allard et al. 2010 (Table 1): two creatures in light
// contact, a pile of forty toys; and one overlap with more and more triangles. Side by side with an exact
// boolean and with rays, where they are installed.

namespace plush::lab {

struct OverlapRow {
    std::string name;
    long long triangles = 0;
    int pairs = 0, touching = 0;  ///< whose boxes meet, and that overlap
    std::string image;            ///< of all bodies together, in pixels
    double pixel = 0;             ///< m
    long long columns = 0, contacts = 0;
    double volume = 0;               ///< m³
    double one_ms = 0, many_ms = 0;  ///< all of it on one thread and on two, the minima
    double refit_ms = 0, plan_ms = 0, images_ms = 0, model_ms = 0;  ///< of it, on one thread
    double paper_ms = 0;  ///< published detection and modelling; 0 where there is none
    double ratio() const { return paper_ms > 0 && one_ms > 0 ? paper_ms / one_ms : 0; }
    double many_ratio() const { return paper_ms > 0 && many_ms > 0 ? paper_ms / many_ms : 0; }
};

struct OverlapPeerRow {
    std::string peer;   ///< and its version
    double ms = 0;      ///< the minimum
    double volume = 0;  ///< m³
    double plush_ms = 0, plush_volume = 0;
};

struct OverlapBench {
    std::vector<OverlapRow> rows;
    std::vector<OverlapPeerRow> peers;
    std::vector<std::string> notes;  ///< which peers are missing, and how to get them
};

OverlapBench bench_overlap(int runs);

}  // namespace plush::lab
