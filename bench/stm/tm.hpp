// SPDX-License-Identifier: Apache-2.0
// What the workloads are written in: one source for nopal's transactions, whatever the policies
// are, and for what they are compared with. NOPAL_BENCH_TM chooses.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#define NOPAL_BENCH_TM_NOPAL 1
#define NOPAL_BENCH_TM_SERIAL 2
#define NOPAL_BENCH_TM_MUTEX 3
#define NOPAL_BENCH_TM_LIBITM 4
#define NOPAL_BENCH_TM_SHARED_MUTEX 5

#if NOPAL_BENCH_TM == NOPAL_BENCH_TM_NOPAL

#include "nopal/stm.hpp"

namespace nopal_bench::tm {

namespace stm = nopal::stm;

using object = stm::object<>;
template <class T>
using field = stm::field<T>;
using transaction = stm::transaction;

#ifdef NOPAL_BENCH_READ_SETS  // a program of its own, not for time: it counts sizes of read-sets

inline std::array<std::atomic<std::uint64_t>, 4096> read_sets_of_size;
inline std::vector<std::uint64_t> read_sets() {
  return {read_sets_of_size.begin(), read_sets_of_size.end()};
}

template <class F>
auto atomically(F&& f) {
  std::size_t read = 0;
  const auto result = stm::atomically([&](transaction& t) {
    const auto r = f(t);
    read = t.locations_read();
    return r;
  });
  std::atomic<std::uint64_t>& count =
      read_sets_of_size[std::min(read, read_sets_of_size.size() - 1)];
  count.fetch_add(1, std::memory_order_relaxed);
  return result;
}

#else

inline std::vector<std::uint64_t> read_sets() { return {}; }

template <class F>
auto atomically(F&& f) {
  return stm::atomically(std::forward<F>(f));
}

#endif

struct counts {
  std::uint64_t commits, conflicts, locations_read;
};
inline counts counted() {
  const stm::statistics s = stm::stats();
  return {s.commits + s.read_only_commits, s.conflicts, s.locations_read};
}

}  // namespace nopal_bench::tm

#else

#if NOPAL_BENCH_TM == NOPAL_BENCH_TM_MUTEX
#include <mutex>
#elif NOPAL_BENCH_TM == NOPAL_BENCH_TM_SHARED_MUTEX
#include <mutex>
#include <shared_mutex>
#endif

namespace nopal_bench::tm {

struct object {};

/// Plain memory: whoever may access it is what atomically() sees to.
template <class T>
class field {
 public:
  field() : value_() {}
  field(const T& x) : value_(x) {}
  [[nodiscard]] T value() const { return value_; }
  void set_value(const T& x) { value_ = x; }

 private:
  T value_;
};

class transaction {
 public:
  template <class O, class T>
  [[nodiscard]] T get(const O&, const field<T>& f) {
    return f.value();
  }
  template <class O, class T, class U>
  void set(O&, field<T>& f, const U& x) {
    f.set_value(x);
  }
  template <class T, class... A>
  [[nodiscard]] T* make(A&&... args) {
    return new T(std::forward<A>(args)...);
  }
  template <class T>
  void destroy(T* p) {
    delete p;
  }
};

#if NOPAL_BENCH_TM == NOPAL_BENCH_TM_MUTEX
inline std::mutex mutex_of_all;
#elif NOPAL_BENCH_TM == NOPAL_BENCH_TM_SHARED_MUTEX
inline std::shared_mutex mutex_of_all;
#endif

template <class F>
auto atomically(F&& f) {
  transaction t;
#if NOPAL_BENCH_TM == NOPAL_BENCH_TM_SERIAL
  return f(t);
#elif NOPAL_BENCH_TM == NOPAL_BENCH_TM_MUTEX || NOPAL_BENCH_TM == NOPAL_BENCH_TM_SHARED_MUTEX
  const std::lock_guard lock(mutex_of_all);
  return f(t);
#else
  decltype(f(t)) result;
  __transaction_atomic { result = f(t); }
  return result;
#endif
}

struct counts {
  std::uint64_t commits, conflicts, locations_read;
};
inline counts counted() { return {}; }
inline std::vector<std::uint64_t> read_sets() { return {}; }

}  // namespace nopal_bench::tm

#endif
