// SPDX-License-Identifier: Apache-2.0
#include "refusal/refusal.hpp"

#include <dlfcn.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct io_uring;
struct io_uring_params;
struct io_uring_probe;

namespace nopal_test {
namespace {

constexpr int madv_guard_install = 102;  // Linux 6.13; libc's headers may be older

refusal_plan plan_now;
std::atomic<bool> armed{false};
std::array<std::atomic<std::uint64_t>, resources> calls{};
std::array<std::atomic<std::uint64_t>, resources> failed{};

bool is_thread_of_nopal() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return std::string_view(name.data()).starts_with("nopal-");
}

std::uint64_t drawn(std::uint64_t n) {
  std::uint64_t z = plan_now.seed + (n + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Whether this call for `r` is to fail.
bool fails(resource r) {
  const auto i = static_cast<std::size_t>(r);
  if (!armed.load(std::memory_order_relaxed) || (plan_now.of & only(r)) == 0) return false;
  if (plan_now.threads_of_nopal && !is_thread_of_nopal()) return false;
  const std::uint64_t n = calls[i].fetch_add(1, std::memory_order_relaxed) + 1;
  const bool now =
      plan_now.at != 0 ? n == plan_now.at : drawn(n * resources + i) % plan_now.one_in == 0;
  if (now) failed[i].fetch_add(1, std::memory_order_relaxed);
  return now;
}

/// The function of this name that stands behind the one here.
template <class F>
F* real(const char* name) {
  void* p = dlsym(RTLD_NEXT, name);
  if (p == nullptr) std::abort();
  F* f = nullptr;
  std::memcpy(&f, &p, sizeof f);
  return f;
}

template <class Result>
Result failure(int error, Result result) {
  errno = error;
  return result;
}

using system_call = long(long, ...);
system_call* real_syscall() {
  static system_call* const f = real<system_call>("syscall");
  return f;
}

bool is_wait(long operation) {
  const long command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
}

}  // namespace

void refuse(const refusal_plan& plan) {
  plan_now = plan;
  for (auto& n : calls) n.store(0, std::memory_order_relaxed);
  for (auto& n : failed) n.store(0, std::memory_order_relaxed);
  armed.store(true, std::memory_order_seq_cst);
}

void refuse_nothing() { armed.store(false, std::memory_order_seq_cst); }

std::uint64_t refused(resource r) {
  return failed[static_cast<std::size_t>(r)].load(std::memory_order_relaxed);
}

#ifdef NOPAL_TEST_REFUSAL_PRELOADED
namespace {

/// "SEED,N": of the calls by nopal's threads one in N, drawn from the seed. What an operation of
/// nopal::io reports to its caller is not refused: the programs that run so are those of tests that
/// do not expect it.
[[gnu::constructor]] void refuse_by_environment() {
  const char* value = std::getenv("NOPAL_TEST_REFUSE");
  if (value == nullptr) return;
  refusal_plan p;
  const char* const end = value + std::strlen(value);
  const auto seed = std::from_chars(value, end, p.seed);
  if (seed.ptr == end || std::from_chars(seed.ptr + 1, end, p.one_in).ec != std::errc{} ||
      p.one_in == 0) {
    std::fprintf(stderr, "NOPAL_TEST_REFUSE is '%s', and not 'SEED,N'\n", value);
    std::abort();
  }
  p.threads_of_nopal = true;
  p.of = all_resources;
  for (const resource reported : {resource::thread, resource::epoll_create, resource::epoll_ctl,
                                  resource::eventfd, resource::pipe})
    p.of &= ~only(reported);
  refuse(p);
}

/// So that a run in which nothing was refused is seen.
[[gnu::destructor]] void say_refused() {
  if (std::getenv("NOPAL_TEST_REFUSE") == nullptr) return;
  std::fputs("refused:", stderr);
  bool any = false;
  for (std::size_t i = 0; i < resources; ++i) {
    const auto n = refused(static_cast<resource>(i));
    if (n == 0) continue;
    std::fprintf(stderr, " %s %llu", resource_names[i].data(), static_cast<unsigned long long>(n));
    any = true;
  }
  std::fputs(any ? "\n" : " nothing\n", stderr);
}

}  // namespace
#endif

}  // namespace nopal_test

using nopal_test::fails;
using nopal_test::failure;
using nopal_test::real;
using nopal_test::real_syscall;
using nopal_test::resource;

extern "C" {

void* mmap(void* at, std::size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  if (fails(resource::mmap)) return failure(ENOMEM, MAP_FAILED);
  return reinterpret_cast<void*>(
      real_syscall()(SYS_mmap, at, bytes, protection, flags, fd, offset));
}

int madvise(void* at, std::size_t bytes, int advice) noexcept {
  const bool guard = advice == nopal_test::madv_guard_install;
  if (fails(guard ? resource::guard : resource::madvise))
    return failure(guard ? EINVAL : ENOMEM, -1);
  return static_cast<int>(real_syscall()(SYS_madvise, at, bytes, advice));
}

int mprotect(void* at, std::size_t bytes, int protection) noexcept {
  if (fails(resource::mprotect)) return failure(ENOMEM, -1);
  return static_cast<int>(real_syscall()(SYS_mprotect, at, bytes, protection));
}

int mincore(void* at, std::size_t bytes, unsigned char* in_memory) noexcept {
  if (fails(resource::mincore)) return failure(EAGAIN, -1);
  return static_cast<int>(real_syscall()(SYS_mincore, at, bytes, in_memory));
}

int pipe(int* ends) noexcept {
  if (fails(resource::pipe)) return failure(EMFILE, -1);
  return static_cast<int>(real_syscall()(SYS_pipe2, ends, 0));
}

int epoll_create1(int flags) noexcept {
  if (fails(resource::epoll_create)) return failure(EMFILE, -1);
  return static_cast<int>(real_syscall()(SYS_epoll_create1, flags));
}

int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
  if (fails(resource::epoll_ctl)) return failure(ENOMEM, -1);
  return static_cast<int>(real_syscall()(SYS_epoll_ctl, epoll, operation, fd, event));
}

int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
  if (fails(resource::epoll_wait)) return failure(EINTR, -1);
  static auto* const next = real<int(int, epoll_event*, int, int)>("epoll_wait");
  return next(epoll, events, most, timeout);
}

