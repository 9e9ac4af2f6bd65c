// SPDX-License-Identifier: Apache-2.0
// Counts the instructions that a piece of code executes, by stepping through it one by one.
#pragma once

#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <ostream>
#include <string>
#include <unordered_map>
#include <utility>

#include "instructions/x86_instruction.hpp"

namespace nopal_test {

/// What was executed. An iteration of a repeated string instruction counts as an instruction.
struct executed {
  std::uint64_t instructions = 0;
  std::uint64_t read_modify_writes = 0;  ///< The atomic ones.
  std::uint64_t fences = 0;
  std::uint64_t system_calls = 0;

  [[nodiscard]] std::uint64_t dear() const { return read_modify_writes + fences + system_calls; }
};

inline std::ostream& operator<<(std::ostream& out, const executed& e) {
  return out << e.instructions << " instructions, " << e.read_modify_writes
             << " atomic read-modify-writes, " << e.fences << " fences, " << e.system_calls
             << " system calls";
}

inline constexpr std::size_t most_sections = 8;

/// In code that is stepped through: here one section ends and that with this number begins. Section
/// 0 runs at full speed and is not counted.
[[gnu::always_inline]] inline void begin_section(std::size_t section) {
  asm volatile("int3" : : "D"(section) : "memory");  // section_tracer looks into rdi
}

struct stepped {
  std::array<executed, most_sections> sections{};
  int status = -1;         ///< The exit status; that of a shell where a signal ended it.
  std::string impossible;  ///< Why nothing could be counted; else empty.
};

/// Steps a child of this process through its sections until it ends.
class section_tracer {
 public:
  /// Exit status of a child that could not ask to be traced.
  static constexpr int untraceable = 121;

  explicit section_tracer(pid_t child) : child_(child) {}

  stepped run() {
    stepped result;
    for (bool runs = wait_for_mark(); runs;) {
      ptrace(PTRACE_SETOPTIONS, child_, nullptr, static_cast<long>(PTRACE_O_EXITKILL));
      const std::size_t section = register_at(offsetof(user_regs_struct, rdi)) % most_sections;
      if (section != 0) runs = step_to_mark(result.sections[section]);
      runs = runs && resume(PTRACE_CONT);
    }
    result.status = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
    if (result.status == untraceable)
      result.impossible = "this process may not trace another by ptrace(2)";
    return result;
  }

 private:
  bool wait_for_mark() {
    return wait() && (WSTOPSIG(status_) == SIGTRAP || resume(PTRACE_CONT, WSTOPSIG(status_)));
  }

  /// Stops in front of the mark.
  bool step_to_mark(executed& to) {
    for (;;) {
      const instruction_kind kind = kind_at(register_at(offsetof(user_regs_struct, rip)));
      if (kind == instruction_kind::breakpoint) return true;
      ++to.instructions;
      to.read_modify_writes += kind == instruction_kind::read_modify_write ? 1U : 0U;
      to.fences += kind == instruction_kind::fence ? 1U : 0U;
      to.system_calls += kind == instruction_kind::system_call ? 1U : 0U;
      if (!resume(PTRACE_SINGLESTEP)) return false;
    }
  }

  /// Until the next trap; other signals are the child's. False: it has ended.
  bool resume(__ptrace_request how, long signal = 0) {
    do {
      if (ptrace(how, child_, nullptr, signal) != 0 || !wait()) return false;
      signal = WSTOPSIG(status_);
    } while (signal != SIGTRAP);
    return true;
  }

  bool wait() {
    while (waitpid(child_, &status_, 0) < 0)
      if (errno != EINTR) return false;
    return WIFSTOPPED(status_);
  }

  [[nodiscard]] std::uint64_t register_at(std::size_t offset) const {
    return static_cast<std::uint64_t>(ptrace(PTRACE_PEEKUSER, child_, offset, nullptr));
  }

  instruction_kind kind_at(std::uint64_t address) {
    const auto [known, is_new] = kinds_.try_emplace(address);
    if (is_new) {
      std::array<std::uint8_t, 2 * sizeof(long)> code{};
      for (std::size_t i = 0; i < code.size(); i += sizeof(long)) {
        const long word = ptrace(PTRACE_PEEKTEXT, child_, address + i, nullptr);
        std::memcpy(code.data() + i, &word, sizeof word);
      }
      static_assert(longest_instruction <= code.size());
      known->second = kind_of(code);
    }
    return known->second;
  }

  pid_t child_;
  int status_ = 0;
  std::unordered_map<std::uint64_t, instruction_kind> kinds_;  // by address: code does not change
};

/// Calls f in a child of fork(2), and steps it through the sections that it begins. The exit status
/// is what f returns.
template <class F>
stepped single_stepped(F&& f) {
  const pid_t child = fork();
  if (child < 0) return {.impossible = std::string("fork: ") + std::strerror(errno)};
  if (child == 0) {
    alarm(50);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(section_tracer::untraceable);
    begin_section(0);
    int status = 120;
    try {
      status = std::forward<F>(f)();
    } catch (const std::exception& e) {
      std::cerr << "exception: " << e.what() << std::endl;
    }
    _exit(status);
  }
  return section_tracer(child).run();
}

}  // namespace nopal_test
