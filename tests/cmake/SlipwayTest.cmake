# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0

# How tests are declared. Every test runs under tools/run_limited.py: past its limit the stacks of all its processes are
# printed and the processes ended; what is left running after its end is a failure as well. Limits are in seconds, times
# SLIPWAY_TEST_TIME_FACTOR if that is set. Tests with the label "full" run in `./bootstrap test --full` only.
include(GoogleTest)

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH SLIPWAY_TEST_DIR)
set(SLIPWAY_TEST_SLOWDOWN 1)
if(SLIPWAY_SANITIZE)
  set(SLIPWAY_TEST_SLOWDOWN 4)
endif()
set(SLIPWAY_TEST_PROPERTIES) # of every test that runs slipway's code
if(SLIPWAY_SANITIZE MATCHES "thread")
  set(SLIPWAY_TEST_PROPERTIES ENVIRONMENT_MODIFICATION
                              "TSAN_OPTIONS=set:suppressions=${SLIPWAY_TEST_DIR}/tools/tsan_suppressions.txt")
endif()

# slipway_test_limit(<variable> <seconds>): the limit on this kind of build.
function(slipway_test_limit variable seconds)
  math(EXPR limit "${seconds} * ${SLIPWAY_TEST_SLOWDOWN}")
  set(${variable} ${limit} PARENT_SCOPE)
endfunction()

# slipway_limited_command(<variable> <seconds>): the words to put before a test's command.
function(slipway_limited_command variable seconds)
  set(${variable} "${Python3_EXECUTABLE}" -I -S "${SLIPWAY_TEST_DIR}/tools/run_limited.py" ${seconds} PARENT_SCOPE)
endfunction()

# GoogleTest's header costs more to read than most tests: it is read once, for all of them.
function(_slipway_precompile target)
  if(target STREQUAL "slipway_test_headers")
    target_precompile_headers(${target} PRIVATE <gmock/gmock.h>)
  else()
    target_precompile_headers(${target} REUSE_FROM slipway_test_headers)
  endif()
  target_compile_options(${target} PRIVATE ${SLIPWAY_PRECOMPILED_OPTIONS})
endfunction()

function(_slipway_add_precompiled_headers)
  add_library(slipway_test_headers OBJECT "${SLIPWAY_TEST_DIR}/house/empty.cpp")
  slipway_own_target(slipway_test_headers)
  target_link_libraries(slipway_test_headers PRIVATE slipway::slipway GTest::gmock)
  _slipway_precompile(slipway_test_headers)
endfunction()

# slipway_test_executable(<target> SOURCES <files>... [LIBRARIES <targets>...]): a program of the tests, not yet a test.
function(slipway_test_executable target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${target} ${arg_SOURCES})
  slipway_own_target(${target})
  target_include_directories(${target} PRIVATE "${SLIPWAY_TEST_DIR}")
  target_link_libraries(${target} PRIVATE slipway::slipway ${arg_LIBRARIES})
  if("${arg_LIBRARIES}" MATCHES "GTest::gmock")
    _slipway_precompile(${target})
  endif()
endfunction()

