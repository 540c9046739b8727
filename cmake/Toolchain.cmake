# Flags that every target gets. The promise of equal bits lives here: no contraction of a*b+c, no fast-math,
# a named instruction set and never -march=native.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(plush_flags INTERFACE)
target_compile_options(plush_flags INTERFACE -march=${PLUSH_ARCH} -ffp-contract=off
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -Wdouble-promotion -Wimplicit-fallthrough -Wnull-dereference)
# g++ 12 sees overlapping copies inside std::string where there are none (GCC bug 105651, at -O3).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(plush_flags INTERFACE -Wno-restrict)
endif()
# Vectors of four doubles are passed otherwise where there is no AVX. All that pass them are built together.
if(PLUSH_ARCH STREQUAL "x86-64-v2")
  target_compile_options(plush_flags INTERFACE -Wno-psabi)
endif()
# g++ 12 at -O3 also warns of members that are destroyed before they are made, and of null pointers in vectors that are not
# empty, where there are none: in release builds its warnings are told, but no errors. The test build has them as errors.
if(PLUSH_WERROR AND NOT (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
                         AND CMAKE_BUILD_TYPE STREQUAL "Release"))
  target_compile_options(plush_flags INTERFACE -Werror)
endif()
if(PLUSH_SANITIZE)
  target_compile_options(plush_flags INTERFACE -fsanitize=${PLUSH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(plush_flags INTERFACE -fsanitize=${PLUSH_SANITIZE})
  # g++ 12 sees null dereferences in the code that the sanitizers themselves insert.
  target_compile_options(plush_flags INTERFACE -Wno-null-dereference)
endif()

find_program(PLUSH_CCACHE ccache)
if(PLUSH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers are told apart by their content, and what was included by what the compiler says it was:
  # that spares a run of the preprocessor.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${PLUSH_CCACHE})
endif()

# A fast linker where the compiler can use one: mold, then lld, else the system's.
include(CheckLinkerFlag)
foreach(linker mold lld)
  check_linker_flag(CXX -fuse-ld=${linker} PLUSH_LINKS_WITH_${linker})
  if(PLUSH_LINKS_WITH_${linker})
    target_link_options(plush_flags INTERFACE -fuse-ld=${linker})
    break()
  endif()
endforeach()
