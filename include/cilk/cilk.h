/* SPDX-License-Identifier: Apache-2.0 */
/* The keywords of Cilk for C and C++, by a plugin of clang 19. docs/cilk.md */
#ifndef NOPAL_CILK_CILK_H
#define NOPAL_CILK_CILK_H

#if defined(__clang__)
#pragma GCC system_header
#endif

/* A program that has defined cilk_spawn to nothing means the serial elision. If it has defined it
 * to a keyword, as OpenCilk's header does, that counts as 0 here. */
#if defined(cilk_spawn)
#pragma push_macro("_Cilk_spawn")
#undef _Cilk_spawn
#if (1 - cilk_spawn - 1) == 2 && !defined(CILK_SERIAL)
#define CILK_SERIAL 1
#undef NOPAL_CILK_KEYWORDS_H
#undef __nopal_keywords
#undef _Cilk_sync
#undef _Cilk_scope
#undef _Cilk_for
#undef _Hyperobject
#else
#pragma pop_macro("_Cilk_spawn")
#endif
#endif

#include <cilk/keywords.h>

#ifndef cilk_spawn
#define cilk_spawn _Cilk_spawn
#endif
#ifndef cilk_sync
#define cilk_sync _Cilk_sync
#endif
#ifndef cilk_scope
#define cilk_scope _Cilk_scope
#endif
#ifndef cilk_for
#define cilk_for _Cilk_for
#endif
#ifndef cilk_reducer
#define cilk_reducer _Hyperobject
#endif

#endif
