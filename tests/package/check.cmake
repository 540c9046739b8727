# Installs a build of Plush under a folder of its own, moves it, and builds and runs the project beside this file
# against it. Usage: cmake -DBUILD=DIR -DCOMPILER=CXX -P check.cmake
set(work ${BUILD}/package)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/prefix)  # an installed copy must not know where it was installed

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/consumer -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/consumer)
run(${work}/consumer/version)
run(${work}/consumer/drop)
run(${work}/consumer/picture ${work}/run)
run(${work}/consumer/live)
# The installed program finds its library and its scenes.
run(${work}/prefix/bin/plush --version)
