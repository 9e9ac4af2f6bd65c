// SPDX-License-Identifier: Apache-2.0
// Threads of several processes can wait for the C library's locks by these functions. The C library
// sleeps by a futex that is the process's own, unless the lock is marked. These functions mark it,
// in the way of glibc, and call those of the C library. A lock is marked before anybody can sleep
// on it, because its first use is through one of these functions.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>

#include "mapped/refused.hpp"
#include "platform/futex.hpp"

namespace nopal::detail::mapped {

void replace_locks() noexcept {}

namespace {

/// Returns the C library's function of that name, which one below replaces.
template <class F>
F* real(const char* name, const char* version = nullptr) noexcept {
  void* f = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  return reinterpret_cast<F*>(f != nullptr ? f : dlsym(RTLD_NEXT, name));
}

/// There is an older version of condition variables too, with which nobody links any more.
constexpr const char* version_of_conditions = "GLIBC_2.3.2";

/// Makes a system call. The function of the C library that does so is replaced below.
long system_call(long number, long a, long b, long c, long d, long e, long f) noexcept {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  constexpr long greatest_error = 4095;
  if (result >= 0 || result < -greatest_error) return result;
  errno = static_cast<int>(-result);
  return -1;
}

/// Marks a lock. Another thread may mark it at the same time.
template <class T>
void mark(T& word, T bit) noexcept {
  std::atomic_ref<T> shared(word);
  if ((shared.load(std::memory_order_relaxed) & bit) == 0)
    shared.fetch_or(bit, std::memory_order_relaxed);
}

// These mark a lock, and return it for the C library's function.

pthread_mutex_t* marked(pthread_mutex_t* m) noexcept {
  constexpr int shared = 128;  // PTHREAD_MUTEX_PSHARED_BIT
  mark(m->__data.__kind, shared);
  return m;
}

pthread_cond_t* marked(pthread_cond_t* c) noexcept {
  constexpr unsigned shared = 1;  // __PTHREAD_COND_SHARED_MASK
  mark(c->__data.__wrefs, shared);
  return c;
}

pthread_rwlock_t* marked(pthread_rwlock_t* l) noexcept {
  mark(l->__data.__shared, 1);
  return l;
}

}  // namespace
}  // namespace nopal::detail::mapped

using namespace nopal::detail::mapped;

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  static const auto f = real<int(pthread_mutex_t*)>("pthread_mutex_lock");
  return f(marked(m));
}
int pthread_mutex_trylock(pthread_mutex_t* m) noexcept {
  static const auto f = real<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  return f(marked(m));
}
int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* until) noexcept {
  static const auto f = real<int(pthread_mutex_t*, const timespec*)>("pthread_mutex_timedlock");
  return f(marked(m), until);
}
int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock, const timespec* until) noexcept {
  static const auto f =
      real<int(pthread_mutex_t*, clockid_t, const timespec*)>("pthread_mutex_clocklock");
  return f(marked(m), clock, until);
}

int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  static const auto f =
      real<int(pthread_cond_t*, pthread_mutex_t*)>("pthread_cond_wait", version_of_conditions);
  return f(marked(c), m);
}
int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* until) {
  static const auto f = real<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>(
      "pthread_cond_timedwait", version_of_conditions);
  return f(marked(c), m, until);
}
int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock,
                           const timespec* until) {
  static const auto f = real<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>(
      "pthread_cond_clockwait");
  return f(marked(c), m, clock, until);
}
int pthread_cond_signal(pthread_cond_t* c) noexcept {
  static const auto f = real<int(pthread_cond_t*)>("pthread_cond_signal", version_of_conditions);
  return f(marked(c));
}
int pthread_cond_broadcast(pthread_cond_t* c) noexcept {
  static const auto f = real<int(pthread_cond_t*)>("pthread_cond_broadcast", version_of_conditions);
  return f(marked(c));
}

int pthread_rwlock_rdlock(pthread_rwlock_t* l) noexcept {
  static const auto f = real<int(pthread_rwlock_t*)>("pthread_rwlock_rdlock");
  return f(marked(l));
}
int pthread_rwlock_wrlock(pthread_rwlock_t* l) noexcept {
  static const auto f = real<int(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
  return f(marked(l));
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* l) noexcept {
  static const auto f = real<int(pthread_rwlock_t*)>("pthread_rwlock_tryrdlock");
  return f(marked(l));
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* l) noexcept {
  static const auto f = real<int(pthread_rwlock_t*)>("pthread_rwlock_trywrlock");
  return f(marked(l));
}

// Semaphores and barriers have no mark that could be set later, so they are made shared.

int sem_init(sem_t* s, int, unsigned value) noexcept {
  static const auto f = real<int(sem_t*, int, unsigned)>("sem_init");
  return f(s, 1, value);
}

int pthread_barrier_init(pthread_barrier_t* b, const pthread_barrierattr_t*,
                         unsigned count) noexcept {
  static const auto f =
      real<int(pthread_barrier_t*, const pthread_barrierattr_t*, unsigned)>("pthread_barrier_init");
  // The attributes say only whether the barrier is shared.
  pthread_barrierattr_t shared;
  pthread_barrierattr_init(&shared);
  pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  return f(b, &shared, count);
}

/// This replaces the function of the C library, which waits in a way that cannot be marked. The
/// values of `control` are 0 at first, 1 while the function runs, and 2 when it has ended.
int pthread_once(pthread_once_t* control, void (*function)()) {
  static_assert(sizeof(pthread_once_t) == sizeof(std::uint32_t));
  auto& word = *reinterpret_cast<std::atomic<std::uint32_t>*>(control);
  constexpr std::uint32_t running = 1;
  constexpr std::uint32_t ended = 2;
  struct call {
    std::atomic<std::uint32_t>& word;
    std::uint32_t becomes = 0;  // if the function has thrown, another is to call it
    ~call() {
      word.store(becomes, std::memory_order_release);  // pairs with the two acquires below
      nopal::detail::futex_wake(word, INT_MAX);
    }
  };
  for (;;) {
    std::uint32_t seen = 0;
    if (word.compare_exchange_strong(seen, running, std::memory_order_acquire,  // pairs: ~call()
                                     std::memory_order_acquire)) {
      call c{word};
      function();
      c.becomes = ended;
      return 0;
    }
    if (seen == ended) return 0;
    nopal::detail::futex_wait(word, running);
  }
}

/// Lets futex(2) wake the threads of all processes. std::atomic::wait sleeps by it, and so does
/// other code that calls futex(2) by hand.
long syscall(long number, ...) noexcept {
  va_list more;
  va_start(more, number);
  const long a = va_arg(more, long);
  long b = va_arg(more, long);
  const long c = va_arg(more, long);
  const long d = va_arg(more, long);
  const long e = va_arg(more, long);
  const long f = va_arg(more, long);
  va_end(more);
  if (number == SYS_futex) b &= ~static_cast<long>(FUTEX_PRIVATE_FLAG);
  return system_call(number, a, b, c, d, e, f);
}
}
