# SPDX-License-Identifier: Apache-2.0
# Ranks that leave out a step of what docs/mpi.md says. Random operations must find each.
#
# nopal_add_mpi_mutant(NAME FILE file FROM text TO text), as nopal_mutate() has them.
function(nopal_add_mpi_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILE;FROM;TO")
  # The program is compiled anew where a header is wrong, which takes the longest.
  set(tier CHECK)
  set(program $<TARGET_OBJECTS:mpi_random>)
  if(arg_FILE MATCHES "\\.hpp")
    set(tier LARGE)
    set(program random.cpp)
  endif()
  nopal_test_wanted(wanted ${tier})
  if(NOT wanted)
    return()
  endif()
  set(target mpi_random_without_${name})
  add_executable(${target})
  nopal_test_program(${target} unit)
  nopal_mutate(${target} arg)
  target_sources(${target} PRIVATE ${program})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${target} PRIVATE -O1 -w)
  target_link_libraries(${target} PRIVATE nopal::mpi MPI::MPI_CXX nopal_test_support)
  nopal_add_mpi_test(mpi_random_without/${name} 6 ${target} 1 400)
  set_tests_properties(mpi_random_without/${name} PROPERTIES PROCESSORS 1
    PASS_REGULAR_EXPRESSION "wrong: |exited on signal")
endfunction()

# A rank that asks is answered in whatever operation this one is.
nopal_add_mpi_mutant(one_operation FILE src/mpi/sharing.cpp
  FROM "r.operation != number || " TO NOTHING)
# One that has asked is answered after the end.
nopal_add_mpi_mutant(forgetting_askers FILE src/mpi/sharing.cpp
  FROM "askers.clear();" TO NOTHING)
# An end is forgotten that comes before its operation has begun.
nopal_add_mpi_mutant(keeping_ends FILE src/mpi/sharing.cpp
  FROM "ends.emplace(of, std::move(o));\n  if (!is_now) return;"
  TO "if (!is_now) return;\n  ends.emplace(of, std::move(o));")
# Nobody hands on what rank 0 says to all.
nopal_add_mpi_mutant(handing_on FILE src/mpi/sharing.cpp
  FROM "children_of_rank * mail->rank() + 1" TO "(mail->rank() == 0 ? 1 : 100)")
# A node does not wait for children that are run elsewhere.
nopal_add_mpi_mutant(waiting_for_children FILE src/mpi/hub.cpp
  FROM "of->expect();" TO NOTHING)
# A child is run by two.
nopal_add_mpi_mutant(taking FILE include/nopal/detail/mpi/tree.hpp
  FROM "return !std::atomic_ref(children[i].is_taken).exchange(true, std::memory_order_relaxed);"
  TO "return true;")
# What is left of a node after a pause lacks its first child.
nopal_add_mpi_mutant(all_that_is_left FILE include/nopal/detail/mpi/tree.hpp
  FROM "for (; at != f.children.end(); ++at) rest" TO "while (++at != f.children.end()) rest")
