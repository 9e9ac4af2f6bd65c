// SPDX-License-Identifier: Apache-2.0
// Reducers by the calls of cilk_api.h, which name size and functions each time.
#include <mutex>
#include <set>
#include <tuple>

#include "cilk/cilk_api.h"
#include "nopal/detail/reducer/view_table.hpp"
#include "nopal/reducer/c_reducer.h"

namespace {

struct less {
  bool operator()(const nopal_reducer_type& a, const nopal_reducer_type& b) const {
    return std::tie(a.size, a.identity, a.reduce) < std::tie(b.size, b.identity, b.reduce);
  }
};

/// Returns a type that lives until the program ends. A program has as many as it has written down.
const nopal_reducer_type* type_of(size_t size, __cilk_identity_fn identity,
                                  __cilk_reduce_fn reduce) {
  static std::mutex m;
  static auto& all = *new std::set<nopal_reducer_type, less>;  // Threads may outlive main().
  const std::lock_guard lock(m);
  return &*all.insert({size, identity, reduce}).first;
}

}  // namespace

void __cilkrts_reducer_register(void* key, size_t size, __cilk_identity_fn identity,
                                __cilk_reduce_fn reduce) {
  nopal_reducer_register(key, type_of(size, identity, reduce));
}

void __cilkrts_reducer_unregister(void* key) { nopal_reducer_unregister(key); }

void* __cilkrts_reducer_lookup(void* key, size_t size, void* identity, void* reduce) {
  if (void* view = nopal::detail::value_found_first(key)) return view;
  return nopal_reducer_lookup(key, type_of(size, reinterpret_cast<__cilk_identity_fn>(identity),
                                           reinterpret_cast<__cilk_reduce_fn>(reduce)));
}
