#include "view/layer.hpp"

#include <array>

namespace plush::view {

namespace {
constexpr std::array<LayerWord, 7> words{{{Layer::contacts, "contacts"},
                                          {Layer::cells, "cells"},
                                          {Layer::strain, "strain"},
                                          {Layer::velocity, "velocity"},
                                          {Layer::joints, "joints"},
                                          {Layer::tets, "tets"},
                                          {Layer::contacts, "penetration"}}};
}  // namespace

std::span<const LayerWord> layer_choices() {
    return words;
}

std::optional<Layer> find_layer(std::string_view word) {
    for (const LayerWord& known : words)
        if (known.word == word) return known.layer;
    return std::nullopt;
}

}  // namespace plush::view
