// SPDX-License-Identifier: Apache-2.0
// A tree of work whose subtrees other ranks may run.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nopal/detail/mpi/hub.hpp"
#include "nopal/detail/mpi/work.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/mpi/archive.hpp"
#include "nopal/mpi/error.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/stop.hpp"

namespace nopal::detail::mpi {

/// Runs a tree: a node is expanded into a value and children, and its result combines that value
/// with the results of the children, in their order. The brackets are those of the tree, whoever
/// runs what.
///
/// Children are run by forks, as any recursion. While a node's children run, its frame says which
/// of them have been begun. If another rank asks for work, the next strand that begins a child
/// gives away half of the children that are left in each frame above it. Above a node that is long
/// the thread that receives letters does. A frame's strand waits for the results of those before it
/// combines them.
///
/// \tparam Tree  says what is done:
///   node, result        types; an archive takes both
///   expand(node, emit)  calls emit(child) for each child, and returns the node's value, which is
///                       nothing if it has none of its own
///   is_long(node)       whether ranks that ask should not wait until that has been done
///   combine(a, b)
template <class Tree>
class tree_operation final : public operation {
 public:
  using node = typename Tree::node;
  using result = typename Tree::result;

  using work = mpi::work<node, result>;

  tree_operation(hub& h, const Tree& tree) : hub_(h), tree_(tree) {}

  /// Runs what is left. It is the result then, unless the ranks were to pause.
  work run(work w) {
    if (!w.is_result()) run_here(w, nullptr);
    return w;
  }

  [[nodiscard]] bool can_pause() const noexcept override { return true; }
  bytes run_piece(const bytes& from) override {
    if (hub_.is_paused()) return from;  // nobody has begun it
    input_archive in(from);
    output_archive out;
    run(work::got(in)).put(out);
    return out.take();
  }

 private:
  using output_archive = nopal::mpi::output_archive;
  using input_archive = nopal::mpi::input_archive;

  struct child {
    work what;
    bool is_taken;  ///< Read and written as an atomic once children run.
  };

  struct frame {
    frame* above;
    std::optional<result> value;
    std::vector<child> children;
    std::shared_ptr<given_children> given;  ///< Set under the operation's mutex.

    /// Takes a child. Whoever does so runs it, or has it run. The order is relaxed: forks order
    /// what a child is before this, and joins and the countdown of given children order its result.
    /// For the thread that receives letters the mutex of long nodes does both.
    bool take(std::size_t i) {
      return !std::atomic_ref(children[i].is_taken).exchange(true, std::memory_order_relaxed);
    }
    /// Returns how many children nobody has taken.
    [[nodiscard]] std::size_t left() {
      std::size_t n = 0;
      for (child& c : children)
        if (!std::atomic_ref(c.is_taken).load(std::memory_order_relaxed)) ++n;
      return n;
    }
  };

  /// Replaces work by what it has come to.
  void run_here(work& w, frame* above) {
    if (w.is_node()) [[likely]]
      w = run_node(std::move(w.node()), above);
    else
      w = go_on(std::move(w.rest()), above);
  }

  // Those that may throw are not inlined: see held_exception.hpp.
  NOPAL_NOINLINE work run_node(node n, frame* above) {
    frame f{above, {}, {}, nullptr};
    const auto emit = [&f](node c) { f.children.push_back({work::of_node(std::move(c)), false}); };
    if (above != nullptr && tree_.is_long(n)) {
      const long_nodes::entry open(
          *nodes(), [this, above](const request& r) { return give_above(r, *above); });
      f.value = tree_.expand(n, emit);
    } else {
      f.value = tree_.expand(n, emit);
    }
    return run_frame(f);
  }

  /// Runs what is left of a node.
  NOPAL_NOINLINE work go_on(begun_node<node, result> b, frame* above) {
    frame f{above, std::move(b.value), {}, nullptr};
    f.children.reserve(b.children.size());
    for (work& c : b.children) {
      const bool is_done = c.is_result();
      f.children.push_back({std::move(c), is_done});
    }
    return run_frame(f);
  }

