// SPDX-License-Identifier: Apache-2.0
// What the operations of a world make trees of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/algorithm/fold.hpp"
#include "nopal/algorithm/for_each.hpp"
#include "nopal/detail/algorithm/fold_lanes.hpp"
#include "nopal/detail/algorithm/fold_leaf.hpp"
#include "nopal/detail/algorithm/pace.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/reduce/folded_blocks.hpp"
#include "nopal/mpi/archive.hpp"

namespace nopal::detail::mpi {

using algorithm_detail::part;

/// How many pieces a range is cut into for each rank, so that what is left over at the end is
/// small. Within a piece all is done by forks.
inline constexpr std::ptrdiff_t pieces_of_rank = 64;

template <class Node, class Result, class Expand, class Op>
struct given_tree {
  using node = Node;
  using result = Result;

  template <class Emit>
  std::optional<result> expand(const node& n, const Emit& emit) const {
    return std::optional<result>(std::invoke(expand_node, n, emit));
  }
  bool is_long(const node& /*n*/) const { return false; }
  result combine(result&& a, result&& b) const {
    return std::invoke(op, std::move(a), std::move(b));
  }

  const Expand& expand_node;
  const Op& op;
};

/// The halves of a fold, which has the brackets of nopal::fold.
template <class U, class I, class Op, class F>
struct range_tree {
  using node = part;
  using result = U;

  range_tree(I first_number, std::ptrdiff_t n, int ranks, const Op& operation, const F& of)
      : first(first_number),
        grain(algorithm_detail::chosen_grain(0, n, algorithm_detail::limits_of_fold<U, I, Op, F>)),
        alone(std::max(grain, n / (pieces_of_rank * ranks))),
        op(operation),
        f(of) {}

  template <class Emit>
  std::optional<U> expand(const part& p, const Emit& emit) const {
    if (p.size() > alone) {
      const std::ptrdiff_t middle = p.middle(grain);
      emit(part{p.from, middle});
      emit(part{middle, p.to});
      return {};
    }
    algorithm_detail::pace pace(0, p.size(), grain);
    return algorithm_detail::folded_part<U>(
        p, grain,
        [this](part b) { return algorithm_detail::fold_leaf<U>(first + b.from, b.size(), op, f); },
        [this](U a, U b) { return combine(std::move(a), std::move(b)); }, pace);
  }
  bool is_long(const part& p) const { return p.size() <= alone; }
  U combine(U&& a, U&& b) const {
    return algorithm_detail::combined<U>(op, std::move(a), std::move(b));
  }

  I first;
  std::ptrdiff_t grain;
  std::ptrdiff_t alone;
  const Op& op;
  const F& f;
};

/// Inputs from..to of a map. Those that have come from elsewhere live as long as a node has some of
/// them.
template <class Input>
struct inputs {
  std::ptrdiff_t from = 0;
  std::ptrdiff_t to = 0;
  std::ptrdiff_t alone = 1;   ///< So many are not divided. Rank 0 alone knows how many there are.
  const Input* at = nullptr;  ///< The first of them.
  std::shared_ptr<const std::vector<Input>> own;

  /// To be sent.
  void serialize(nopal::mpi::output_archive& a) {
    a(from, to, alone, std::vector<Input>(at, at + to - from));
  }
  void serialize(nopal::mpi::input_archive& a) {
    std::vector<Input> all;
    a(from, to, alone, all);
    own = std::make_shared<const std::vector<Input>>(std::move(all));
    at = own->data();
  }
};

template <class Input, class Result, class F>
struct map_tree {
  using node = inputs<Input>;
  using result = std::vector<Result>;

  template <class Emit>
  std::optional<result> expand(const node& n, const Emit& emit) const {
    const std::ptrdiff_t size = n.to - n.from;
    if (size > n.alone) {
      const std::ptrdiff_t half = size / 2;
      emit(node{n.from, n.from + half, n.alone, n.at, n.own});
      emit(node{n.from + half, n.to, n.alone, n.at + half, n.own});
      return {};
    }
    std::vector<std::optional<Result>> got(static_cast<std::size_t>(size));
    for_each(std::ptrdiff_t{0}, size, [&](std::ptrdiff_t i) {
      got[static_cast<std::size_t>(i)].emplace(std::invoke(f, n.at[i]));
    });
    result all;
    all.reserve(got.size());
    for (std::optional<Result>& r : got) all.push_back(*std::move(r));
    return all;
  }
  bool is_long(const node& n) const { return n.to - n.from <= n.alone; }
  result combine(result&& a, result&& b) const {
    a.insert(a.end(), std::move_iterator(b.begin()), std::move_iterator(b.end()));
    return std::move(a);
  }

  const F& f;
};

}  // namespace nopal::detail::mpi
