# plush_room(NAME [USES ROOM...] [LINK args...]): the static library plush_NAME from src/NAME/*.cpp.
# Public headers are include/plush/NAME/, private ones src/NAME/ (included as "NAME/x.hpp").
function(plush_room name)
  cmake_parse_arguments(arg "" "" "USES;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  add_library(plush_${name} STATIC ${sources})
  target_include_directories(plush_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  target_link_libraries(plush_${name} PRIVATE plush_flags)
  foreach(room ${arg_USES})
    target_link_libraries(plush_${name} PUBLIC plush_${room})
  endforeach()
  if(arg_LINK)
    target_link_libraries(plush_${name} ${arg_LINK})
  endif()
  set_property(GLOBAL APPEND PROPERTY PLUSH_ROOMS ${name})
endfunction()
