// SPDX-License-Identifier: Apache-2.0
// What Cilk Plus has in cilk_api.h, and OpenCilk has not.
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "cilk/cilk_api.h"
#include "nopal/detail/runtime/default_runtime.hpp"
#include "runtime/options.hpp"

void __cilkrts_init(void) { __cilkrts_get_nworkers(); }

void __cilkrts_end_cilk(void) { nopal::detail::end_default_runtime(); }

unsigned __cilkrts_get_total_workers(void) { return __cilkrts_get_nworkers(); }

int __cilkrts_set_param(const char* name, const char* value) {
  if (std::string_view(name) != "nworkers") return __CILKRTS_SET_PARAM_UNIMP;
  char* end = nullptr;
  errno = 0;
  const unsigned long n = std::strtoul(value, &end, 0);
  if (end == value || *end != '\0') return __CILKRTS_SET_PARAM_INVALID;
  if (errno == ERANGE || n > nopal::detail::max_workers) return __CILKRTS_SET_PARAM_XRANGE;
  return nopal::detail::set_default_workers(static_cast<unsigned>(n)) ? __CILKRTS_SET_PARAM_SUCCESS
                                                                      : __CILKRTS_SET_PARAM_LATE;
}
