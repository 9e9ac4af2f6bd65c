# SPDX-License-Identifier: Apache-2.0
# Transactions that leave out a step of the protocol. The judge of their histories must find each.
#
# nopal_add_stm_mutant(NAME FILE file FROM text TO text), as nopal_mutate() has them.
function(nopal_add_stm_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILE;FROM;TO")
  # The program is compiled anew where a header is wrong, which takes the longest.
  set(tier CHECK)
  set(program $<TARGET_OBJECTS:stress_stm_history>)
  if(arg_FILE MATCHES "\\.hpp")
    set(tier LARGE)
    set(program stm_history.cpp)
  endif()
  nopal_test_wanted(wanted ${tier})
  if(NOT wanted)
    return()
  endif()
  set(target stress_stm_without_${name})
  add_executable(${target})
  nopal_test_program(${target} stress)
  nopal_mutate(${target} arg)
  target_sources(${target} PRIVATE ${program})
  target_compile_options(${target} PRIVATE -O1 -w)
  target_link_libraries(${target} PRIVATE nopal_with_events nopal_test_support GTest::gtest
    GTest::gtest_main)
  add_test(NAME stress_stm_without/${name} COMMAND ${target} --gtest_also_run_disabled_tests
    --gtest_filter=StmMutant.DISABLED_IsFound)
  set_tests_properties(stress_stm_without/${name} PROPERTIES LABELS stress TIMEOUT 300
    ENVIRONMENT ${nopal_test_environment})
endfunction()

# A read takes any version, or does not look at the lock again.
nopal_add_stm_mutant(a_first_look FILE include/nopal/detail/stm/transaction_core.hpp
  FROM "if (seen > version_) [[unlikely]] {" TO "if (false) {")
nopal_add_stm_mutant(a_second_look FILE include/nopal/detail/stm/transaction_core.hpp
  FROM "if (lock.load(std::memory_order_relaxed) == seen) [[likely]] {" TO "{")
# What was read counts as unchanged, at a commit and when a version is extended.
nopal_add_stm_mutant(validation_at_commit FILE src/stm/commit.cpp
  FROM "nothing_between || is_unchanged()" TO "true")
nopal_add_stm_mutant(validation_at_extension FILE src/stm/transaction_core.cpp
  FROM "if (!is_unchanged()) unwind(state::conflicted);" TO NOTHING)
# Locks get their old versions back.
nopal_add_stm_mutant(new_versions FILE src/stm/commit.cpp
  FROM "version | r.mark" TO "r.before")