int eventfd(unsigned initial, int flags) noexcept {
  if (fails(resource::eventfd)) return failure(EMFILE, -1);
  return static_cast<int>(real_syscall()(SYS_eventfd2, initial, flags));
}

int sched_setaffinity(pid_t thread, std::size_t bytes, const cpu_set_t* set) noexcept {
  if (fails(resource::affinity)) return failure(EPERM, -1);
  return static_cast<int>(real_syscall()(SYS_sched_setaffinity, thread, bytes, set));
}

int sigaltstack(const stack_t* given, stack_t* before) noexcept {
  if (fails(resource::signal_stack)) return failure(ENOMEM, -1);
  return static_cast<int>(real_syscall()(SYS_sigaltstack, given, before));
}

int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) noexcept {
  if (fails(resource::attributes)) return ENOMEM;
  static auto* const next = real<int(pthread_t, pthread_attr_t*)>("pthread_getattr_np");
  return next(thread, attributes);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  if (fails(resource::thread)) return EAGAIN;
  static auto* const next =
      real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return next(thread, attributes, start, argument);
}

long syscall(long number, ...) noexcept {
  std::va_list list;
  va_start(list, number);
  std::array<long, 6> a{};
  for (long& each : a) each = va_arg(list, long);
  va_end(list);
  if (number == SYS_membarrier && fails(resource::membarrier))
    return failure(a[0] == MEMBARRIER_CMD_QUERY ? ENOSYS : ENOMEM, -1L);
  if (number == SYS_futex && nopal_test::is_wait(a[1]) && fails(resource::futex_wait))
    return failure(ENOMEM, -1L);
  return real_syscall()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int io_uring_queue_init_params(unsigned entries, io_uring* ring, io_uring_params* p) {
  if (fails(resource::ring)) return -ENOMEM;
  static auto* const next =
      real<int(unsigned, io_uring*, io_uring_params*)>("io_uring_queue_init_params");
  return next(entries, ring, p);
}

io_uring_probe* io_uring_get_probe_ring(io_uring* ring) {
  if (fails(resource::ring_probe)) return nullptr;
  static auto* const next = real<io_uring_probe*(io_uring*)>("io_uring_get_probe_ring");
  return next(ring);
}

int io_uring_submit(io_uring* ring) {
  if (fails(resource::ring_enter)) return -EAGAIN;
  static auto* const next = real<int(io_uring*)>("io_uring_submit");
  return next(ring);
}

}  // extern "C"
