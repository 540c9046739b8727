#pragma once

#include <span>
#include <string_view>

// The files of the page, which the build puts into the program (cmake/Web.cmake).

namespace plush::view {

struct PageFile {
    std::string_view path;  ///< as in the address: "/index.html", "/assets/x.js"
    std::string_view type;  ///< "text/html; charset=utf-8"
    std::span<const unsigned char> bytes;
};

/// Empty where the page was not built.
std::span<const PageFile> page_files();

}  // namespace plush::view
