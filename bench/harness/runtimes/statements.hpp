// SPDX-License-Identifier: Apache-2.0
// The forks of libraries in which a fork is a statement. Such a library defines:
//
//   BENCH_SCOPE                     what stands before a block that forks and joins
//   BENCH_GROUP                     the first statement of the block
//   BENCH_SPAWN(capture, f, args)   forks; a closure captures by `capture`
//   BENCH_LAST(f, args)             calls the last child and joins all
//   BENCH_JOIN                      joins all
//
// BENCH_SPAWN_TO(capture, to, f, args) and BENCH_LAST_TO(to, f, args) also assign the result.
#pragma once

#define BENCH_FORK_TWO(f, x, g, y) \
  BENCH_SCOPE {                    \
    BENCH_GROUP                    \
    BENCH_SPAWN((&), f, x);        \
    BENCH_LAST(g, y);              \
  }
#define BENCH_FORK_TWO_TO(a, f, x, b, g, y) \
  BENCH_SCOPE {                             \
    BENCH_GROUP                             \
    BENCH_SPAWN_TO((&), a, f, x);           \
    BENCH_LAST_TO(b, g, y);                 \
  }
#define BENCH_FORK_THREE(f, x, y, z) \
  BENCH_SCOPE {                      \
    BENCH_GROUP                      \
    BENCH_SPAWN((&), f, x);          \
    BENCH_SPAWN((&), f, y);          \
    BENCH_LAST(f, z);                \
  }
#define BENCH_FORK_FOUR(f, w, x, y, z) \
  BENCH_SCOPE {                        \
    BENCH_GROUP                        \
    BENCH_SPAWN((&), f, w);            \
    BENCH_SPAWN((&), f, x);            \
    BENCH_SPAWN((&), f, y);            \
    BENCH_LAST(f, z);                  \
  }
#define BENCH_FORK_ALL(count, i, f, args)               \
  BENCH_SCOPE {                                         \
    BENCH_GROUP                                         \
    for (std::size_t i = 0; i < (count) - 1; ++i) {     \
      BENCH_SPAWN((&, i), f, args);                     \
    }                                                   \
    [[maybe_unused]] const std::size_t i = (count) - 1; \
    BENCH_LAST(f, args);                                \
  }
#define BENCH_FORK_N(count, i, f, args)         \
  BENCH_SCOPE {                                 \
    BENCH_GROUP                                 \
    for (std::size_t i = 0; i < (count); ++i) { \
      BENCH_SPAWN((&, i), f, args);             \
    }                                           \
    BENCH_JOIN;                                 \
  }
#ifndef BENCH_FORK_ORDERED
#define BENCH_FORK_ORDERED(f, x, g, y) BENCH_FORK_TWO(f, x, g, y)
#endif
