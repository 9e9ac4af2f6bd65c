/* SPDX-License-Identifier: Apache-2.0 */
/* The serial elision of the keywords and of cilk_api.h, for any compiler and without a library. A
 * file includes this in the place of cilk.h, or before it. */
#ifndef CILK_STUB_H
#define CILK_STUB_H

#ifdef NOPAL_CILK_CILK_H
#error "nopal: include cilk/cilk_stub.h before cilk/cilk.h, or define CILK_SERIAL."
#endif
#ifndef CILK_SERIAL
#define CILK_SERIAL 1
#endif
#define cilk_spawn

#include <cilk/cilk.h>
#include <cilk/cilk_api.h>

#endif
