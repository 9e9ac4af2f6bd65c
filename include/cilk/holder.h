/* SPDX-License-Identifier: Apache-2.0 */
/* cilk::holder, under the name that OpenCilk gives its header: a variable of which each strand has
 * a view of its own to keep something in, and of which the leftmost view remains. */
#ifndef CILK_HOLDER_H
#define CILK_HOLDER_H

#include <cilk/reducer.h>

#endif
