# The page of `plush view`: unit tests of its modules by Node, and a real browser (Debian's chromium, by playwright-core)
# that uses every control on small scenes. Where npm's packages or chromium are missing they are skipped, by name.
find_program(PLUSH_NODE NAMES node nodejs)

function(plush_page_test name)
  add_test(NAME view.${name} COMMAND ${ARGN})
  set_tests_properties(view.${name} PROPERTIES LABELS view SKIP_RETURN_CODE 77 TIMEOUT 1800)
endfunction()

set(web ${PROJECT_SOURCE_DIR}/web)
set(page_tests ${CMAKE_CURRENT_SOURCE_DIR}/view)
if(PLUSH_NODE)
  plush_page_test(page ${PLUSH_NODE} ${web}/scripts/unit-tests.mjs)
  foreach(test live touch pages recorded)
    plush_page_test(browser.${test} ${PLUSH_NODE} ${page_tests}/browser/${test}.mjs $<TARGET_FILE:plush_app> ${web})
    # It draws by software: beside another such test both would be slower than one after the other.
    set_tests_properties(view.browser.${test} PROPERTIES PROCESSORS 2 RESOURCE_LOCK browser)
  endforeach()
else()
  foreach(test page browser.live browser.touch browser.pages browser.recorded)
    plush_page_test(${test} ${CMAKE_COMMAND} -E false)
    set_tests_properties(view.${test} PROPERTIES SKIP_RETURN_CODE 1)
  endforeach()
endif()
