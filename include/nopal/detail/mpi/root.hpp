// SPDX-License-Identifier: Apache-2.0
// What rank 0 has of a tree, from its root to its result.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

#include "nopal/detail/mpi/saving.hpp"
#include "nopal/detail/mpi/tree.hpp"
#include "nopal/mpi/archive.hpp"
#include "nopal/mpi/function.hpp"

namespace nopal::detail::mpi {

/// A number that calls do not have in common which differ in a tree's type or stand elsewhere:
/// compilers give functions without a name the same one.
template <class Tree>
std::uint64_t number_of_call(const std::source_location& where) {
  return number_of_name(std::string(__PRETTY_FUNCTION__) + '\n' + where.file_name() + '\n' +
                        std::to_string(where.line()) + '\n' + std::to_string(where.column()) +
                        '\n' + std::to_string(sizeof(typename Tree::node)) + '\n' +
                        std::to_string(sizeof(typename Tree::result)));
}

template <class Tree>
class root_of_tree {
 public:
  using work = typename tree_operation<Tree>::work;

  /// \param to  where what is left is kept; null if it is not to be saved.
  /// \param where  the program calls for it.
  root_of_tree(saving* to, typename Tree::node root, const std::source_location& where)
      : to_(to), where_(where), left_(work::of_node(std::move(root))) {}

  /// Goes on, until the tree has been run or the ranks are to pause.
  void run(tree_operation<Tree>& op) {
    if (to_ != nullptr && number_ == 0) begin();
    left_ = op.run(std::move(left_));
    if (to_ != nullptr) keep();
  }

  [[nodiscard]] bool is_done() const noexcept { return left_.is_result(); }
  [[nodiscard]] typename Tree::result& result() { return left_.result(); }

 private:
  void begin() {
    number_ = to_->begin();
    type_ = number_of_call<Tree>(where_);
    const std::optional<bytes> before = to_->kept(number_, type_);
    if (!before) return;
    nopal::mpi::input_archive in(*before);
    left_ = work::got(in);
  }
  void keep() {
    nopal::mpi::output_archive out;
    left_.put(out);
    to_->keep(number_, type_, out.take());
    if (is_done()) to_->finish();
  }

  saving* to_;
  std::source_location where_;
  std::uint64_t number_ = 0;  ///< The operation's, of those that are saved.
  std::uint64_t type_ = 0;
  work left_;
};

}  // namespace nopal::detail::mpi
