# Builds the test programs of ROOMS with the preset `asan` and runs their short tests.
# Usage: cmake -DSOURCE=DIR -DARCH=LEVEL -DROOMS=a,b -P small.cmake
string(REPLACE "," ";" ROOMS "${ROOMS}")
set(targets planted_overflow)
foreach(room ${ROOMS})
  file(GLOB sources ${SOURCE}/tests/${room}/*.cpp)
  if(sources)
    list(APPEND targets test_${room})
  endif()
endforeach()

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --preset asan -DPLUSH_ARCH=${ARCH})
run(${CMAKE_COMMAND} --build --preset asan --target ${targets})

list(TRANSFORM ROOMS REPLACE "(.+)" "^\\1$")
list(APPEND ROOMS "^planted$")
list(JOIN ROOMS "|" labels)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
run(${CMAKE_CTEST_COMMAND} --preset asan -L "${labels}" -j ${cores})
