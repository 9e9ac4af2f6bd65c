// SPDX-License-Identifier: Apache-2.0
// A keyword in each place that a header can have one. check_headers.py includes this file as a
// header, as a precompiled one, as a header unit and in a module.
#pragma once
int declared_before_the_header();

#include <cilk/opadd_reducer.h>
#include <unistd.h>

#include <cstdio>

/// Waits for what the rest of the spawning function does: a serial program waits in vain.
inline int waits(int* flag) {
  for (int i = 0; i < 1000 && __atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0; ++i) usleep(10000);
  return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}
inline void set(int* flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }
inline void add(int* sum) { __atomic_fetch_add(sum, 1, __ATOMIC_RELAXED); }

inline int in_inline() {
  int flag = 0;
  int both = cilk_spawn waits(&flag);
  set(&flag);
  cilk_sync;
  return both;
}
template <class T>
T in_template() {
  int flag = 0;
  T both = cilk_spawn waits(&flag);
  set(&flag);
  cilk_sync;
  return both;
}
inline int in_lambda() {
  auto l = [] {
    int flag = 0;
    int both = cilk_spawn waits(&flag);
    set(&flag);
    cilk_sync;
    return both;
  };
  return l();
}
inline int in_generic_lambda() {
  auto l = [](auto zero) {
    int flag = 0;
    decltype(zero) both = cilk_spawn waits(&flag);
    set(&flag);
    cilk_sync;
    return both;
  };
  return l(0);
}
inline int in_loop() {
  int sum = 0;
  cilk_for (int i = 0; i < 100; ++i) add(&sum);
  return sum == 100;
}
inline int with_reducer() {
  cilk::opadd_reducer<long> sum = 0;
  cilk_for (int i = 0; i < 100; ++i) sum += 1;
  return sum == 100;
}
#define NOPAL_LAMBDA(spawned)             \
  [] {                                    \
    int flag = 0;                         \
    int both = cilk_spawn spawned(&flag); \
    set(&flag);                           \
    cilk_sync;                            \
    return both;                          \
  }()
template <class T>
struct in_template_class {
  inline static int of_class = NOPAL_LAMBDA(waits);
  int member = NOPAL_LAMBDA(waits);
  int function() const { return NOPAL_LAMBDA(waits); }
  int argument(int value = NOPAL_LAMBDA(waits)) const { return value; }
};
struct in_class {
  int member = NOPAL_LAMBDA(waits);
  int function() const { return NOPAL_LAMBDA(waits); }
  int argument(int value = NOPAL_LAMBDA(waits)) const { return value; }
};
template <class T>
inline T of_template = NOPAL_LAMBDA(waits);
inline int of_namespace = NOPAL_LAMBDA(waits);
inline long instance = in_template<long>();

/// How many of the places did not spawn.
inline int serial_places() {
  const in_class c;
  const in_template_class<int> t;
  const int all[] = {in_inline(),  static_cast<int>(in_template<short>()),
                     in_lambda(),  in_generic_lambda(),
                     in_loop(),    with_reducer(),
                     t.of_class,   t.member,
                     t.function(), t.argument(),
                     c.member,     c.function(),
                     c.argument(), of_template<int>,
                     of_namespace, static_cast<int>(instance)};
  int serial = 0;
  for (int place : all) serial += place == 1 ? 0 : 1;
  return serial;
}
