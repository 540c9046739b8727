#pragma once

/// Marks what users of the shared libraries may call. Everything else is hidden (-fvisibility=hidden).
#define PLUSH_API __attribute__((visibility("default")))
