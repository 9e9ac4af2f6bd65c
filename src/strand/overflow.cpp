// SPDX-License-Identifier: Apache-2.0
#include "strand/overflow.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "platform/message.hpp"

namespace nopal::detail {
namespace {

struct sigaction previous{};
const char* (*overflow_at)(const void*) noexcept = nullptr;

/// A signal that another process or thread has sent, and no fault of the code that runs here.
bool sent_from_outside(const siginfo_t& info) noexcept { return info.si_code <= 0; }

/// Calls the handler that was installed before, with the signals blocked that it asked for.
void call_previous(int signal, siginfo_t* info, void* context) {
  const struct sigaction handler = previous;
  if ((handler.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) previous = {};  // SIG_DFL
  sigset_t blocked = handler.sa_mask;
  if ((handler.sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, signal);
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  if ((handler.sa_flags & SA_SIGINFO) != 0)
    handler.sa_sigaction(signal, info, context);
  else
    handler.sa_handler(signal);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// The end that the program would have had without nopal.
void die_of(int signal, const siginfo_t& info) noexcept {
  struct sigaction by_default{};
  sigaction(signal, &by_default, nullptr);
  // A fault happens again when the instruction is repeated. A signal from outside does not.
  if (sent_from_outside(info)) raise(signal);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (!sent_from_outside(*info))
    if (const char* message = overflow_at(info->si_addr)) broken_invariant(message);
  const bool has_handler = (previous.sa_flags & SA_SIGINFO) != 0 ||
                           (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN);
  if (has_handler)
    call_previous(signal, info, context);
  else if (previous.sa_handler == SIG_DFL || !sent_from_outside(*info))
    die_of(signal, *info);  // the kernel does not let a program ignore its faults
}

std::size_t signal_stack_bytes() noexcept {
  const auto least = std::max<std::size_t>(
      64 << 10, static_cast<std::size_t>(std::max(0L, sysconf(_SC_SIGSTKSZ))));
  return (least + page_size() - 1) / page_size() * page_size();
}

}  // namespace

void install_overflow_handler(const char* (*what_overflowed)(const void*) noexcept) noexcept {
  static const bool installed = [&] {
    overflow_at = what_overflowed;
    // First: another thread's fault may need it as soon as the handler is there.
    sigaction(SIGSEGV, nullptr, &previous);
    struct sigaction ours{};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    return sigaction(SIGSEGV, &ours, nullptr) == 0;
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
