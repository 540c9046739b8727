# What a user gets: libplush.so and libplush_render.so with only the PLUSH_API symbols visible, the program `plush`, and
# the package files that make find_package(plush) work. Tests link the modules directly and so reach inside.

# plush_shared(TARGET OUTPUT MODULE...): the shared library libOUTPUT.so from the objects of the modules.
function(plush_shared target output)
  set(objects)
  foreach(module ${ARGN})
    list(APPEND objects $<TARGET_OBJECTS:plush_${module}>)
  endforeach()
  add_library(${target} SHARED ${objects})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output} INSTALL_RPATH $ORIGIN
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:plush_flags> $<BUILD_INTERFACE:fmt::fmt>)
  # Hidden visibility is not enough: libstdc++ and oneTBB mark their own templates visible, and each instance in
  # Plush would be exported too. The version script lets nothing out but namespace plush.
  target_link_options(${target} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
endfunction()

plush_shared(plush plush core math geometry bodies detect contact world scene record)
add_library(plush::plush ALIAS plush)
target_link_libraries(plush PRIVATE $<BUILD_INTERFACE:TBB::tbb> $<BUILD_INTERFACE:xxhash::xxhash> Threads::Threads)
# Pictures are a library of their own: who only simulates needs no Embree, libpng or FreeType.
plush_shared(plush_render_shared plush_render render)
add_library(plush::render ALIAS plush_render_shared)
set_target_properties(plush_render_shared PROPERTIES EXPORT_NAME render)
target_link_libraries(plush_render_shared PUBLIC plush PRIVATE $<BUILD_INTERFACE:embree> $<BUILD_INTERFACE:PNG::PNG>
  $<BUILD_INTERFACE:Freetype::Freetype>)
if(NOT PLUSH_SANITIZE)
  # What it calls in libplush.so must be visible there (core/internal_api.hpp).
  target_link_options(plush_render_shared PRIVATE -Wl,-z,defs)
endif()

# The viewer too: who only simulates needs no web server.
plush_shared(plush_view_shared plush_view view)
add_library(plush::view ALIAS plush_view_shared)
set_target_properties(plush_view_shared PROPERTIES EXPORT_NAME view)
target_link_libraries(plush_view_shared PUBLIC plush
  PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> $<BUILD_INTERFACE:civetweb::civetweb> Threads::Threads)
if(NOT PLUSH_SANITIZE)
  target_link_options(plush_view_shared PRIVATE -Wl,-z,defs)
endif()

file(GLOB app_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/app/*.cpp)
add_executable(plush_app ${app_sources})
set_target_properties(plush_app PROPERTIES OUTPUT_NAME plush RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
target_link_libraries(plush_app PRIVATE plush_flags plush_lab CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/plush)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plushConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(TARGETS plush EXPORT plushTargets)
install(TARGETS plush_render_shared EXPORT plush_renderTargets)
install(TARGETS plush_view_shared EXPORT plush_viewTargets)
install(TARGETS plush_app)
install(DIRECTORY include/plush DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/plush OPTIONAL)
# Of the viewer's gallery.
install(DIRECTORY docs/pictures DESTINATION ${CMAKE_INSTALL_DATADIR}/plush FILES_MATCHING PATTERN "*.png")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT plushTargets NAMESPACE plush:: DESTINATION ${package_dir})
install(EXPORT plush_renderTargets NAMESPACE plush:: DESTINATION ${package_dir})
install(EXPORT plush_viewTargets NAMESPACE plush:: DESTINATION ${package_dir})
install(FILES cmake/plushConfig.cmake ${PROJECT_BINARY_DIR}/plushConfigVersion.cmake DESTINATION ${package_dir})
