# Builds the test program `small` with the preset `asan` and runs it, and the planted fault beside it.
# Usage: cmake -DSOURCE=DIR -DARCH=LEVEL -P small.cmake
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --preset asan -DPLUSH_ARCH=${ARCH})
run(${CMAKE_COMMAND} --build --preset asan --target small planted_overflow)
run(${CMAKE_CTEST_COMMAND} --preset asan -L "^planted$")
run(${SOURCE}/build/asan/tests/sanitizers/small --gtest_brief=1 --gtest_filter=-*Full.*:*Full/*)
