# SPDX-License-Identifier: Apache-2.0
# Mutants: nopal with one step of its protocols left out or done wrongly. The adversary must find
# each.
#
# nopal_add_mutant(NAME (FILE file FROM text TO text)... PROGRAMS program... [LEVEL level])
#   FILE, FROM, TO  as nopal_mutate() has them
#   PROGRAMS        those that are to find it
#   LEVEL           that with which they are compiled; default O2
function(nopal_add_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LEVEL" "FILE;FROM;TO;PROGRAMS")
  if(NOT arg_LEVEL)
    set(arg_LEVEL O2)
  endif()
  # A source of the library that is wrong is as wrong whatever compiles it. A header becomes a part
  # of the programs, where compilers differ.
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT arg_FILE MATCHES "\\.hpp")
    return()
  endif()
  # Those of headers, whose programs are compiled anew, take the longest.
  set(tier CHECK)
  if(arg_FILE MATCHES "\\.hpp" OR NOT arg_LEVEL STREQUAL "O2")
    set(tier LARGE)
  endif()
  nopal_test_wanted(wanted ${tier})
  if(NOT wanted)
    return()
  endif()
  set(target adversary_mutant_${name})
  add_executable(${target})
  nopal_test_program(${target} adversary)
  nopal_mutate(${target} arg)
  set(compiled)
  if(arg_FILE MATCHES "\\.hpp")
    set(compiled ${arg_PROGRAMS})
  endif()
  # Programs are compiled anew only where they would come out differently.
  list(TRANSFORM compiled REPLACE "(.+)" "programs/\\1.cpp")
  target_sources(${target} PRIVATE ${compiled})
  if(NOT compiled)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:adversary_${arg_LEVEL}>)
  endif()
  target_link_libraries(${target} PRIVATE nopal_adversary)
  target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:adversary_${arg_LEVEL},COMPILE_OPTIONS>
    -w)

  list(TRANSFORM arg_PROGRAMS REPLACE "(.+)" "*.\\1_*")
  list(JOIN arg_PROGRAMS : filter)
  add_test(NAME mutant/${name} COMMAND ${CMAKE_COMMAND} -D program=$<TARGET_FILE:${target}>
    -D filter=${filter}
    -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/expect_failure.cmake)
  set_tests_properties(mutant/${name} PROPERTIES LABELS adversary TIMEOUT 120
    ENVIRONMENT ${nopal_test_environment})
endfunction()

# The statement that forks does not say that it loses registers.
nopal_add_mutant(registers_kept
  FILE include/nopal/detail/fork/fork_call.hpp FROM ": NOPAL_LOST_REGISTERS)"
  TO ": \"memory\", \"cc\")"
  PROGRAMS locals)

# What a child's result is to replace stays in a register over the fork, as where a compiler
# believes that nobody has its address. No compiler here can be brought to do so, so it is written
# out.
nopal_add_mutant(results_kept FILE include/nopal/fork_frame.hpp
  FROM "void fork(R* result, F&& f, A&&... args) {"
  TO "void fork(R* result, F&& f, A&&... args) {
    struct kept {
      R* where;
      R value;
      ~kept() { *where = value; }
    } kept{result, *result};"
  PROGRAMS control_flow)

# A register that calls preserve does not go along with a strand.
nopal_add_mutant(register_not_restored FILE src/platform/context.cpp
  FROM "    movq 24(\\from), %rbx\n" TO NOTHING
  PROGRAMS locals recursion)

# The compiler may address locals from the stack pointer, which on a thief points elsewhere.
nopal_add_mutant(locals_by_stack_pointer FILE include/nopal/detail/fork/frame_join.hpp
  FROM "address_locals_from_frame_pointer();" TO NOTHING
  PROGRAMS aligned)

# Arguments of an earlier call are taken from the stack only when the function is on another one.
# Only g++ pushes and waits, and only if nothing in front of the fork, as the question of a checking
# build, ends a basic block.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT NOPAL_CHECK)
  nopal_add_mutant(stack_pointer_not_settled FILE include/nopal/detail/fork/frame_join.hpp
    FROM "settle_stack_pointer();" TO NOTHING
    PROGRAMS arguments)
endif()

