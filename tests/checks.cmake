# The checks that stand beside the tests in the `test` build, so that one run of ctest gives one summary. All
# of them have the label `check`; exit status 77 means that the check could not run here.
find_program(PLUSH_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)  # Debian's, whatever the path says
if(NOT PLUSH_PYTHON)
  find_program(PLUSH_PYTHON NAMES python3 REQUIRED)
endif()

function(plush_check name)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMAND_EXPAND_LISTS)
  set_tests_properties(${name} PROPERTIES LABELS check SKIP_RETURN_CODE 77 TIMEOUT 300)
endfunction()

set(house ${CMAKE_CURRENT_SOURCE_DIR}/house)
plush_check(house.arrows ${PLUSH_PYTHON} -B ${house}/arrows.py ${PROJECT_SOURCE_DIR})
plush_check(house.format ${PLUSH_PYTHON} -B ${house}/format.py ${PROJECT_SOURCE_DIR})
plush_check(house.names ${PLUSH_PYTHON} -B ${house}/names.py ${PROJECT_SOURCE_DIR})
plush_check(house.pinned ${PLUSH_PYTHON} -B ${house}/pinned.py ${PROJECT_SOURCE_DIR})
plush_check(house.size ${PLUSH_PYTHON} -B ${house}/size.py ${PROJECT_SOURCE_DIR})
plush_check(house.text ${PLUSH_PYTHON} -B ${house}/text.py ${PROJECT_SOURCE_DIR})
plush_check(house.words ${PLUSH_PYTHON} -B ${house}/words.py ${PROJECT_SOURCE_DIR})
plush_check(house.selftest ${PLUSH_PYTHON} -B ${house}/selftest.py)

# What README and the pages of docs/ show: scenes, commands, options, Python; and docs/start.md as its reader follows it.
plush_check(docs.snippets ${PLUSH_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/snippets.py check ${PROJECT_SOURCE_DIR} $<TARGET_FILE:plush_app>)
plush_check(docs.start ${PLUSH_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/snippets.py run ${PROJECT_SOURCE_DIR} $<TARGET_FILE:plush_app>
  ${PROJECT_BINARY_DIR}/python)
set_tests_properties(docs.start PROPERTIES TIMEOUT 900)
plush_check(docs.selftest ${PLUSH_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/selftest.py $<TARGET_FILE:plush_app>)
# The reference of the public headers, without a warning.
plush_check(docs.reference ${PLUSH_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/reference.py ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/reference)

# The second compiler on a part of the sources, without building. All modules are in `./test --full clang`.
plush_check(clang.syntax ${PLUSH_PYTHON} -B ${house}/clang_syntax.py ${PROJECT_SOURCE_DIR}
  ${PROJECT_BINARY_DIR}/tests/clang_syntax -DFMT_SHARED $<TARGET_PROPERTY:plush_flags,INTERFACE_COMPILE_OPTIONS>)
set_tests_properties(clang.syntax PROPERTIES RUN_SERIAL ON TIMEOUT 1200)

# What a user of the library does: install, find_package, build, run. The script builds, so it takes all cores.
plush_check(package.consumer ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DCOMPILER=${CMAKE_CXX_COMPILER}
  -P ${CMAKE_CURRENT_SOURCE_DIR}/package/check.cmake)
plush_check(package.symbols ${PLUSH_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/package/symbols.py
  $<TARGET_FILE:plush> $<TARGET_FILE:plush_render_shared> $<TARGET_FILE:plush_view_shared>)
set_tests_properties(package.consumer PROPERTIES RUN_SERIAL ON)

# The laws that ./test --full mutations breaks are still where it looks for them.
plush_check(mutations.texts ${PLUSH_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/mutations/mutations.py ${PROJECT_SOURCE_DIR} --texts)

# Ten steps of every scene: the motion that is stored, and no finding that is not.
plush_check(scenes.short_runs ${PLUSH_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/scenes/short_runs.py $<TARGET_FILE:plush_app> --findings)

# A small part of the tests again under the address and undefined-behaviour sanitizers: core, and geometry's
# readers of foreign files. All modules, and the thread sanitizer, are in `./test --full sanitizers`.
plush_check(sanitizers.small ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DARCH=${PLUSH_ARCH}
  -P ${CMAKE_CURRENT_SOURCE_DIR}/sanitizers/small.cmake)
set_tests_properties(sanitizers.small PROPERTIES RUN_SERIAL ON TIMEOUT 3600)
