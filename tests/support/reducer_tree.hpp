// SPDX-License-Identifier: Apache-2.0
// Random trees of strands that write to a log. A tree is a function of its seed; what the serial
// program writes is known, and a reducer must come to the same, whatever is stolen.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/seed.hpp"

namespace nopal_test {

/// What is not commutative at all.
using log_reducer = nopal::reducer<nopal::monoid::vector<std::uint64_t>>;

namespace log_tree {

struct failure {};

enum class way { closures, frame, task, call };

struct node {
  static constexpr unsigned widest = 5;

  std::uint64_t value;
  unsigned children = 0;
  way by;
  bool joins_twice = false;
  bool silent = false;   ///< It uses no reducer itself.
  bool throws = false;   ///< At its end.
  bool catches = false;  ///< What its children throw.
  bool moves = false;    ///< As a task, to another worker.
  std::array<std::uint64_t, widest> child{};

  node(std::uint64_t seed, unsigned depth, unsigned throws_one_in) {
    random_numbers random(seed);
    value = random.next() & ~std::uint64_t{7};
    by = static_cast<way>(random.below(4));
    joins_twice = random.one_in(4);
    silent = random.one_in(3);
    throws = throws_one_in != 0 && random.one_in(throws_one_in);
    catches = random.one_in(3);
    moves = random.one_in(4);
    if (depth != 0 && !random.one_in(6)) children = 1 + random.below(widest);
    for (std::uint64_t& c : child) c = random.next();
  }
};

/// Where a node writes, and how its children are run.
template <class Log>
struct tree {
  Log& log;
  unsigned throws_one_in;
  unsigned workers = 0;    ///< Of the runtime; 0 for the serial program.
  bool with_tasks = true;  ///< Otherwise frames take their places.

  void write(const node& n, unsigned place) {
    if (!n.silent) log(n.value + place);
  }

  void run(std::uint64_t seed, unsigned depth) {
    node n(seed, depth, throws_one_in);
    if (!with_tasks && n.by == way::task) n.by = way::frame;
    write(n, 0);
    try {
      run_children(n, depth);
    } catch (const failure&) {
      write(n, 1);
      if (!n.catches) throw;
    }
    write(n, 2);
    if (n.throws) throw failure();
  }

  void run_children(const node& n, unsigned depth) {
    if (n.children == 0) return;
    switch (n.by) {
      case way::closures:
        return workers == 0 ? by_closures_serially(n, depth) : by_closures(n, depth);
      case way::frame:
        return workers == 0 ? by_frame_serially(n, depth) : by_frame(n, depth);
      case way::task:
        return workers == 0 ? by_task_serially(n, depth) : nopal::wait(by_task(this, n, depth));
      case way::call:
        for (unsigned i = 0; i < n.children; ++i) run(n.child[i], depth - 1);
    }
  }

  void closure(const node& n, unsigned depth, unsigned i) {
    write(n, 3);
    if (i < n.children) run(n.child[i], depth - 1);
  }
  void by_closures_serially(const node& n, unsigned depth) {
    for (unsigned i = 0; i < (n.children < 3 ? 2 : 5); ++i) closure(n, depth, i);
  }

  void by_closures(const node& n, unsigned depth) {
    const auto child = [&](unsigned i) { return [this, &n, depth, i] { closure(n, depth, i); }; };
    if (n.children < 3)
      nopal::parallel_invoke(child(0), child(1));
    else
      nopal::parallel_invoke(child(0), child(1), child(2), child(3), child(4));
  }

  void by_frame_serially(const node& n, unsigned depth) {
    for (unsigned i = 0; i < n.children; ++i) {
      run(n.child[i], depth - 1);
      write(n, 4);
    }
    write(n, 5);
  }
  static void run_child(tree& t, std::uint64_t seed, unsigned depth) { t.run(seed, depth); }

  NOPAL_FORKS void by_frame(const node& n, unsigned depth) {
    nopal::fork_frame frame;
    for (unsigned i = 0; i < n.children; ++i) {
      frame.fork(run_child, std::ref(*this), n.child[i], depth - 1);
      write(n, 4);
      if (n.joins_twice && i == 1) frame.join();
    }
    frame.join();
    write(n, 5);
  }

  /// What a child throws comes out of the next join.
  void by_task_serially(const node& n, unsigned depth) {
    bool thrown = false;
    for (unsigned i = 0; i < n.children; ++i) {
      try {
        if (n.moves) log(n.child[i] | 7), log(n.child[i] | 7);
        run(n.child[i], depth - 1);
      } catch (const failure&) {
        thrown = true;
      }
      write(n, 6);
      if (n.joins_twice && i == 1 && thrown) break;
    }
    if (thrown) throw failure();
  }
  static nopal::task<> task_child(tree* t, std::uint64_t seed, unsigned depth, bool moves) {
    if (moves) {
      t->log(seed | 7);
      co_await nopal::resume_on(static_cast<unsigned>(seed) % t->workers);
      t->log(seed | 7);
    }
    t->run(seed, depth);
  }
  static nopal::task<> by_task(tree* t, node n, unsigned depth) {
    for (unsigned i = 0; i < n.children; ++i) {
      co_await nopal::fork(task_child, t, n.child[i], depth - 1, n.moves);
      t->write(n, 6);
      if (n.joins_twice && i == 1) co_await nopal::join();
    }
    if (n.silent) co_await nopal::join();
  }
};

}  // namespace log_tree

/// What the serial program writes. A tree ends with the exception that nobody has caught.
inline std::vector<std::uint64_t> serial_log(std::uint64_t seed, unsigned depth,
                                             unsigned throws_one_in, bool with_tasks = true) {
  std::vector<std::uint64_t> all;
  auto log = [&](std::uint64_t v) { all.push_back(v); };
  log_tree::tree<decltype(log)> t{log, throws_one_in, 0, with_tasks};
  try {
    t.run(seed, depth);
  } catch (const log_tree::failure&) {
    log(0);
  }
  return all;
}

/// The same by forks, on a runtime of so many workers.
inline void run_log_tree(log_reducer& all, unsigned workers, std::uint64_t seed, unsigned depth,
                         unsigned throws_one_in) {
  auto log = [&](std::uint64_t v) { all->push_back(v); };
  log_tree::tree<decltype(log)> t{log, throws_one_in, workers};
  try {
    t.run(seed, depth);
  } catch (const log_tree::failure&) {
    log(0);
  }
}

}  // namespace nopal_test
