// SPDX-License-Identifier: Apache-2.0
// These take the place of the C library's functions in the whole program, its shared libraries
// included. The C library's own calls of them are not affected.
#include "mapped/refused.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <system_error>

#include "mapped/system.hpp"
#include "platform/message.hpp"
#include "platform/stack_memory.hpp"
#include "strand/strand_worker.hpp"

namespace nopal::detail::mapped {
namespace {

constinit std::atomic<bool> runtime_lives{false};
constinit std::atomic<pid_t> main_thread{0};

/// Whether the caller is code of the program, while a runtime lives: neither the scheduler of a
/// worker, nor a thread that watches one.
bool refuses() noexcept {
  if (!runtime_lives.load(std::memory_order_relaxed)) return false;
  const worker* w = this_worker();
  if (w != nullptr) return static_cast<const strand_worker*>(w)->current != nullptr;
  return gettid() == main_thread.load(std::memory_order_relaxed);
}

/// Tells the user that the program has called `function`, and what to do `instead`.
void say_refused(const char* function, const char* instead) noexcept {
  std::array<char, 256> message;
  std::snprintf(message.data(), message.size(),
                "%s is refused while a nopal::mapped::runtime lives: only one of its processes "
                "would have what it makes. %s",
                function, instead);
  write_message(message.data());
}

/// Does what say_refused() does, and returns what a refused system call returns.
int refused(const char* function, const char* instead) noexcept {
  say_refused(function, instead);
  errno = ENOTSUP;
  return -1;
}

/// Returns the C library's function of that name, which one below replaces.
template <class F>
F* next_of(const char* name) noexcept {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

/// Whether the function that returns to `address` is mimalloc's. All of its memory is shared and
/// readable and writable from the beginning, in all processes, whatever it asks for later in one.
bool is_of_allocator(const void* address) noexcept {
  Dl_info here{};
  Dl_info there{};
  const void* known = dlsym(RTLD_DEFAULT, "mi_malloc");
  return known != nullptr && dladdr(address, &here) != 0 && dladdr(known, &there) != 0 &&
         here.dli_fbase == there.dli_fbase;
}

/// The addresses that map_anonymous_memory_in_advance() has reserved. They are handed out one piece
/// after the other, and none comes back.
constinit std::byte* advance_begin = nullptr;
constinit std::size_t advance_bytes = 0;
constinit std::atomic<std::size_t> advance_used{0};

/// Returns the next piece, for the program's mmap(2), or MAP_FAILED with errno.
void* take_from_advance(std::size_t bytes) noexcept {
  const std::size_t pages = (bytes + page_size() - 1) / page_size();
  const std::size_t at = advance_used.fetch_add(pages * page_size(), std::memory_order_relaxed);
  if (bytes <= advance_bytes && at <= advance_bytes - bytes) return advance_begin + at;
  errno = ENOMEM;
  return MAP_FAILED;
}

/// Whether a piece lies at that address: its addresses must stay taken when it is unmapped.
bool from_advance(const void* at) noexcept {
  const auto* p = static_cast<const std::byte*>(at);
  return advance_begin <= p && p < advance_begin + advance_bytes;
}

constexpr const char* map_before = "Do it before the runtime is made";

}  // namespace

void refuse_changes(bool refused) noexcept {
  main_thread.store(getpid(), std::memory_order_relaxed);
  runtime_lives.store(refused, std::memory_order_relaxed);
}

void map_anonymous_memory_in_advance(std::size_t bytes) {
  void* p = reserve_shared(bytes);
  if (p == MAP_FAILED)
    throw std::system_error(errno, std::system_category(),
                            "nopal: no addresses for anonymous memory");
  advance_begin = static_cast<std::byte*>(p);
  advance_bytes = bytes;
}

}  // namespace nopal::detail::mapped

using namespace nopal::detail::mapped;

extern "C" {

/// Takes the place of the C library's function for the program and its libraries. Makes private
/// memory shared, since it would be each process's own. The memory of a thread's stack stays
/// private: threads are in one process.
void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  constexpr int writable = PROT_READ | PROT_WRITE;
  constexpr int of_threads = MAP_STACK | MAP_GROWSDOWN;
  const bool anonymous = (flags & MAP_ANONYMOUS) != 0 && (flags & of_threads) == 0;
  if (anonymous && is_of_allocator(__builtin_return_address(0))) protection = writable;
  const bool anywhere = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) == 0;
  if (anonymous && anywhere && protection == writable && advance_begin != nullptr)
    return take_from_advance(bytes);
  if (refuses()) {
    say_refused("mmap(2)", "Allocate with malloc or new, or map before the runtime is made");
    errno = ENOTSUP;
    return MAP_FAILED;
  }
  if (anonymous && (flags & MAP_PRIVATE) != 0)
    flags = (flags & ~MAP_PRIVATE) | MAP_SHARED | MAP_NORESERVE;
  void* p = system_mmap(at, bytes, protection, flags, file, static_cast<std::uint64_t>(offset));
  if (anonymous && p != MAP_FAILED) ask_for_huge_pages(p, bytes);
  return p;
}

