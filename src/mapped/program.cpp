// SPDX-License-Identifier: Apache-2.0
#include "mapped/program.hpp"

#include <dirent.h>
#include <link.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "mapped/system.hpp"
#include "platform/stack_memory.hpp"

namespace nopal::detail::mapped {
namespace {

std::uintptr_t page_down(std::uintptr_t p) noexcept { return p / page_size() * page_size(); }
std::uintptr_t page_up(std::uintptr_t p) noexcept { return page_down(p + page_size() - 1); }

/// Puts shared memory of [at, end), which has what [from, end) has now, in its place. Nobody may
/// write there meanwhile. Returns 0 or an error.
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

/// Whose data belongs to a process: it has thread-locals of threads, buffers, and locks that
/// nothing can make work between processes.
bool belongs_to_process(std::string_view path) noexcept {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  constexpr std::array kept = {"ld-linux", "linux-vdso", "libc.so", "libm.so", "libgcc_s.so"};
  return std::ranges::any_of(kept, [&](const char* k) { return name.starts_with(k); });
}

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

/// Of the main thread, and where the mapping below it ends.
struct stack_range : range {
  std::uintptr_t end_of_next = 0;
};

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

/// A stack in shared memory does not grow, so it gets at once what it might have grown to.
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

struct job {
  stack_range stack;
  std::uintptr_t lowest;
  int error;
};

/// On a thread of its own: the main thread stands still, and its stack may move from under it.
/// Allocates nothing, so that nothing is written between copy and move.
void* share_all(void* argument) {
  job& j = *static_cast<job*>(argument);
  int error = dl_iterate_phdr(share_object, nullptr);
  // `j` lies on that stack.
  if (error == 0) error = share(j.lowest, j.stack.begin, j.stack.end);
  j.error = error;
  return nullptr;
}

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
  job j{find_stack(), 0, 0};
  const auto here = reinterpret_cast<std::uintptr_t>(&j);
  if (here < j.stack.begin || here >= j.stack.end)
    throw std::logic_error(
        "nopal: a mapped runtime must be made on the stack of the main thread, and that must be "
        "found in /proc/self/maps");
  j.lowest = lowest_of_stack(j.stack);
  pthread_t mover;
  int error = pthread_create(&mover, nullptr, share_all, &j);
  if (error == 0) {
    pthread_join(mover, nullptr);
    error = j.error;
  }
  if (error != 0)
    throw std::system_error(error, std::system_category(),
                            "nopal: the program's memory cannot be shared");
}

}  // namespace nopal::detail::mapped
