# cmake -DWEB=web -DOUT=FOLDER -DNPM=npm -DNODE=node -P BuildPage.cmake
# Installs the packages of web/package-lock.json where they are missing, builds the page into OUT/dist and the table
# OUT/page_files.cpp from it. Where that fails the table is empty and the build goes on.

function(give_up why)
  message("The page of `plush view` cannot be built: ${why}\nEverything else is built without it.")
  if(NOT EXISTS ${OUT}/page_files.cpp)
    file(WRITE ${OUT}/page_files.cpp "#include \"view/page_files.hpp\"\n\nnamespace plush::view {\n"
      "std::span<const PageFile> page_files() {\n    return {};\n}\n}  // namespace plush::view\n")
  endif()
endfunction()

file(MAKE_DIRECTORY ${OUT})
# Two builds share the folder of packages.
file(LOCK ${OUT}/../../node_modules.lock GUARD PROCESS TIMEOUT 600)
set(installed ${WEB}/node_modules/.plush-lock.json)
file(SHA256 ${WEB}/package-lock.json wanted)
set(have "")
if(EXISTS ${installed})
  file(READ ${installed} have)
endif()
if(NOT have STREQUAL wanted)
  message("Installing the packages of web/package-lock.json")
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error WORKING_DIRECTORY ${WEB}
    RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    string(SUBSTRING "${said}" 0 600 said)
    give_up("npm could not install its packages.\n${said}")
    return()
  endif()
  file(WRITE ${installed} ${wanted})
endif()

execute_process(COMMAND ${NODE} ${WEB}/node_modules/vite/bin/vite.js build --logLevel error --outDir ${OUT}/dist
  WORKING_DIRECTORY ${WEB} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT failed)
  execute_process(COMMAND ${NODE} ${WEB}/scripts/embed.mjs ${OUT}/dist ${OUT}/page_files.cpp
    RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
endif()
if(failed)
  # The packages are here, so this is a fault of the page's own sources.
  message(FATAL_ERROR "The page of `plush view` does not build.\n${said}")
endif()
file(TOUCH ${OUT}/stamp)
