/* SPDX-License-Identifier: Apache-2.0 */
/* Reducers for C, and by their usual names for C++. See docs/reducer.md. */
#ifndef CILK_REDUCER_H
#define CILK_REDUCER_H

#include "nopal/reducer/c_reducer.h"

#ifdef __cplusplus
#include "nopal/reducer.hpp"

namespace cilk {

template <class T>
using opadd_reducer = nopal::reducer<nopal::monoid::add<T>>;
template <class T>
using opand_reducer = nopal::reducer<nopal::monoid::bit_and<T>>;
template <class T>
using max_reducer = nopal::reducer<nopal::monoid::max<T>>;
template <class T>
using min_reducer = nopal::reducer<nopal::monoid::min<T>>;
template <class T>
using list_reducer = nopal::reducer<nopal::monoid::list<T>>;
using ostream_reducer = nopal::reducer<nopal::monoid::ostream>;

}  // namespace cilk
#endif

#endif