# slipway_discover_tests(<target> [PREFIX <text>] [SUFFIX <text>] [TIMEOUT <seconds>] [LABELS <labels>...] [ARGS <words>...]):
# one test a GoogleTest case of <target>, found when ctest starts.
function(slipway_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;SUFFIX;TIMEOUT" "LABELS;ARGS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  slipway_test_limit(limit ${arg_TIMEOUT})
  slipway_limited_command(launcher ${limit})
  set_target_properties(${target} PROPERTIES CROSSCOMPILING_EMULATOR "${launcher}")
  set(properties PROPERTIES ${SLIPWAY_TEST_PROPERTIES})
  if(arg_LABELS)
    list(APPEND properties LABELS "${arg_LABELS}")
  endif()
  gtest_discover_tests(
    ${target}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    TEST_PREFIX "${arg_PREFIX}"
    TEST_SUFFIX "${arg_SUFFIX}"
    EXTRA_ARGS ${arg_ARGS}
    WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
    ${properties})
endfunction()

# slipway_add_test(<name> SOURCES <files>... [LIBRARIES <targets>...] [LABELS <labels>...] [TIMEOUT <seconds>]): GoogleTest
# cases in the program slipway_test_<name>.
function(slipway_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS")
  slipway_test_executable(slipway_test_${name} SOURCES ${arg_SOURCES} LIBRARIES GTest::gmock GTest::gtest_main
                                                                                ${arg_LIBRARIES})
  slipway_discover_tests(slipway_test_${name} PREFIX "${name}." TIMEOUT "${arg_TIMEOUT}" LABELS ${arg_LABELS})
endfunction()

# slipway_add_program_test(<name> COMMAND <words>... [STATUS <n>] [MATCHES <regex>] [PROCESSORS <n>] [LABELS <labels>...]
# [TIMEOUT <seconds>]): any command; it must end with <n> (0) and, if given, print something like <regex>.
function(slipway_add_program_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "STATUS;MATCHES;PROCESSORS;TIMEOUT" "COMMAND;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  slipway_test_limit(limit ${arg_TIMEOUT})
  slipway_limited_command(launcher ${limit})
  set(options)
  if(arg_STATUS)
    list(APPEND options --status ${arg_STATUS})
  endif()
  if(arg_MATCHES)
    list(APPEND options --matches "${arg_MATCHES}")
  endif()
  add_test(NAME ${name} COMMAND ${launcher} ${options} -- ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" ${SLIPWAY_TEST_PROPERTIES})
  if(SLIPWAY_SANITIZE MATCHES "address" AND "mpi" IN_LIST arg_LABELS) # MPI libraries keep memory until exit
    set_tests_properties(${name} PROPERTIES ENVIRONMENT_MODIFICATION "ASAN_OPTIONS=set:detect_leaks=0")
  endif()
  if(arg_PROCESSORS)
    set_tests_properties(${name} PROPERTIES PROCESSORS ${arg_PROCESSORS})
  endif()
endfunction()

# slipway_mpirun_is_open_mpi(<variable>): whether mpirun is that of Open MPI, which hands signals on and can leave the
# others alone when a rank is killed. MPICH's Hydra hands on some signals only, and kills all ranks with the first, also
# with -disable-auto-cleanup, so that what they would have noticed and said is lost.
function(slipway_mpirun_is_open_mpi variable)
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_VARIABLE version)
  string(REGEX MATCH "Open MPI|OpenRTE|PRRTE|prterun" found "${version}")
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# slipway_mpirun_flags(<variable>): what lets more ranks than cores share this machine.
function(slipway_mpirun_flags variable)
  slipway_mpirun_is_open_mpi(open_mpi)
  if(open_mpi)
    # The tests' own blocking MPI calls must give the core away where ranks outnumber cores.
    set(${variable} --map-by :OVERSUBSCRIBE --bind-to none --mca mpi_yield_when_idle 1 PARENT_SCOPE)
  else()  # MPICH and its kin neither count slots nor bind
    set(${variable} "" PARENT_SCOPE)
  endif()
endfunction()

# slipway_add_mpi_test(<name> SOURCES <files>...|TARGET <target> [LIBRARIES <targets>...] [RANKS <n>...] [ARGS <words>...]
# [LABELS <labels>...] [TIMEOUT <seconds>]): the program under mpirun, a test for each number of ranks (1 2 3 4 5; 4 only
# in full runs). Rank counts that are no power of two find the mistakes.
function(slipway_add_mpi_test name)
  if(NOT SLIPWAY_HAS_MPI)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGET;TIMEOUT" "SOURCES;LIBRARIES;RANKS;ARGS;LABELS")
  if(NOT arg_RANKS)
    set(arg_RANKS 1 2 3 4 5)
  endif()
  if(NOT arg_TARGET)
    set(arg_TARGET slipway_test_${name})
    slipway_test_executable(${arg_TARGET} SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES} MPI::MPI_CXX GTest::gmock
                                                                           GTest::gtest)
  endif()
  slipway_mpirun_flags(flags)
  foreach(ranks IN LISTS arg_RANKS)
    set(labels mpi ${arg_LABELS})
    if(ranks EQUAL 4 AND NOT arg_RANKS EQUAL 4)
      list(APPEND labels full)
    endif()
    slipway_add_program_test(
      mpi.${name}.${ranks}_ranks
      COMMAND ${MPIEXEC_EXECUTABLE} ${flags} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${arg_TARGET}> ${arg_ARGS}
      PROCESSORS ${ranks}
      LABELS ${labels}
      TIMEOUT "${arg_TIMEOUT}")
  endforeach()
endfunction()

# The flags that a user of slipway::slipway compiles with, as a response file.
function(_slipway_write_user_flags)
  add_library(slipway_test_user OBJECT EXCLUDE_FROM_ALL "${SLIPWAY_TEST_DIR}/house/empty.cpp")
  slipway_own_target(slipway_test_user)
  target_link_libraries(slipway_test_user PRIVATE slipway::slipway slipway::slurm GTest::gtest)
  set(includes "$<TARGET_PROPERTY:slipway_test_user,INCLUDE_DIRECTORIES>")
  set(includes "$<REMOVE_DUPLICATES:$<FILTER:${includes},EXCLUDE,^/usr/include$>>")
  set(definitions "$<TARGET_PROPERTY:slipway_test_user,COMPILE_DEFINITIONS>")
  string(CONCAT content "-std=c++20\n-fsyntax-only\n" "$<$<BOOL:${includes}>:-I$<JOIN:${includes},\n-I>\n>"
                        "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},\n-D>\n>")
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/tests/user_flags.rsp" CONTENT "${content}")
endfunction()
set(SLIPWAY_USER_COMPILE "${CMAKE_CXX_COMPILER}" "@${PROJECT_BINARY_DIR}/tests/user_flags.rsp")

# slipway_add_compile_failure_test(<name> SOURCE <file> SECTION <macro> MESSAGE <regex>): <file> must compile as it is, and
# with -D<macro> fail by a static assertion or an unmet constraint whose text matches <regex>.
function(slipway_add_compile_failure_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;SECTION;MESSAGE" "")
  get_filename_component(source "${arg_SOURCE}" ABSOLUTE)
  get_filename_component(stem "${arg_SOURCE}" NAME_WE)
  if(NOT TEST compile.${stem}.unchanged)
    add_test(NAME compile.${stem}.unchanged COMMAND ${SLIPWAY_USER_COMPILE} -Werror "${source}")
  endif()
  add_test(NAME compile.${stem}.${name}
           COMMAND "${Python3_EXECUTABLE}" -I -S "${SLIPWAY_TEST_DIR}/tools/expect_compile_failure.py" "${arg_MESSAGE}"
                   ${SLIPWAY_USER_COMPILE} -D${arg_SECTION} "${source}")
  set_tests_properties(compile.${stem}.unchanged compile.${stem}.${name} PROPERTIES TIMEOUT 120 LABELS compile)
endfunction()
