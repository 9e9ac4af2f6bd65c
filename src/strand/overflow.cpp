// SPDX-License-Identifier: Apache-2.0
#include "strand/overflow.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "platform/message.hpp"

namespace nopal::detail {
namespace {

struct sigaction previous{};
bool (*is_overflow)(const void*) noexcept = nullptr;

void on_fault(int signal, siginfo_t* info, void* context) {
  if (is_overflow(info->si_addr))
    broken_invariant(
        "stack overflow: a strand needs more than its task stack has. Raise "
        "nopal::options::stack_bytes or the environment "
        "variable NOPAL_STACK_BYTES (1M unless set), or recurse less deeply");
  if ((previous.sa_flags & SA_SIGINFO) != 0)
    previous.sa_sigaction(signal, info, context);
  else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    previous.sa_handler(signal);
  else
    sigaction(SIGSEGV, &previous,
              nullptr);  // the instruction is repeated, and ends as it would have without nopal
}

std::size_t signal_stack_bytes() noexcept {
  const auto least = std::max<std::size_t>(
      64 << 10, static_cast<std::size_t>(std::max(0L, sysconf(_SC_SIGSTKSZ))));
  return (least + page_size() - 1) / page_size() * page_size();
}

}  // namespace

void install_overflow_handler(bool (*overflowed)(const void*) noexcept) noexcept {
  static const bool installed = [&] {
    is_overflow = overflowed;
    struct sigaction ours{};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    return sigaction(SIGSEGV, &ours, &previous) == 0;
  }();
  static_cast<void>(installed);
}

signal_stack::signal_stack() noexcept : memory_(map_stack_memory(signal_stack_bytes())) {
  if (memory_.begin == nullptr) return;
  stack_t s{};
  s.ss_sp = memory_.begin + memory_.guard;
  s.ss_size = memory_.usable;
  sigaltstack(&s, nullptr);
}

signal_stack::~signal_stack() {
  if (memory_.begin == nullptr) return;
  stack_t s{};
  s.ss_flags = SS_DISABLE;
  sigaltstack(&s, nullptr);
  unmap_stack_memory(memory_);
}

}  // namespace nopal::detail
