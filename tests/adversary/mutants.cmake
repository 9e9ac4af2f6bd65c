# SPDX-License-Identifier: Apache-2.0
# Mutants: nopal with one step of its protocols left out or done wrongly. The adversary must find each.
#
# nopal_add_mutant(NAME (FILE file FROM text TO text)... PROGRAMS program... [OPTIONS flag...])
#   FILE      a header below include/, or a source below src/, of which a copy is changed
#   TO        what takes the place of FROM; NOTHING: leaves it out
#   PROGRAMS  those that are to find it
# What is to be replaced must be there: a mutant that is none would be found to pass only after a long build.
function(nopal_add_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILE;FROM;TO;PROGRAMS;OPTIONS")
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
  foreach(file IN LISTS arg_FILE)
    file(READ ${PROJECT_SOURCE_DIR}/${file} text_of_${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  endforeach()
  foreach(file from to IN ZIP_LISTS arg_FILE arg_FROM arg_TO)
    string(FIND "${text_of_${file}}" "${from}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "mutant ${name}: ${file} does not have the text\n${from}")
    endif()
    if(to STREQUAL "NOTHING")
      set(to "")
    endif()
    string(REPLACE "${from}" "${to}" text_of_${file} "${text_of_${file}}")
  endforeach()

  set(target adversary_mutant_${name})
  list(TRANSFORM arg_PROGRAMS REPLACE "(.+)" "programs/\\1.cpp")
  add_executable(${target} ${arg_PROGRAMS})
  target_include_directories(${target} BEFORE PRIVATE ${dir}/include)
  foreach(file IN LISTS arg_FILE)
    file(CONFIGURE OUTPUT ${dir}/${file} CONTENT "${text_of_${file}}" @ONLY)
    if(file MATCHES "\\.cpp$")
      # All its functions are then defined before the linker looks into the library, and the library's object stays out.
      target_sources(${target} PRIVATE ${dir}/${file})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE nopal_adversary)
  if(NOT arg_OPTIONS)
    set(arg_OPTIONS -O2)
  endif()
  target_compile_options(${target} PRIVATE ${arg_OPTIONS} -w)
  add_test(NAME mutant/${name}
    COMMAND ${CMAKE_COMMAND} -D program=$<TARGET_FILE:${target}> -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/expect_failure.cmake)
  set_tests_properties(mutant/${name} PROPERTIES LABELS adversary TIMEOUT 120)
endfunction()

# The statement that forks does not say that it loses registers. A call beside it would make compilers keep nothing in them
# anyway, so the way into the default runtime, which is not gone here, is left out.
nopal_add_mutant(registers_kept
  FILE include/nopal/detail/fork_call.hpp FROM ": NOPAL_LOST_REGISTERS)" TO ": \"memory\", \"cc\")"
  FILE include/nopal/detail/frame_join.hpp FROM "if (w == nullptr) [[unlikely]] w = address_now(*this)->enter();" TO NOTHING
  PROGRAMS locals)

# A register that calls preserve does not go along with a strand.
nopal_add_mutant(register_not_restored FILE src/platform/context.cpp
  FROM "    movq 24(\\from), %rbx\n" TO NOTHING
  PROGRAMS locals recursion)

# The compiler may address locals from the stack pointer, which on a thief points elsewhere.
nopal_add_mutant(locals_by_stack_pointer FILE include/nopal/detail/frame_join.hpp
  FROM "asm goto(\"\" : : : : never)" TO "if (false) goto never"
  PROGRAMS aligned)

# A thief's stack has no room for what the function may store above its stack pointer. Of our compilers only g++ does, if told.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  nopal_add_mutant(no_linkage_region FILE src/scheduler/frame_join.cpp
    FROM "fresh_stack_pointer(w, " TO "fresh_stack_pointer(w, 0 * "
    PROGRAMS arguments OPTIONS -O2 -maccumulate-outgoing-args)
endif()

# A forking function keeps the worker that it had at its first fork. (At the end of the class, so that the library's functions
# find the other members where they were.)
nopal_add_mutant(worker_kept
  FILE include/nopal/fork_frame.hpp FROM "worker* w = this_worker();" TO "worker* w = frame.worker_of_first_fork();"
  FILE include/nopal/detail/frame_join.hpp FROM "  alignas(std::exception_ptr) std::byte held_[sizeof(std::exception_ptr)];"
  TO "  alignas(std::exception_ptr) std::byte held_[sizeof(std::exception_ptr)];
  worker* first_ = nullptr;
 public:
  worker* worker_of_first_fork() { return first_ != nullptr ? first_ : first_ = this_worker(); }"
  PROGRAMS recursion loops)

# The join: an arrival is not counted, the parent does not reconcile the counter, or the thief keeps its arrival to itself.
nopal_add_mutant(child_not_counted FILE src/scheduler/frame_join.cpp
  FROM "word_.add(-1)" TO "word_.add(0)"
  PROGRAMS recursion)
nopal_add_mutant(parent_not_counted FILE src/scheduler/frame_join.cpp
  FROM "word_.add(steals)" TO "word_.add(0)"
  PROGRAMS recursion)
nopal_add_mutant(thief_not_announced FILE src/scheduler/two_way_join.cpp
  FROM "join.word_.exchange(outcome)" TO "(static_cast<void>(outcome), join.word_.load())"
  PROGRAMS recursion)

# The thief reads the address to go on at from the victim's stack, which may have got another use by then.
nopal_add_mutant(address_left_on_stack FILE src/scheduler/frame_join.cpp
  FROM "  self.state_ += one_steal;\n"
  TO "  self.state_ += one_steal;\n  self.saved.ip = static_cast<void**>(self.saved.sp)[-1];\n"
  PROGRAMS loops)

# A victim gives away the stack that the forking function comes back to.
nopal_add_mutant(home_given_away FILE src/scheduler/frame_join.cpp
  FROM "end_strand({announce_child, this, &kept})" TO "end_strand({announce_child, this, nullptr})"
  PROGRAMS recursion loops)

# An exception leaves the function without waiting for its children.
nopal_add_mutant(unwinding_without_join FILE include/nopal/fork_frame.hpp
  FROM "{ join_.end(); }" TO "{ if (std::uncaught_exceptions() == 0) join_.end(); }"
  PROGRAMS exceptions)

# The state of the thread's exceptions stays behind when a strand goes on elsewhere.
nopal_add_mutant(exceptions_left_behind FILE src/scheduler/strand.cpp
  FROM "assign(w.exceptions, &s.exceptions);" TO NOTHING
  PROGRAMS exceptions)

# The rounding mode likewise.
nopal_add_mutant(rounding_left_behind FILE src/platform/context.cpp
  FROM "    ldmxcsr 64(\\from)\n" TO NOTHING
  PROGRAMS rounding)
