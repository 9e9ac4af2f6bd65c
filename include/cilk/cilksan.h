/* SPDX-License-Identifier: Apache-2.0 */
/* What a program says to OpenCilk's race detector. nopal has no such tool, so nothing is said:
 * programs that include this compile and run. */
#ifndef CILK_CILKSAN_H
#define CILK_CILKSAN_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#define NOPAL_CILKSAN_QUIET noexcept
#else
#define NOPAL_CILKSAN_QUIET
#endif

static inline void __cilksan_enable_checking(void) NOPAL_CILKSAN_QUIET {}
static inline void __cilksan_disable_checking(void) NOPAL_CILKSAN_QUIET {}
static inline bool __cilksan_is_checking_enabled(void) NOPAL_CILKSAN_QUIET { return false; }
static inline int __cilksan_error_count(void) NOPAL_CILKSAN_QUIET { return 0; }
static inline void __cilksan_begin_atomic(void) NOPAL_CILKSAN_QUIET {}
static inline void __cilksan_end_atomic(void) NOPAL_CILKSAN_QUIET {}
static inline void __cilksan_acquire_lock(const void* mutex) NOPAL_CILKSAN_QUIET { (void)mutex; }
static inline void __cilksan_release_lock(const void* mutex) NOPAL_CILKSAN_QUIET { (void)mutex; }
static inline void __cilksan_register_lock_explicit(const void* mutex) NOPAL_CILKSAN_QUIET {
  (void)mutex;
}
static inline void __cilksan_unregister_lock_explicit(const void* mutex) NOPAL_CILKSAN_QUIET {
  (void)mutex;
}

#undef NOPAL_CILKSAN_QUIET
#ifdef __cplusplus
}
#endif

/* Stands for a lock that guards a race on purpose. */
typedef struct Cilksan_fake_mutex {
  int fake_mutex;
} Cilksan_fake_mutex;

#ifdef __cplusplus
class Cilksan_fake_lock_guard {
 public:
  explicit Cilksan_fake_lock_guard(const void*) noexcept {}
  Cilksan_fake_lock_guard(const Cilksan_fake_lock_guard&) = delete;
  Cilksan_fake_lock_guard& operator=(const Cilksan_fake_lock_guard&) = delete;
  ~Cilksan_fake_lock_guard() {}
};
#endif

#endif