# A thief's stack has no room for what the function may store above its stack pointer. Only
# g++ does, if told.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  nopal_add_mutant(no_linkage_region FILE src/fork/frame_join.cpp
    FROM "fresh_stack_pointer(w, " TO "fresh_stack_pointer(w, 0 * "
    PROGRAMS arguments LEVEL O2_arguments_in_frame)
endif()

# A strand takes back what it pushed from the worker that it was on then, as it would if a compiler
# kept the address of a thread-local.
nopal_add_mutant(worker_kept FILE include/nopal/detail/join/two_way_join.hpp
  FROM "worker* w) noexcept
      : closure_continuation(run_stolen) {"
  TO "worker* w) noexcept
      : closure_continuation(run_stolen), forked_on(w) {"
  FILE include/nopal/detail/join/two_way_join.hpp
  FROM "return nopal::detail::take_back(position);" TO "return forked_on->deque.pop(position);"
  FILE include/nopal/detail/join/two_way_join.hpp
  FROM " protected:\n  /// Notes the exceptions of"
  TO "  worker* forked_on;\n protected:\n  /// Notes the exceptions of"
  PROGRAMS recursion)

# A worker goes on with a strand that has pushed at positions which are free there.
nopal_add_mutant(positions_left_behind FILE src/strand/stack_supply.cpp
  FROM "  w.deque.begin_above(s.pushed_below);\n" TO NOTHING
  PROGRAMS recursion)

# A thief that looks for its function after the owner has arrived does not find it.
nopal_add_mutant(function_not_kept FILE src/join/two_way_join.cpp
  FROM "function_of(seen), this" TO "nullptr, this"
  PROGRAMS recursion)

# A way out of the function, before the first fork, finds the frame as its memory was.
nopal_add_mutant(frame_not_begun FILE include/nopal/detail/join/split_counter.hpp
  FROM "std::uint64_t state_ = 0;" TO "std::uint64_t state_;"
  PROGRAMS control_flow)

# The join: an arrival is not counted, the parent does not reconcile the counter, or the thief keeps
# its arrival to itself.
nopal_add_mutant(child_not_counted FILE src/fork/frame_join.cpp
  FROM "counter_.arrives(-1)" TO "counter_.arrives(0)"
  PROGRAMS recursion)
nopal_add_mutant(parent_not_counted FILE src/fork/frame_join.cpp
  FROM "counter_.arrives(steals)" TO "counter_.arrives(0)"
  PROGRAMS recursion)
nopal_add_mutant(thief_not_announced FILE src/join/two_way_join.cpp
  FROM "join.arrival_.exchange(join.run, outcome)"
  TO "(static_cast<void>(outcome), join.arrival_.load(join.run))"
  PROGRAMS recursion)

# The thief reads the address to go on at from the victim's stack, which may have got another use by
# then.
nopal_add_mutant(address_left_on_stack FILE src/fork/frame_join.cpp
  FROM "  self.counter_.count_steal();\n"
  TO "  self.counter_.count_steal();\n  self.saved.ip = static_cast<void**>(self.saved.sp)[-1];\n"
  PROGRAMS loops)

# A victim gives away the stack that the forking function comes back to.
nopal_add_mutant(home_given_away FILE src/fork/frame_join.cpp
  FROM "end_strand({announce_child, this, &kept})" TO "end_strand({announce_child, this, nullptr})"
  PROGRAMS recursion loops)

# The same where another frame_join had brought the function home in between.
nopal_add_mutant(home_not_recognized FILE src/fork/frame_join.cpp
  FROM "const bool own = here->holds(saved.fp)" TO "const bool own = false"
  PROGRAMS loops)
nopal_add_mutant(away_from_home FILE src/fork/frame_join.cpp
  FROM "if (!here->holds(self.saved.fp)) " TO NOTHING
  PROGRAMS loops)

# An exception leaves the function without waiting for its children.
nopal_add_mutant(unwinding_without_join FILE include/nopal/fork_frame.hpp
  FROM "    join_.end();" TO "    if (std::uncaught_exceptions() == 0) join_.end();"
  PROGRAMS exceptions)

# The state of the thread's exceptions stays behind when a strand goes on elsewhere.
nopal_add_mutant(exceptions_left_behind FILE src/strand/strand.cpp
  FROM "s.go_on(w);"
  TO "strand_state other = s; assign(&other.exceptions, w.exceptions); other.go_on(w);"
  PROGRAMS exceptions)

# A thief begins without the exceptions of the fork, or without those that are on their way.
nopal_add_mutant(exceptions_of_fork_not_used FILE include/nopal/detail/join/two_way_join.hpp
  FROM "    run_by(run_with_exceptions);\n" TO NOTHING
  PROGRAMS exceptions)
nopal_add_mutant(exceptions_on_their_way_not_seen
  FILE include/nopal/detail/strand/exception_state.hpp
  FROM "(halves[0] | halves[1]) == 0" TO "halves[0] == 0"
  PROGRAMS exceptions)

# The rounding mode likewise.
nopal_add_mutant(rounding_left_behind FILE src/strand/strand.cpp
  FROM "s.go_on(w);" TO "strand_state other = s; other.fp = w.scheduler_fp; other.go_on(w);"
  PROGRAMS rounding)
nopal_add_mutant(rounding_of_fork_not_noticed FILE src/fork/frame_join.cpp
  FROM "  self.state.stolen();\n" TO NOTHING
  PROGRAMS rounding)

# Tasks. An arrival is not counted; a stack is spared that the parent comes back to, or used beside
# the child that is on it; a strand that stopped in place is not taken up by the one that waits; a
# thief does not begin with the exceptions of the strand that waits; exceptions lose their order;
# and a task that the base has resumed ends as if within its parent.
nopal_add_mutant(task_resumed_unmarked FILE src/task/task_promise.cpp
  FROM "    next.promise().is_resumed();\n" TO NOTHING
  PROGRAMS tasks)
nopal_add_mutant(task_not_counted FILE src/task/task_promise.cpp
  FROM "return arrives(-1)" TO "return arrives(0)"
  PROGRAMS tasks)
nopal_add_mutant(task_base_spared FILE src/task/task_promise.cpp
  FROM "if (base != header().base_stack())" TO "if (base != nullptr)"
  PROGRAMS tasks)
nopal_add_mutant(task_stack_kept FILE src/task/task_promise.cpp
  FROM "self.header().children = as_word(fresh);" TO NOTHING
  PROGRAMS tasks)
nopal_add_mutant(task_strand_not_taken_up FILE src/task/task_promise.cpp
  FROM "return announce_end(s.other);" TO "return nullptr;"
  PROGRAMS tasks)
nopal_add_mutant(task_exceptions_left_behind FILE src/task/task_promise.cpp
  FROM "state = base->outside;" TO "state.fp = base->outside.fp;"
  PROGRAMS tasks)
nopal_add_mutant(task_exceptions_out_of_order FILE src/task/task_promise.cpp
  FROM "p.thrown_.note(std::move(e), p.steals_before(*this));"
  TO "p.thrown_.note(std::move(e), 0);"
  PROGRAMS tasks)

# Reducers. A thief goes on with the views of another strand; the function's own views come before
# those of its children; segments of a task lose their numbers; blocks are merged across one that is
# missing; what the serial program does not run counts; and views stay behind at the end of a task.
nopal_add_mutant(views_of_another_strand FILE src/strand/strand.cpp
  FROM "  s.go_on(w);\n  before_switch"
  TO "  strand_state other = s; other.views = views_of_strand(); other.go_on(w);\n  before_switch"
  PROGRAMS reducers)
nopal_add_mutant(views_of_function_first FILE src/fork/frame_join.cpp
  FROM "linked(thrown_.take_views(), state.views)" TO "linked(state.views, thrown_.take_views())"
  PROGRAMS reducers)
nopal_add_mutant(views_of_task_without_number FILE src/task/task_promise.cpp
  FROM "base == nullptr ? 0 : base->segment" TO "base == nullptr ? 0 : 1"
  PROGRAMS reducers)
nopal_add_mutant(views_of_no_neighbours FILE src/join/left_views.cpp
  FROM "left.to + 1 == right->from" TO "left.to < right->from"
  PROGRAMS reducers)
nopal_add_mutant(views_behind_exception FILE src/fork/frame_join.cpp
  FROM "  mark_views_thrown();\n" TO NOTHING
  PROGRAMS reducers)
nopal_add_mutant(views_of_closure_kept FILE src/join/two_way_join.cpp
  FROM "go_on_without(v)" TO "go_on_with_product(v)"
  PROGRAMS reducers)
nopal_add_mutant(views_of_task_left_behind FILE src/task/task_promise.cpp
  FROM "  set_views_of_strand(views);\n" TO NOTHING
  PROGRAMS reducers)
