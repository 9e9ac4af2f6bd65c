// SPDX-License-Identifier: Apache-2.0
#include "strand/overflow.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "platform/message.hpp"
#include "platform/unloading/at_unloading.hpp"

namespace nopal::detail {

/// What one nopal in the process tells of its handler to the others: a program may contain one, and
/// each of its plugins another. A note of the object file leads to it, by its distance.
struct fault_handler {
  struct sigaction previous;  ///< What it calls for faults that are none of its own.
};

}  // namespace nopal::detail

extern "C" {
// Optimization at link time does not see what assembly uses.
[[gnu::used,
  gnu::visibility("hidden")]] constinit nopal::detail::fault_handler nopal_fault_handler{};
}
asm(R"(
    .pushsection .note.nopal, "a", %note
    .balign 4
    .long 6, 8, 1
    .asciz "nopal"
    .balign 4
1:  .quad nopal_fault_handler - 1b
    .popsection
)");

namespace nopal::detail {
namespace {

constexpr std::string_view owner_of_note("nopal\0", 6);
constexpr ElfW(Word) type_of_note = 1;

struct sigaction& previous = nopal_fault_handler.previous;
const char* (*overflow_at)(const void*) noexcept = nullptr;

/// Whether another process or thread has sent the signal, so that it is no fault of the code that
/// runs here.
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

/// Ends the program as it would have ended without nopal.
void die_of(int signal, const siginfo_t& info) noexcept {
  struct sigaction by_default{};
  sigaction(signal, &by_default, nullptr);
  // A fault happens again when the instruction is repeated. A signal from outside does not.
  if (sent_from_outside(info)) raise(signal);
}

void on_fault(int signal, siginfo_t* info, void* context);

/// Whether this nopal's handler is set; a process can have several copies of nopal.
bool is_ours(const struct sigaction& a) noexcept {
  return (a.sa_flags & SA_SIGINFO) != 0 && a.sa_sigaction == on_fault;
}

/// Takes this handler out of the chain: if the nopal of the note calls it, that nopal calls the
/// handler before this one from here on.
void leave_chain(const ElfW(Nhdr) & note, const char* name, const char* what) noexcept {
  std::int64_t distance = 0;
  if (note.n_type != type_of_note || note.n_descsz != sizeof distance ||
      std::string_view(name, note.n_namesz) != owner_of_note)
    return;
  std::memcpy(&distance, what, sizeof distance);
  auto* other = reinterpret_cast<fault_handler*>(reinterpret_cast<std::intptr_t>(what) + distance);
  if (other != &nopal_fault_handler && is_ours(other->previous)) other->previous = previous;
}

/// Calls leave_chain() for each note of a shared object. dl_iterate_phdr(3) calls this for each
/// object of the process, when put_back() looks for other copies of nopal.
int leave_chain_of(dl_phdr_info* object, std::size_t, void*) noexcept {
  for (const ElfW(Phdr) & segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (segment.p_type != PT_NOTE) continue;
    const std::size_t align = segment.p_align == 8 ? 8 : 4;
    const auto padded = [align](std::size_t n) { return (n + align - 1) / align * align; };
    const auto* at = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    const char* const end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* const name = at + sizeof note;
      const char* const what = name + padded(note.n_namesz);
      at = what + padded(note.n_descsz);
      if (at <= end) leave_chain(note, name, what);
    }
  }
  return 0;
}

/// Puts back the handler that was there before. If another handler has come in the place of this
/// one, that stays; if it is another nopal's, it must not call this one any more. A fault at that
/// moment finds one of the two.
void put_back(bool) noexcept {
  struct sigaction now{};
  sigaction(SIGSEGV, nullptr, &now);
  if (is_ours(now))
    sigaction(SIGSEGV, &previous, nullptr);
  else
    dl_iterate_phdr(leave_chain_of, nullptr);
}

constinit at_unloading puts_back{unloading_step::handlers, put_back};

/// Handles SIGSEGV: explains the overflow of a strand's stack. Any other fault goes to the handler
/// that was there before.
void on_fault(int signal, siginfo_t* info, void* context) {
  if (!sent_from_outside(*info))
    if (const char* message = overflow_at(info->si_addr)) misuse(message);
  const bool has_handler = (previous.sa_flags & SA_SIGINFO) != 0 ||
                           (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN);
  if (has_handler)
    call_previous(signal, info, context);
  else if (previous.sa_handler == SIG_DFL || !sent_from_outside(*info))
    die_of(signal, *info);  // the kernel does not let a program ignore its faults
}

/// Returns the size of a worker's stack for the handler, in whole pages.
std::size_t signal_stack_bytes() noexcept {
  const auto least = std::max<std::size_t>(
      64 << 10, static_cast<std::size_t>(std::max(0L, sysconf(_SC_SIGSTKSZ))));
  return (least + page_size() - 1) / page_size() * page_size();
}

}  // namespace

void install_overflow_handler(const char* (*what_overflowed)(const void*) noexcept) noexcept {
  static const bool installed = [&] {
    overflow_at = what_overflowed;
    puts_back.note();
    // This comes first: another thread's fault may need `previous` as soon as the handler is there.
    sigaction(SIGSEGV, nullptr, &previous);
    struct sigaction ours{};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    return sigaction(SIGSEGV, &ours, nullptr) == 0;
  }();
  static_cast<void>(installed);
}

/// Gives the calling thread a stack on which its handler runs. If there is no memory for one, an
/// overflow is not explained.
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
