// SPDX-License-Identifier: Apache-2.0
// Random trees of forks. A tree is a function of its seed; the same function runs it in parallel
// and serially.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/fork_frame.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/task.hpp"
#include "support/seed.hpp"

namespace nopal_test {

/// Thrown by a node of a tree.
struct node_failure {
  std::uint64_t node;
};

/// What random trees look like.
struct tree_shape {
  unsigned depth = 8;
  unsigned most_children = 6;
  unsigned throws_one_in = 0;  ///< One leaf in so many throws; 0: none does.
  bool frames_only = false;    ///< No node forks by another front end.
};

namespace tree_detail {

constexpr unsigned widest = 6;
using seeds = std::array<std::uint64_t, widest>;

enum class front_end { closures, returning_closures, frame, task };

/// One node: how many children it has, and how it forks them.
struct node {
  std::uint64_t value;
  unsigned children = 0;
  front_end by;
  bool joins_twice = false;
  bool throws = false;
  seeds child{};

  node(std::uint64_t seed, unsigned depth, const tree_shape& shape) {
    random_numbers random(seed);
    value = random.next();
    by = static_cast<front_end>(random.below(4));
    if (shape.frames_only) by = front_end::frame;
    joins_twice = random.one_in(4);
    if (depth != 0 && !random.one_in(8)) children = 1 + random.below(shape.most_children);
    if (children == 0) throws = shape.throws_one_in != 0 && random.one_in(shape.throws_one_in);
    for (std::uint64_t& s : child) s = random.next();
  }
};

/// Not commutative, so that results in each other's places are noticed.
inline std::uint64_t combine(const node& n, const seeds& results) {
  std::uint64_t sum = n.value;
  for (unsigned i = 0; i < n.children; ++i) sum = sum * 31 + results[i];
  return sum;
}

template <class Tree>
void by_closures(const node& n, unsigned depth, const tree_shape& shape, seeds& results, Tree tree);
template <class Tree>
void by_returning_closures(const node& n, unsigned depth, const tree_shape& shape, seeds& results,
                           Tree tree);
template <class Tree>
NOPAL_FORKS void by_frame(const node& n, unsigned depth, const tree_shape& shape, seeds& results,
                          Tree tree);
inline nopal::task<std::uint64_t> by_task(const node& n, unsigned depth, const tree_shape& shape);
inline nopal::task<std::uint64_t> run_as_task(std::uint64_t seed, unsigned depth,
                                              const tree_shape& shape);

}  // namespace tree_detail

/// Runs the tree with forks.
inline std::uint64_t run_tree(std::uint64_t seed, unsigned depth, const tree_shape& shape) {
  const tree_detail::node n(seed, depth, shape);
  if (n.throws) throw node_failure{n.value};
  tree_detail::seeds results{};
  switch (n.by) {
    case tree_detail::front_end::closures:
      tree_detail::by_closures(n, depth, shape, results, run_tree);
      break;
    case tree_detail::front_end::returning_closures:
      tree_detail::by_returning_closures(n, depth, shape, results, run_tree);
      break;
    case tree_detail::front_end::frame:
      tree_detail::by_frame(n, depth, shape, results, run_tree);
      break;
    case tree_detail::front_end::task:
      return nopal::wait(tree_detail::by_task(n, depth, shape));
  }
  return tree_detail::combine(n, results);
}

/// Runs it as the serial elision does.
inline std::uint64_t run_tree_serially(std::uint64_t seed, unsigned depth,
                                       const tree_shape& shape) {
  const tree_detail::node n(seed, depth, shape);
  if (n.throws) throw node_failure{n.value};
  tree_detail::seeds results{};
  for (unsigned i = 0; i < n.children; ++i)
    results[i] = run_tree_serially(n.child[i], depth - 1, shape);
  return tree_detail::combine(n, results);
}

/// The exceptions that may come out of the tree; none where it returns. The serially first one is
/// the one, except for a frame whose last child, which is called and not forked, throws as well:
/// that exception is on its way before the frame comes to its join.
inline std::set<std::uint64_t> possible_failures(std::uint64_t seed, unsigned depth,
                                                 const tree_shape& shape) {
  const tree_detail::node n(seed, depth, shape);
  if (n.throws) return {n.value};
  for (unsigned i = 0; i < n.children; ++i) {
    std::set<std::uint64_t> all = possible_failures(n.child[i], depth - 1, shape);
    if (all.empty()) continue;
    const bool joined_before_call = n.joins_twice && i < 2 && n.children > 2;
    if (n.by == tree_detail::front_end::frame && !joined_before_call)
      all.merge(possible_failures(n.child[n.children - 1], depth - 1, shape));
    return all;
  }
  return {};
}

namespace tree_detail {

/// Calls invoke(0, ..., n.children - 1), where each argument is a constant.
template <class Invoke>
void for_children(const node& n, Invoke invoke) {
  const auto with = [&]<std::size_t... I>(std::index_sequence<I...>) {
    invoke(std::integral_constant<std::size_t, I>()...);
  };
  switch (n.children) {
    case 0:
      break;
    case 1:
      with(std::make_index_sequence<1>());
      break;
    case 2:
      with(std::make_index_sequence<2>());
      break;
    case 3:
      with(std::make_index_sequence<3>());
      break;
    case 4:
      with(std::make_index_sequence<4>());
      break;
    case 5:
      with(std::make_index_sequence<5>());
      break;
    default:
      with(std::make_index_sequence<6>());
      break;
  }
}

template <class Tree>
void by_closures(const node& n, unsigned depth, const tree_shape& shape, seeds& results,
                 Tree tree) {
  const auto child = [&](std::size_t i) {
    return [&, i] { results[i] = tree(n.child[i], depth - 1, shape); };
  };
  for_children(n, [&](auto... i) { nopal::parallel_invoke(child(i)...); });
}

template <class Tree>
void by_returning_closures(const node& n, unsigned depth, const tree_shape& shape, seeds& results,
                           Tree tree) {
  const auto child = [&](std::size_t i) {
    return [&, i] { return tree(n.child[i], depth - 1, shape); };
  };
  for_children(n, [&](auto... i) {
    results = std::apply([](auto... result) { return seeds{result...}; },
                         nopal::parallel_invoke(child(i)...));
  });
}

template <class Tree>
NOPAL_FORKS void by_frame(const node& n, unsigned depth, const tree_shape& shape, seeds& results,
                          Tree tree) {
  nopal::fork_frame frame;
  for (unsigned i = 0; i + 1 < n.children; ++i) {
    frame.fork(&results[i], tree, n.child[i], depth - 1, std::cref(shape));
    if (n.joins_twice && i == 1) frame.join();
  }
  if (n.children != 0) results[n.children - 1] = tree(n.child[n.children - 1], depth - 1, shape);
  frame.join();
}

/// Below a task that runs children as tasks, those that are to be of another front end are called
/// as plain functions.
inline nopal::task<std::uint64_t> run_as_task(std::uint64_t seed, unsigned depth,
                                              const tree_shape& shape) {
  const node n(seed, depth, shape);
  if (n.by != front_end::task) co_return run_tree(seed, depth, shape);
  if (n.throws) throw node_failure{n.value};
  co_return co_await nopal::call(by_task, n, depth, shape);
}

inline nopal::task<std::uint64_t> by_task(const node& n, unsigned depth, const tree_shape& shape) {
  seeds results{};
  for (unsigned i = 0; i + 1 < n.children; ++i) {
    co_await nopal::fork(&results[i], run_as_task, n.child[i], depth - 1, shape);
    if (n.joins_twice && i == 1) co_await nopal::join();
  }
  if (n.children != 0)
    co_await nopal::call(&results[n.children - 1], run_as_task, n.child[n.children - 1], depth - 1,
                         shape);
  co_await nopal::join();
  co_return combine(n, results);
}

}  // namespace tree_detail
}  // namespace nopal_test
