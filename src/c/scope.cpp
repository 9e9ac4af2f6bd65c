// SPDX-License-Identifier: Apache-2.0
#include "nopal/c/scope.h"

#include <exception>
#include <system_error>

#include "c/error.hpp"
#include "c/handles.hpp"
#include "nopal/async/near.hpp"

using nopal::detail::c_argument;
using nopal::detail::c_call;

int nopal_scope_create(struct nopal_claim* in, nopal_scope** made) {
  if (made == nullptr) return c_argument("nopal_scope_create", "the place of the scope is NULL");
  return c_call([&] { *made = in != nullptr ? new nopal_scope(in->workers) : new nopal_scope(); });
}

int nopal_scope_create_on(nopal_runtime* r, nopal_scope** made) {
  if (r == nullptr || made == nullptr)
    return c_argument("nopal_scope_create_on", "the runtime or the place of the scope is NULL");
  return c_call([&] { *made = new nopal_scope(r->workers); });
}

int nopal_scope_start(nopal_scope* s, nopal_function f, void* argument) {
  if (s == nullptr || f == nullptr)
    return c_argument("nopal_scope_start", "the scope or the function is NULL");
  return c_call([&] { s->functions.spawn(f, argument); });
}

int nopal_scope_start_near(nopal_scope* s, unsigned index, nopal_function f, void* argument) {
  if (s == nullptr || f == nullptr)
    return c_argument("nopal_scope_start_near", "the scope or the function is NULL");
  return c_call([&] { s->functions.spawn(nopal::near(index), f, argument); });
}

int nopal_scope_start_many(nopal_scope* s, unsigned n, nopal_numbered_function f, void* argument) {
  if (s == nullptr || f == nullptr)
    return c_argument("nopal_scope_start_many", "the scope or the function is NULL");
  return c_call([&] {
    for (unsigned i = 0; i < n; ++i) s->functions.spawn(f, argument, i);
  });
}

int nopal_scope_stop(nopal_scope* s) {
  if (s == nullptr) return c_argument("nopal_scope_stop", "the scope is NULL");
  s->functions.request_stop();
  return 0;
}

int nopal_scope_join(nopal_scope* s, int64_t within) {
  if (s == nullptr) return c_argument("nopal_scope_join", "the scope is NULL");
  std::error_code error;
  // The join throws what a function of the scope has thrown; a limit goes to `error`.
  const int result = nopal::detail::c_call_through(
      [](auto&& call) { call(); },
      [&] { s->functions.join(error, nopal::detail::c_limits(within)); });
  return result == 0 && error ? nopal::detail::c_system_error("nopal_scope_join", error) : result;
}

int nopal_scope_destroy(nopal_scope* s) {
  if (s == nullptr) return c_argument("nopal_scope_destroy", "the scope is NULL");
  delete s;
  return 0;
}
