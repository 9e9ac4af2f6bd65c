/* SPDX-License-Identifier: Apache-2.0 */
/* What a program asks of OpenCilk's scalability analyzer. nopal has no such tool, so work and span
 * are 0, and nothing is printed: programs that include this compile and run. */
#ifndef CILK_CILKSCALE_H
#define CILK_CILKSCALE_H

#include <stdint.h>

typedef int64_t raw_duration_t;
typedef struct wsp_t {
  raw_duration_t work;
  raw_duration_t span;
  raw_duration_t bspan;
} wsp_t;

#ifdef __cplusplus
extern "C" {
#endif

static inline wsp_t wsp_zero(void) {
  const wsp_t none = {0, 0, 0};
  return none;
}
static inline wsp_t wsp_getworkspan(void) { return wsp_zero(); }
static inline wsp_t wsp_add(wsp_t a, wsp_t b) {
  (void)a;
  (void)b;
  return wsp_zero();
}
static inline wsp_t wsp_sub(wsp_t a, wsp_t b) {
  (void)a;
  (void)b;
  return wsp_zero();
}
static inline void wsp_dump(wsp_t wsp, const char* tag) {
  (void)wsp;
  (void)tag;
}

#ifdef __cplusplus
}

#include <fstream>
#include <ostream>

inline wsp_t& operator+=(wsp_t& a, const wsp_t&) noexcept { return a; }
inline wsp_t& operator-=(wsp_t& a, const wsp_t&) noexcept { return a; }
inline wsp_t operator+(wsp_t a, const wsp_t&) noexcept { return a; }
inline wsp_t operator-(wsp_t a, const wsp_t&) noexcept { return a; }
inline std::ostream& operator<<(std::ostream& to, const wsp_t&) { return to; }
inline std::ofstream& operator<<(std::ofstream& to, const wsp_t&) { return to; }
#endif

#endif
