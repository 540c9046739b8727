# plush_test(MODULE LIBRARY): the program test_ROOM from tests/MODULE/ and its folders, and one ctest test for each
# of its GoogleTest cases.
#
# How long a test may take is said by the name of its suite, so that nobody has to edit CMake files:
#   Bvh.FindsAllPairs                short: part of ./test
#   BilliardFull.EnergyAfterAnHour   long: ./test --full physics
#   PredicatesExhaustiveFull.Orient  long: ./test --full exhaustive
include(GoogleTest)

# What ctest gives every test program. Sanitizers, or no optimisation, make a program about ten times slower.
set(plush_test_environment)
set(plush_test_slowness 1)
if(PLUSH_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(plush_test_slowness 10)
endif()
if(PLUSH_SANITIZE MATCHES "thread")
  list(APPEND plush_test_environment "TSAN_OPTIONS=halt_on_error=1")
elseif(PLUSH_SANITIZE)
  list(APPEND plush_test_environment "UBSAN_OPTIONS=print_stacktrace=1")
endif()

# The tests of one program whose names match FILTER, with this LABEL, stopped as hanging after SECONDS. One
# label a test: gtest_discover_tests takes lists apart.
function(plush_discover target filter label seconds)
  math(EXPR seconds "${seconds} * ${plush_test_slowness}")
  string(REPLACE test_ "" module ${target})
  set(environment)
  if(plush_test_environment)
    set(environment ENVIRONMENT "${plush_test_environment}")
  endif()
  gtest_discover_tests(${target} TEST_PREFIX ${module}. TEST_FILTER "${filter}" DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${label} TIMEOUT ${seconds} ${environment})
endfunction()

# What every test program has. Tests are compiled with less care for speed than what they test: it is most of
# the building, and little of the running.
function(plush_test_program target library)
  plush_share(${target} plush_test_headers)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE plush_flags ${library} GTest::gtest_main fmt::fmt
    nlohmann_json::nlohmann_json Eigen3::Eigen)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Test>:-O1>)
  target_compile_definitions(${target} PRIVATE
    PLUSH_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PLUSH_MESHES_DIR="${PLUSH_TEST_MESHES}"
    PLUSH_PROGRAM="$<TARGET_FILE:plush_app>")
endfunction()

plush_precompiled(plush_test_headers
  HEADERS <gtest/gtest.h> <nlohmann/json.hpp> <plush/core/error.hpp> <plush/math/vec.hpp>
  LINK GTest::gtest nlohmann_json::nlohmann_json OPTIONS $<$<CONFIG:Test>:-O1> -fPIE)

function(plush_test module library)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${module}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${module} ${sources})
  plush_test_program(test_${module} ${library})
  # `Full` ends the suite's name; a typed suite's name goes on with /0.
  plush_discover(test_${module} "-*Full.*:*Full/*" ${module} 120)
  plush_discover(test_${module} "*ExhaustiveFull.*:*ExhaustiveFull/*" full-exhaustive 7200)
  plush_discover(test_${module} "*Full.*:*Full/*-*ExhaustiveFull.*:*ExhaustiveFull/*" full-physics 7200)
endfunction()
