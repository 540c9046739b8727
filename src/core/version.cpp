#include "plush/core/version.hpp"

namespace plush {

std::string_view version() {
    return PLUSH_VERSION;
}

}  // namespace plush
