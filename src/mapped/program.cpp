// SPDX-License-Identifier: Apache-2.0
#include "mapped/program.hpp"

#include <dirent.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "mapped/system.hpp"
#include "platform/signals_blocked.hpp"
#include "platform/stack_memory.hpp"

namespace nopal::detail::mapped {
namespace {

std::uintptr_t page_down(std::uintptr_t p) noexcept { return p / page_size() * page_size(); }
std::uintptr_t page_up(std::uintptr_t p) noexcept { return page_down(p + page_size() - 1); }

/// Puts shared memory in the place of [at, end), with what [from, end) has now. Nobody may write
/// there meanwhile. Returns 0 or an error.
int share(std::uintptr_t at, std::uintptr_t from, std::uintptr_t end) noexcept {
  if (from >= end) return 0;
  void* copy = system_mmap(nullptr, end - at, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy == MAP_FAILED) return errno;
  std::memcpy(static_cast<std::byte*>(copy) + (from - at), reinterpret_cast<void*>(from),
              end - from);
  void* moved =
      mremap(copy, end - at, end - at, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(at));
  return moved == MAP_FAILED ? errno : 0;
}

/// Whether the data of an object belongs to each process: it has thread-locals of threads, buffers,
/// and locks that nothing can make work between processes.
bool belongs_to_process(std::string_view path) noexcept {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  constexpr std::array kept = {"ld-linux", "linux-vdso", "libc.so", "libm.so", "libgcc_s.so"};
  return std::ranges::any_of(kept, [&](const char* k) { return name.starts_with(k); });
}

/// Shares the writable data of the program or of a shared library, except what the loader has
/// protected. dl_iterate_phdr(3) calls this for each, for share_all(). Returns 0 or an error.
int share_object(dl_phdr_info* object, std::size_t, void*) {
  if (belongs_to_process(object->dlpi_name)) return 0;
  const auto begin_of = [&](const auto& part) { return object->dlpi_addr + part.p_vaddr; };
  std::uintptr_t read_only_from = 0;
  std::uintptr_t read_only_to = 0;  // what the loader has relocated and then protected
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_GNU_RELRO) continue;
    read_only_from = page_down(begin_of(part));
    read_only_to = page_down(begin_of(part) + part.p_memsz);
  }
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
    std::uintptr_t from = page_down(begin_of(part));
    const std::uintptr_t end = page_up(begin_of(part) + part.p_memsz);
    if (read_only_from <= from && from < read_only_to) from = read_only_to;
    if (const int error = share(from, from, end)) return error;
  }
  return 0;
}

struct range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// The stack of the main thread, and where the mapping below it ends.
struct stack_range : range {
  std::uintptr_t end_of_next = 0;
};

/// Finds the main thread's stack in the list of the process's mappings. Returns an empty range if
/// it is not there.
stack_range find_stack() noexcept {
  stack_range s;
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return s;
  std::array<char, 512> line;
  std::uintptr_t before = 0;
  while (std::fgets(line.data(), line.size(), maps) != nullptr) {
    unsigned long begin = 0;
    unsigned long end = 0;
    if (std::sscanf(line.data(), "%lx-%lx", &begin, &end) != 2) continue;
    if (std::strstr(line.data(), "[stack]") != nullptr) {
      s.begin = begin;
      s.end = end;
      s.end_of_next = before;
    }
    before = end;
  }
  std::fclose(maps);
  return s;
}

/// Returns the lowest address of the stack in shared memory. Such a stack does not grow, so it gets
/// at once what it might have grown to.
std::uintptr_t lowest_of_stack(const stack_range& s) noexcept {
  constexpr rlim_t if_unlimited = rlim_t{64} << 20;
  constexpr rlim_t most = rlim_t{1} << 30;
  constexpr std::uintptr_t gap = std::uintptr_t{1} << 20;
  rlimit limit{if_unlimited, if_unlimited};
  getrlimit(RLIMIT_STACK, &limit);
  const rlim_t bytes = limit.rlim_cur == RLIM_INFINITY ? if_unlimited : limit.rlim_cur;
  const std::uintptr_t wanted = page_down(s.end - std::min(bytes, most));
  return std::min(s.begin, std::max(wanted, s.end_of_next + gap));
}

