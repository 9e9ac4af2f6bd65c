/* SPDX-License-Identifier: Apache-2.0 */
/* The keywords of Cilk for C and C++, by a plugin of clang 19, under the names that need no header
 * in OpenCilk. docs/cilk.md. A file that writes `_Cilk_` gets this header without including it. */
#ifndef NOPAL_CILK_KEYWORDS_H
#define NOPAL_CILK_KEYWORDS_H

#if defined(__clang__)
#pragma GCC system_header
#endif

#if defined(CILK_SERIAL)

/* The serial elision: the same program without parallelism, for any compiler. */
#define _Cilk_spawn
#define _Cilk_sync ((void)0)
#define _Cilk_scope
#define _Cilk_for for
#define _Hyperobject(...)

#elif !defined(NOPAL_CILK_PLUGIN)

#error \
    "nopal: cilk_spawn needs the plugin: compile with nopal-cc or nopal-c++, or with the CMake target nopal::cilk; or define CILK_SERIAL for the serial program."
#include "nopal: see the error above"

#elif !defined(__clang__) || __clang_major__ != 19

#error "nopal: the plugin for cilk_spawn is for clang 19: compile with clang-19 or clang++-19."
#include "nopal: see the error above"

#else

/* Everything below is for the plugin, which replaces all of it. */

typedef unsigned long __nopal_mark;

/* The plugin refuses the header here if it is included inside another declaration. */
#pragma nopal header

#ifdef __cplusplus
extern "C" {
#define NOPAL_CILK_QUIET noexcept
#else
#define NOPAL_CILK_QUIET __attribute__((nothrow))
#endif

/* Around a spawned statement. */
void __nopal_spawn_begin(__nopal_mark*, __nopal_mark*);
void __nopal_spawn_end(__nopal_mark*) NOPAL_CILK_QUIET;
void __nopal_spawn_exit(__nopal_mark*) NOPAL_CILK_QUIET;
void __nopal_built(__nopal_mark*, const volatile void*) NOPAL_CILK_QUIET;
void __nopal_constructor(const char*) NOPAL_CILK_QUIET;
void* __nopal_callee(const volatile void*) NOPAL_CILK_QUIET;
/* Always true, which clang does not know. */
int __nopal_runs(void) NOPAL_CILK_QUIET;

/* Around a block that is spawned, within a spawned statement. */
void __nopal_block_begin(__nopal_mark*);
void __nopal_block_end(__nopal_mark*) NOPAL_CILK_QUIET;
void __nopal_block_exit(__nopal_mark*) NOPAL_CILK_QUIET;

/* Around the body of a parallel loop. */
void __nopal_loop_begin(__nopal_mark*, unsigned long, unsigned long);
unsigned long __nopal_loop_first(__nopal_mark*) NOPAL_CILK_QUIET;
unsigned long __nopal_loop_last(__nopal_mark*) NOPAL_CILK_QUIET;
void __nopal_loop_end(__nopal_mark*) NOPAL_CILK_QUIET;
void __nopal_loop_exit(__nopal_mark*) NOPAL_CILK_QUIET;

/* Where a reducer begins and ends, and where it is used: its address and size, and its functions.
 */
void* __nopal_reducer_begin(void*, unsigned long, void*, void*) NOPAL_CILK_QUIET;
void __nopal_reducer_end(void**) NOPAL_CILK_QUIET;
void* __nopal_view(void*, unsigned long, void*, void*) NOPAL_CILK_QUIET;
void* __nopal_static_view(void*, unsigned long, void*, void*) NOPAL_CILK_QUIET;

/* Where the spawned calls of a region are waited for. */
void __nopal_region_sync(__nopal_mark*);
void __nopal_region_end(__nopal_mark*);
void __nopal_region_exit(__nopal_mark**);

/* What the keywords stand for until the plugin has seen them. */
void __nopal_sync(void);
int __nopal_scope(void) NOPAL_CILK_QUIET;
int __nopal_spawn(void) NOPAL_CILK_QUIET;
int __nopal_for(void) NOPAL_CILK_QUIET;
int __nopal_grainsize(unsigned long) NOPAL_CILK_QUIET;

#undef NOPAL_CILK_QUIET
#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
/* The functions of a reducer, converted as if they were called. */
extern "C++" constexpr int __nopal_callbacks(void (*)(void*), void (*)(void*, void*)) { return 0; }
#define _Hyperobject(...) [[clang::annotate_type("nopal reducer", __nopal_callbacks(__VA_ARGS__))]]
#else
#define _Hyperobject(...) [[clang::annotate_type("nopal reducer", __VA_ARGS__)]]
#endif

#define __nopal_keywords 1
#define _Cilk_spawn _Pragma("nopal spawn")
#define _Cilk_sync __nopal_sync()
/* Unreachable: otherwise what is assigned in the block would be reported as perhaps unassigned. */
#define _Cilk_scope          \
  if (__nopal_scope())       \
    __builtin_unreachable(); \
  else
/* A loop, so that hints of the compiler's may stand before it. */
#define _Cilk_for       \
  while (__nopal_for()) \
  for

/* A keyword in each file that includes this header. A plugin that does not lower it has lowered
 * none in the file, which then does not compile, or does not link. */
#ifdef __cplusplus
extern "C" __attribute__((used)) inline void __nopal_is_lowered() { _Cilk_sync; }
#else
static __attribute__((used)) void __nopal_is_lowered(void) { _Cilk_sync; }
#endif

#endif
#endif
