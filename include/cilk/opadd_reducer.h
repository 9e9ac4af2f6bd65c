/* SPDX-License-Identifier: Apache-2.0 */
/* cilk::opadd_reducer, under the name that OpenCilk gives its header. */
#ifndef CILK_OPADD_REDUCER_H
#define CILK_OPADD_REDUCER_H

#include <cilk/reducer.h>

#endif
