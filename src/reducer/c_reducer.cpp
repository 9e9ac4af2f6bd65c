// SPDX-License-Identifier: Apache-2.0
// These are the reducers of C: variables that are found by their address.
#include "nopal/reducer/c_reducer.h"

#include <cstddef>
#include <memory>
#include <new>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/reducer/view_table.hpp"
#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {
namespace {

struct c_view : view {
  c_view(void* variable, void* v, const operations* does, const nopal_reducer_type& t) noexcept
      : view{variable, v, does}, type(&t) {}
  const nopal_reducer_type* type;
};

void reduce(view& left, view& right) noexcept {
  static_cast<c_view&>(left).type->reduce(left.value, right.value);
}

void end_leftmost(view& v) noexcept { delete &static_cast<c_view&>(v); }

struct free_value {
  void operator()(void* value) const noexcept {
    ::operator delete(value, std::align_val_t(cache_line));
  }
};

void end_made(view& v) noexcept {
  free_value()(v.value);
  delete &static_cast<c_view&>(v);
}

constexpr view::operations leftmost_views{reduce, end_leftmost, true};
constexpr view::operations made_views{reduce, end_made, false};

/// Merges a view of a static variable that nothing joins any more into the variable itself.
void merge_into_variable(view& v) noexcept {
  static_cast<c_view&>(v).type->reduce(const_cast<void*>(v.key), v.value);
}

constexpr view::operations static_leftmost_views{reduce, end_leftmost, true};
constexpr view::operations static_made_views{reduce, end_made, false, merge_into_variable};

struct variable_and_type {
  void* variable;
  const nopal_reducer_type* type;
};

/// Makes a view whose value is the identity. A strand that looks up a reducer for the first time
/// since it was stolen gets one.
view* make_view(const variable_and_type& of, const view::operations& does) {
  std::unique_ptr<void, free_value> value(
      ::operator new(of.type->size, std::align_val_t(cache_line)));
  of.type->identity(value.get());
  auto* v = new c_view(of.variable, value.get(), &does, *of.type);
  static_cast<void>(value.release());
  return v;
}

view* make(const void* of) {
  return make_view(*static_cast<const variable_and_type*>(of), made_views);
}

/// Does what make() does for a variable of static storage, which no register() announces. Its
/// leftmost view is made at the first look-up, by the strand that the program began with.
view* make_static(const void* argument) {
  const auto& of = *static_cast<const variable_and_type*>(argument);
  if (table_of_strand()->is_of_program())
    return new c_view(of.variable, of.variable, &static_leftmost_views, *of.type);
  return make_view(of, static_made_views);
}

}  // namespace
}  // namespace nopal::detail

using namespace nopal::detail;

void nopal_reducer_register(void* variable, const nopal_reducer_type* type) {
  auto leftmost = std::make_unique<c_view>(variable, variable, &leftmost_views, *type);
  begin_reducer(*leftmost);
  static_cast<void>(leftmost.release());
}

void* nopal_reducer_lookup(void* variable, const nopal_reducer_type* type) {
  const variable_and_type of{variable, type};
  return value_of_view(variable, make, &of);
}

void* nopal_reducer_lookup_static(void* variable, const nopal_reducer_type* type) {
  if (this_worker() == nullptr && table_of_strand() == nullptr) return variable;
  const variable_and_type of{variable, type};
  return value_of_view(variable, make_static, &of);
}

void nopal_reducer_begin_program(void) {
  if (this_worker() == nullptr) table_of_strand_or_new().set_of_program();
}

void nopal_reducer_unregister(void* variable) {
  view* leftmost = nullptr;
  if (view_table* t = table_of_strand()) leftmost = t->find(variable);
  // What is found in another segment is no leftmost view.
  const bool found = leftmost != nullptr && leftmost->value == variable;
  end_reducer(leftmost, found ? 0 : 1);
  delete static_cast<c_view*>(leftmost);
}