void* mmap64(void* at, std::size_t bytes, int protection, int flags, int file, off64_t offset)
    __attribute__((alias("mmap")));

/// Gives the memory back to the kernel. The addresses stay taken in all processes.
int munmap(void* at, std::size_t bytes) {
  if (!refuses() && !from_advance(at)) return static_cast<int>(syscall(SYS_munmap, at, bytes));
  madvise(at, bytes, MADV_REMOVE);  // this fails for files that are open for reading only
  return 0;
}

/// Refuses while a runtime lives, since each process has protections of its own. The allocator's
/// calls are ignored: its memory is readable and writable in all processes.
int mprotect(void* at, std::size_t bytes, int protection) {
  if (is_of_allocator(__builtin_return_address(0))) return 0;
  if (refuses()) return refused("mprotect(2)", map_before);
  return static_cast<int>(syscall(SYS_mprotect, at, bytes, protection));
}

/// Refuses while a runtime lives: the memory would move in one process only.
void* mremap(void* at, std::size_t bytes, std::size_t new_bytes, int flags, ...) {
  void* to = nullptr;
  if ((flags & MREMAP_FIXED) != 0) {
    va_list more;
    va_start(more, flags);
    to = va_arg(more, void*);
    va_end(more);
  }
  if (refuses()) {
    refused("mremap(2)", map_before);
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(syscall(SYS_mremap, at, bytes, new_bytes, flags, to));
}

// brk() and sbrk() refuse always: the heap that they would extend is each process's own.
int brk(void*) { return refused("brk(2)", "Allocate with malloc or new"); }

void* sbrk(std::intptr_t) {
  refused("sbrk", "Allocate with malloc or new");
  return MAP_FAILED;
}

/// Refuses while a runtime lives: one process only would have the library. dlclose() likewise.
void* dlopen(const char* path, int flags) {
  if (refuses()) {
    refused("dlopen", "Load the library before the runtime is made");
    return nullptr;
  }
  static const auto next = next_of<void*(const char*, int)>("dlopen");
  return next(path, flags);
}

int dlclose(void* library) {
  if (refuses()) return refused("dlclose", "Close the library after the runtime has ended");
  static const auto next = next_of<int(void*)>("dlclose");
  return next(library);
}

/// Refuses while a runtime lives: the thread would see the memory of one process only.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  if (refuses()) {
    refused("pthread_create", "Fork in its place, or start threads after the runtime has ended");
    return EAGAIN;
  }
  static const auto next =
      next_of<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return next(thread, attributes, start, argument);
}

/// Refuses to fork: the child would write to the memory of its parent, in any program with a shared
/// heap.
pid_t fork() noexcept {
  say_refused("fork(2)",
              "The same holds for all of a program that is linked to nopal::mapped, since its heap "
              "is shared memory. Use posix_spawn, system or popen");
  errno = ENOTSUP;
  return -1;
}
}
