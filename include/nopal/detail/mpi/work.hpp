// SPDX-License-Identifier: Apache-2.0
// A part of a tree that is to be run, has been run, or has been left in the middle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "nopal/mpi/archive.hpp"

namespace nopal::detail::mpi {

template <class Node, class Result>
struct begun_node;

/// A subtree: its root, if nobody has begun it; its result; or what is left of it, if its ranks
/// were to pause. An archive takes it.
template <class Node, class Result>
class work {
 public:
  using begun = std::unique_ptr<begun_node<Node, Result>>;

  static work of_node(Node n) { return work(std::in_place_index<0>, std::move(n)); }
  static work of_result(Result r) { return work(std::in_place_index<1>, std::move(r)); }
  static work of_begun(begun b) { return work(std::in_place_index<2>, std::move(b)); }

  [[nodiscard]] bool is_node() const noexcept { return is_.index() == 0; }
  [[nodiscard]] bool is_result() const noexcept { return is_.index() == 1; }
  [[nodiscard]] Node& node() { return *std::get_if<0>(&is_); }
  [[nodiscard]] Result& result() { return *std::get_if<1>(&is_); }
  [[nodiscard]] begun_node<Node, Result>& rest() { return **std::get_if<2>(&is_); }

  void put(nopal::mpi::output_archive& a) {
    a(static_cast<std::uint8_t>(is_.index()));
    if (is_node())
      a(node());
    else if (is_result())
      a(result());
    else
      rest().put(a);
  }
  static work got(nopal::mpi::input_archive& a) {
    switch (a.next<std::uint8_t>()) {
      case 0:
        return of_node(a.next<Node>());
      case 1:
        return of_result(a.next<Result>());
      default:
        return of_begun(begun_node<Node, Result>::got(a));
    }
  }

 private:
  template <std::size_t I, class T>
  work(std::in_place_index_t<I> which, T&& what) : is_(which, std::forward<T>(what)) {}

  std::variant<Node, Result, begun> is_;
};

/// What is left of a node whose children have been begun.
template <class Node, class Result>
struct begun_node {
  std::optional<Result> value;  ///< What those before the first child that is left have come to.
  std::vector<work<Node, Result>> children;

  void put(nopal::mpi::output_archive& a) {
    a(value, std::uint64_t{children.size()});
    for (work<Node, Result>& c : children) c.put(a);
  }
  static std::unique_ptr<begun_node> got(nopal::mpi::input_archive& a) {
    auto b = std::make_unique<begun_node>();
    a(b->value);
    for (auto n = a.next<std::uint64_t>(); n > 0; --n)
      b->children.push_back(work<Node, Result>::got(a));
    return b;
  }
};

}  // namespace nopal::detail::mpi
