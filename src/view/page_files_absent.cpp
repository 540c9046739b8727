#include "view/page_files.hpp"

#ifndef PLUSH_HAS_PAGE
namespace plush::view {

std::span<const PageFile> page_files() {
    return {};
}

}  // namespace plush::view
#endif
