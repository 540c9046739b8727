# Headers of others, and the few of ours under everything, are parsed once for all modules and once for all tests:
# they are most of what the compiler reads. For builds that are for tests only: without, a missing include is found,
# and g++ 12 at -O3 sees overflows inside std::string, where there are none, once it is no header of the system's.
option(PLUSH_PRECOMPILED "Parse common headers once" OFF)

set(plush_common_headers <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits> <map>
  <memory> <numeric> <optional> <span> <string> <string_view> <tuple> <utility> <variant> <vector> <immintrin.h>
  <fmt/format.h>)

# plush_precompiled(NAME [HEADERS HEADER...] [LINK LIBRARY...] [OPTIONS OPTION...]): what targets that are compiled
# alike, with the same options and definitions, share by plush_share(TARGET NAME).
function(plush_precompiled name)
  cmake_parse_arguments(arg "" "" "HEADERS;LINK;OPTIONS" ${ARGN})
  if(NOT PLUSH_PRECOMPILED)
    return()
  endif()
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.cpp.new "// The headers of the target are all that is here.\n")
  configure_file(${PROJECT_BINARY_DIR}/${name}.cpp.new ${PROJECT_BINARY_DIR}/${name}.cpp COPYONLY)
  add_library(${name} STATIC ${PROJECT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE plush_flags fmt::fmt ${arg_LINK})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_precompile_headers(${name} PRIVATE ${plush_common_headers} ${arg_HEADERS})
endfunction()

function(plush_share target name)
  if(PLUSH_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
