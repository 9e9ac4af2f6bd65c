/* SPDX-License-Identifier: Apache-2.0 */
/* cilk::ostream_reducer, under the name that OpenCilk gives its header. */
#ifndef CILK_OSTREAM_REDUCER_H
#define CILK_OSTREAM_REDUCER_H

#include <cilk/reducer.h>

#endif
