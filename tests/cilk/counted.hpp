// SPDX-License-Identifier: Apache-2.0
// Work of some length, whose objects are counted: when an exception has come out, none is left.
#pragma once

#include <stdexcept>
#include <string>

#include "check.h"

namespace {

long running = 0;
struct counted {
  counted() { __atomic_add_fetch(&running, 1, __ATOMIC_SEQ_CST); }
  counted(const counted&) : counted() {}
  ~counted() { __atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST); }
  counted& operator=(const counted&) = delete;
};

long work(long n) {
  const counted here;
  volatile long sum = 0;
  for (long i = 0; i < n * 97 % 700; ++i) sum = sum + i;
  return n;
}

/// The number that f() throws; 0 where it returns.
template <class F>
long thrown_by(const F& f) {
  long caught = 0;
  try {
    f();
  } catch (const std::runtime_error& e) {
    caught = std::stol(e.what());
  }
  check("running", __atomic_load_n(&running, __ATOMIC_SEQ_CST), 0);
  return caught;
}

}  // namespace
