# Fails when a tier's executable has no test case, or when ctest knows another number of them than
# the executable: then a test would be skipped without a word.
execute_process(COMMAND ${executable} --count OUTPUT_VARIABLE counted COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${ctest} --test-dir ${build_dir} -N -L "^${tier}$"
  OUTPUT_VARIABLE known COMMAND_ERROR_IS_FATAL ANY)
if(NOT counted MATCHES "filters: ([0-9]+)")
  message(FATAL_ERROR "${executable} --count says no number:\n${counted}")
endif()
set(in_executable ${CMAKE_MATCH_1})
if(NOT known MATCHES "Total Tests: ([0-9]+)")
  message(FATAL_ERROR "ctest says no number:\n${known}")
endif()
math(EXPR in_ctest "${CMAKE_MATCH_1} - 1") # this check has the tier's label too

if(in_executable EQUAL 0)
  message(FATAL_ERROR "The tier '${tier}' has no test case.")
endif()
if(NOT in_executable EQUAL in_ctest)
  message(FATAL_ERROR "${executable} has ${in_executable} test cases, ctest knows ${in_ctest}: "
    "is there a ';', '[', ']' or '\"' in a name?")
endif()
message(STATUS "${in_executable} test cases")
