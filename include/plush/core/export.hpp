#pragma once

/// Marks what users of the shared library may call. Everything else is hidden (-fvisibility=hidden).
#define PLUSH_API __attribute__((visibility("default")))
