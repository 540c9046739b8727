#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

// What a page may have drawn beside the bodies. It costs something, so it is sent only where it is asked for.

namespace plush::view {

enum class Layer { contacts, cells, strain, velocity, joints, tets };

struct LayerWord {
    Layer layer;
    std::string_view word;
};
/// `penetration` is another word for the contacts, in which the vectors are.
std::span<const LayerWord> layer_choices();
std::optional<Layer> find_layer(std::string_view word);

constexpr std::uint32_t bit(Layer layer) {
    return 1u << static_cast<unsigned>(layer);
}

}  // namespace plush::view
