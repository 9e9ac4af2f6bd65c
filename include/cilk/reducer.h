/* SPDX-License-Identifier: Apache-2.0 */
/* Reducers that are variables, by the names that OpenCilk gives their types in C++. See
 * docs/cilk.md. In C write cilk_reducer(identity, reduction) behind the type. */
#ifndef CILK_REDUCER_H
#define CILK_REDUCER_H

#include <cilk/cilk.h>

#include "nopal/reducer/c_reducer.h"

/* Reducers of Cilk Plus for C. */
#define NOPAL_NO_CILK_PLUS_REDUCER \
  _Pragma("GCC error \"nopal: write `long cilk_reducer(identity, reduce) x = 0;`\"")
#define CILK_C_DECLARE_REDUCER(...) NOPAL_NO_CILK_PLUS_REDUCER
#define CILK_C_INIT_REDUCER(...) NOPAL_NO_CILK_PLUS_REDUCER
#define CILK_C_REGISTER_REDUCER(...) NOPAL_NO_CILK_PLUS_REDUCER
#define CILK_C_UNREGISTER_REDUCER(...) NOPAL_NO_CILK_PLUS_REDUCER

#ifdef __cplusplus
#include <limits>
#include <list>
#include <new>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>

namespace cilk {

/* The functions of the monoids: an identity in fresh memory, and what ends the right view. */

template <class T>
void zero(void* view) {
  ::new (view) T();
}
template <class T>
void plus(void* left, void* right) {
  *static_cast<T*>(left) += *static_cast<T*>(right);
  static_cast<T*>(right)->~T();
}

template <class T>
void all_bits(void* view) {
  ::new (view) T(static_cast<T>(~T()));
}
template <class T>
void bit_and(void* left, void* right) {
  *static_cast<T*>(left) &= *static_cast<T*>(right);
}

template <class T>
void least(void* view) {
  using limits = std::numeric_limits<T>;
  static_assert(limits::is_specialized, "cilk::max_reducer needs a type of numbers");
  ::new (view) T(limits::has_infinity ? -limits::infinity() : limits::lowest());
}
template <class T>
void keep_larger(void* left, void* right) {
  if (*static_cast<T*>(left) < *static_cast<T*>(right))
    *static_cast<T*>(left) = *static_cast<T*>(right);
}

template <class T>
void greatest(void* view) {
  using limits = std::numeric_limits<T>;
  static_assert(limits::is_specialized, "cilk::min_reducer needs a type of numbers");
  ::new (view) T(limits::has_infinity ? limits::infinity() : (limits::max)());
}
template <class T>
void keep_smaller(void* left, void* right) {
  if (*static_cast<T*>(right) < *static_cast<T*>(left))
    *static_cast<T*>(left) = *static_cast<T*>(right);
}

template <class T>
void append(void* left, void* right) {
  std::list<T>& l = *static_cast<std::list<T>*>(left);
  std::list<T>& r = *static_cast<std::list<T>*>(right);
  l.splice(l.end(), r);
  r.~list();
}

/* The leftmost view writes to the stream that it is made from. The others keep their text. */
template <class Char, class Traits = std::char_traits<Char>>
class ostream_view : public std::basic_ostream<Char, Traits> {
  using stream = std::basic_ostream<Char, Traits>;

 public:
  ostream_view() : stream(nullptr) { this->rdbuf(&kept_); }
  ostream_view(const stream& to) : stream(to.rdbuf()) { this->flags(to.flags()); }

  static void identity(void* view) { ::new (view) ostream_view(); }
  static void reduce(void* left, void* right) {
    ostream_view& r = *static_cast<ostream_view*>(right);
    const std::basic_string<Char, Traits> text = r.kept_.str();
    static_cast<ostream_view*>(left)->write(text.data(), static_cast<std::streamsize>(text.size()));
    r.~ostream_view();
  }

 private:
  std::basic_stringbuf<Char, Traits> kept_;
};

/* The right view of a holder is dropped. */
template <class T>
void drop(void*, void* right) {
  static_cast<T*>(right)->~T();
}

template <class T>
using holder = T cilk_reducer(zero<T>, drop<T>);
template <class T>
using opadd_reducer = T cilk_reducer(zero<T>, plus<T>);
template <class T>
using opand_reducer = T cilk_reducer(all_bits<T>, bit_and<T>);
template <class T>
using max_reducer = T cilk_reducer(least<T>, keep_larger<T>);
template <class T>
using min_reducer = T cilk_reducer(greatest<T>, keep_smaller<T>);
template <class T>
using list_reducer = std::list<T> cilk_reducer(zero<std::list<T>>, append<T>);
template <class Char = char, class Traits = std::char_traits<Char>>
using ostream_reducer = ostream_view<Char, Traits> cilk_reducer(
    ostream_view<Char, Traits>::identity, ostream_view<Char, Traits>::reduce);

}  // namespace cilk
#endif

#endif
