#pragma once

#include "plush/core/export.hpp"

/// Marks what libplush_render.so calls inside libplush.so. Visible like PLUSH_API, but declared in private
/// headers, which are not installed: the two libraries are built together, and nobody else may rely on it.
#define PLUSH_INTERNAL_API PLUSH_API
