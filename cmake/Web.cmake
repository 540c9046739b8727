# The page of `plush view`: TypeScript in web/, bundled by npm's packages (web/package-lock.json names them) and put into the
# program as a C++ table, so that there are no web files beside it. Where npm or its packages cannot be had, the table is
# empty, the program says so when it is asked for the page, and everything else is as usual.
#
# plush_web(TARGET): adds the table (src/view/page_files.hpp) to the sources of TARGET.

option(PLUSH_WEB "Build the page of `plush view`, where npm is present" ON)

function(plush_web target)
  find_program(PLUSH_NPM npm)
  find_program(PLUSH_NODE NAMES node nodejs)
  if(NOT PLUSH_WEB OR NOT PLUSH_NPM OR NOT PLUSH_NODE OR PLUSH_SANITIZE)
    message(STATUS "The page of `plush view` is not built: npm is missing, or switched off (PLUSH_WEB)")
    return()
  endif()
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(out ${PROJECT_BINARY_DIR}/web)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/* ${web}/public/*)
  # The stamp is written only where the page was built: as long as it was not, every build tries again.
  add_custom_command(OUTPUT ${out}/stamp BYPRODUCTS ${out}/page_files.cpp
    COMMAND ${CMAKE_COMMAND} -DWEB=${web} -DOUT=${out} -DNPM=${PLUSH_NPM} -DNODE=${PLUSH_NODE}
            -P ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    DEPENDS ${sources} ${web}/index.html ${web}/package.json ${web}/package-lock.json ${web}/vite.config.ts
            ${web}/tsconfig.json ${web}/scripts/embed.mjs ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    COMMENT "Building the page of plush view" VERBATIM)
  add_custom_target(plush_page DEPENDS ${out}/stamp)
  set_source_files_properties(${out}/page_files.cpp PROPERTIES GENERATED ON SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${out}/page_files.cpp)
  target_compile_definitions(${target} PRIVATE PLUSH_HAS_PAGE)
  add_dependencies(${target} plush_page)
endfunction()
