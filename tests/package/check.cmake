# Installs a build of Plush under a folder of its own, moves it, and builds and runs the project beside this file
# against it. Usage: cmake -DBUILD=DIR -DCOMPILER=CXX -P check.cmake
set(work ${BUILD}/package)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/prefix)  # an installed copy must not know where it was installed

# The world's functions are declared before they are written: the second program waits for them.
file(GLOB_RECURSE library ${work}/prefix/libplush.so)
execute_process(COMMAND nm -DC --defined-only ${library} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
set(with_world OFF)
if(symbols MATCHES "plush::World::step\\(\\)")
  set(with_world ON)
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/consumer -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${work}/prefix -DWITH_WORLD=${with_world})
run(${CMAKE_COMMAND} --build ${work}/consumer)
run(${work}/consumer/version)
if(with_world)
  run(${work}/consumer/drop)
endif()
# The installed program finds its library and its scenes.
run(${work}/prefix/bin/plush --version)