  work run_frame(frame& f) {
    if (!f.children.empty()) run_children(f, 0, f.children.size());
    if (f.given != nullptr) collect(f);
    auto at = f.children.begin();
    for (; at != f.children.end() && at->what.is_result(); ++at)
      f.value = f.value ? tree_.combine(*std::move(f.value), std::move(at->what.result()))
                        : std::move(at->what.result());
    if (at == f.children.end()) return work::of_result(*std::move(f.value));
    if (!hub_.is_paused())
      check_stop();  // a child may be left since it has failed to be given away
    auto rest = std::make_unique<begun_node<node, result>>();
    rest->value = std::move(f.value);
    for (; at != f.children.end(); ++at) rest->children.push_back(std::move(at->what));
    return work::of_begun(std::move(rest));
  }

  NOPAL_NOINLINE void run_children(frame& f, std::size_t from, std::size_t to) {
    if (to - from == 1) return run_child(f, from);
    const std::size_t middle = from + (to - from) / 2;
    parallel_invoke([&, this] { run_children(f, from, middle); },
                    [&, this] { run_children(f, middle, to); });
  }

  void run_child(frame& f, std::size_t i) {
    if (hub_.is_called()) [[unlikely]] {
      if (hub_.is_paused()) return;  // it is left
      give(f);
    }
    check_stop();
    if (!f.take(i)) return;
    run_here(f.children[i].what, &f);
  }

  /// Answers a rank that asks for work, by half of what is left on the way from the root to here: a
  /// subtree far down may be as large as one near the root.
  void give(frame& from) {
    const std::optional<request> asked = hub_.take_request();
    if (asked && !answer(*asked, from)) hub_.answer(*asked, {});
  }

  /// Does the same while a long node below is run, if anything is left, and says so. What is thrown
  /// fails the operation, since no strand of it would see that.
  bool give_above(const request& asked, frame& from) noexcept {
    try {
      return answer(asked, from);
    } catch (const std::exception& e) {
      fail("rank " + std::to_string(hub_.rank()) + ": " + e.what());
    } catch (...) {
      fail("rank " + std::to_string(hub_.rank()) + ": a node cannot be turned into bytes");
    }
    return false;
  }

  /// Answers by that, if anything is left, and says so.
  bool answer(const request& asked, frame& from) {
    std::vector<frame*> path;
    for (frame* f = &from; f != nullptr; f = f->above) path.push_back(f);
    gift all;
    for (auto f = path.rbegin(); f != path.rend() && !all.is_enough(); ++f) take_half(**f, all);
    if (all.pieces.empty()) return false;
    hub_.answer(asked, std::move(all.pieces));
    return true;
  }

  /// What a rank gets that has asked.
  struct gift {
    std::vector<piece> pieces;
    std::size_t bytes_in_all = 0;

    [[nodiscard]] bool is_enough() const {
      return pieces.size() >= 1024 || bytes_in_all >= enough_for_one;
    }
  };

  /// Takes half of the children that are left in a frame, the last ones.
  void take_half(frame& f, gift& all) {
    std::size_t wanted = (f.left() + 1) / 2;
    for (std::size_t i = f.children.size(); wanted > 0 && i > 0 && !all.is_enough(); --i) {
      if (!f.take(i - 1)) continue;
      output_archive out;
      f.children[i - 1].what.put(out);
      all.bytes_in_all += out.size();
      all.pieces.push_back({hub_.rank(), hub_.expect(given(f), i - 1), out.take()});
      --wanted;
    }
  }

  std::shared_ptr<given_children> given(frame& f) {
    const std::lock_guard l(mutex_);
    if (f.given == nullptr) f.given = std::make_shared<given_children>(f.children.size());
    return f.given;
  }

  /// Waits for the children that other ranks run. Whoever has given them away was below this frame,
  /// and has ended.
  void collect(frame& f) {
    hub_.before_wait();
    std::vector<std::optional<outcome>>& all = f.given->wait();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i]) continue;
      if (all[i]->failed) throw nopal::mpi::error(all[i]->text());
      input_archive in(all[i]->data);
      f.children[i].what = work::got(in);
    }
  }

  hub& hub_;
  const Tree& tree_;
  std::mutex mutex_;
};

}  // namespace nopal::detail::mpi