/// The job of sharing the program. It lies on the heap, which does not move.
struct job {
  // Values of `state`, a futex.
  static constexpr std::uint32_t main_runs = 0;
  static constexpr std::uint32_t main_stands = 1;  ///< The main thread writes nothing from here on.
  static constexpr std::uint32_t moved = 2;

  stack_range stack;
  std::uintptr_t lowest = 0;
  int error = 0;
  std::atomic<std::uint32_t> state{main_runs};
};

/// Lets the main thread stand still until all has moved, its own stack as well. What it wrote there
/// between copy and move would be lost. If that were a return address, the program would be lost.
/// So it writes nothing, not even by a call: it is in the kernel, or looks at `state`.
void stand_still(job& j) noexcept {
  static_assert(sizeof j.state == sizeof(std::uint32_t) && FUTEX_WAIT == 0);
  // This is no private futex, since the functions that wake others work between processes by now.
  register long no_timeout asm("r10") = 0;
  asm volatile(
      "movl %[stands], %%eax\n\t"
      "xchgl %%eax, (%%rdi)\n\t"  // releases what is on the stack, to the acquire in share_all()
      "1:\n\t"
      "movl %[futex], %%eax\n\t"
      "syscall\n\t"
      "cmpl %[moved], (%%rdi)\n\t"  // acquires what share_all() has released
      "jne 1b"
      :
      : [stands] "i"(job::main_stands), [moved] "i"(job::moved), [futex] "i"(SYS_futex),
        "D"(&j.state), "S"(FUTEX_WAIT), "d"(job::main_stands), "r"(no_timeout)
      : "rax", "rcx", "r11", "memory", "cc");
}

/// Shares all, on a thread of its own. It allocates nothing, so that nothing is written between
/// copy and move.
void* share_all(void* argument) {
  job& j = *static_cast<job*>(argument);
  // Pairs with the exchange in stand_still().
  while (j.state.load(std::memory_order_acquire) != job::main_stands) sched_yield();
  j.error = dl_iterate_phdr(share_object, nullptr);
  if (j.error == 0) j.error = share(j.lowest, j.stack.begin, j.stack.end);
  // Pairs with the comparison in stand_still().
  j.state.store(job::moved, std::memory_order_release);
  syscall(SYS_futex, &j.state, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  return nullptr;
}

/// Returns how many threads the process has, for require_one_thread(), or 0 if that cannot be found
/// out.
std::size_t threads() noexcept {
  std::size_t n = 0;
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return 0;
  while (const dirent* e = readdir(tasks))
    if (e->d_name[0] != '.') ++n;
  closedir(tasks);
  return n;
}

}  // namespace

void require_one_thread() {
  if (gettid() != getpid())
    throw std::logic_error(
        "nopal: a mapped runtime must be made by the main thread of the process");
  if (threads() != 1)
    throw std::logic_error(
        "nopal: a mapped runtime must be made while the process has one thread: its memory is "
        "moved, "
        "and its workers are copies of it. Make it before anything starts threads, and end other "
        "runtimes first");
}

void share_program() {
  const auto j = std::make_unique<job>();
  j->stack = find_stack();
  const auto here = reinterpret_cast<std::uintptr_t>(&j);
  if (here < j->stack.begin || here >= j->stack.end)
    throw std::logic_error(
        "nopal: a mapped runtime must be made on the stack of the main thread, and that must be "
        "found in /proc/self/maps");
  j->lowest = lowest_of_stack(j->stack);
  pthread_t mover;
  int error = 0;
  {
    const signals_blocked no_handler_writes;
    error = pthread_create(&mover, nullptr, share_all, j.get());
    if (error == 0) stand_still(*j);
  }
  if (error == 0) {
    pthread_join(mover, nullptr);
    error = j->error;
  }
  if (error != 0)
    throw std::system_error(error, std::system_category(),
                            "nopal: the program's memory cannot be shared");
}

}  // namespace nopal::detail::mapped
