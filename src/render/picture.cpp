#include "render/picture.hpp"

#include <algorithm>

namespace plush::render {

void paste(Picture& whole, const Picture& part, int x, int y) {
    const int width = std::min(part.width, whole.width - x);
    for (int row = 0; row < part.height && y + row < whole.height; ++row) {
        std::copy_n(part.rgb.data() + part.at(0, row), 3 * std::max(width, 0),
                    whole.rgb.data() + whole.at(x, y + row));
    }
}

}  // namespace plush::render
