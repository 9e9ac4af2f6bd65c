// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/algorithm/blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nopal/detail/fork/invoke_all.hpp"
#include "nopal/detail/join/shared_join.hpp"
#include "nopal/detail/platform/ticks.hpp"
#include "nopal/detail/runtime/default_runtime.hpp"
#include "nopal/detail/strand/current_scope.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "nopal/parallel_invoke.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {
namespace {

/// Says how long blocks are. If a grain is given by hand, all blocks have that length. Otherwise
/// the first is one element. Each of the next is as long as five microseconds allow at the rate of
/// the one before, and at most four times as long as that one.
///
/// Five microseconds are a thousand forks, so the forks cost next to nothing; and a strand of that
/// length is hardly worth a steal, so nobody gains by halving such a block. Elements need not be
/// alike, and a rate says nothing about what comes: so no block has more than a 16th of the
/// elements, or an eighth if that takes half a microsecond.
///
/// What is left when half a microsecond is enough for it is not offered to thieves, block by block.
class block_length {
 public:
  /// \param n  how many elements there are in all.
  block_length(std::size_t by_hand, std::ptrdiff_t n) noexcept
      : length_(by_hand == 0 ? 1 : chosen_grain(by_hand, n)),
        most_(by_hand == 0 ? std::clamp<std::ptrdiff_t>(n / 16, 1, std::ptrdiff_t{longest})
                           : length_),
        most_if_short_(by_hand == 0 ? n / 8 : 0),
        adapts_(by_hand == 0 && n >= 16),
        settled_(!adapts_) {}

  /// Notes that a block begins which follows no other.
  void begin() noexcept {
    if (adapts_) begun_ = detail::ticks();
  }

  /// Returns where the first block of `p` ends. Long blocks end at multiples of 64 elements, so
  /// that vectors stay aligned, and two workers share few cache lines.
  [[nodiscard]] std::ptrdiff_t end_of_first(part p) const noexcept {
    if (p.size() <= length_) return p.to;
    const std::ptrdiff_t end = p.from + length_;
    return adapts_ && length_ >= 2 * unit ? end / unit * unit : end;
  }

  /// Notes that a block has ended which was not the last, and that the next begins.
  void next() noexcept {
    if (!adapts_) return;
    const std::uint64_t now = detail::ticks();
    const std::uint64_t taken = now - begun_;
    begun_ = now;
    const auto fit = static_cast<std::uint64_t>(length_) * detail::ticks_of_five_microseconds() /
                     std::max<std::uint64_t>(taken, 1);
    short_ = static_cast<std::ptrdiff_t>(fit / 10);
    const std::ptrdiff_t most = std::max(most_, std::min(short_, most_if_short_));
    const auto grown = static_cast<std::uint64_t>(std::min(4 * length_, most));
    settled_ = fit <= grown || length_ >= most;
    length_ = static_cast<std::ptrdiff_t>(std::clamp<std::uint64_t>(fit, 1, grown));
  }

  /// Returns the same, for elements that are not those which follow what was timed last.
  [[nodiscard]] block_length elsewhere() const noexcept {
    block_length same = *this;
    same.short_ = 0;
    return same;
  }

  /// Whether blocks will not be much longer than this one.
  [[nodiscard]] bool settled() const noexcept { return settled_; }

  /// Whether `p` takes less than a steal, at the rate of the block before.
  [[nodiscard]] bool is_too_short(part p) const noexcept { return p.size() <= short_; }

  /// Returns where to halve `p`. If a grain is given by hand, a whole number of blocks lies before
  /// that place, as ranges that were walked need it.
  [[nodiscard]] std::ptrdiff_t middle(part p) const noexcept {
    if (!adapts_) return p.middle(length_);
    const std::ptrdiff_t half = p.from + p.size() / 2;
    return p.size() >= 4 * unit ? half / unit * unit : half;
  }

 private:
  static constexpr std::ptrdiff_t longest = 16384;
  static constexpr std::ptrdiff_t unit = 64;

  std::ptrdiff_t length_;
  std::ptrdiff_t most_;
  std::ptrdiff_t most_if_short_;  ///< The most if half a microsecond is enough for them.
  std::ptrdiff_t short_ = 0;      ///< Half a microsecond is enough for so many.
  bool adapts_;
  bool settled_;
  std::uint64_t begun_ = 0;
};

void run_blocks(part todo, const block_length& length, loop_body body);

/// Runs a block, unless a stop has come to the scope.
void run_block(const loop_body& body, part block) {
  detail::check_scope("nopal: a loop");
  body.run(body.leaf, block);
}

/// The join of a loop. It joins each block with all that follows the block.
class join_of_blocks final : public detail::shared_join {
 public:
  join_of_blocks(part todo, const block_length& length, loop_body body) noexcept
      : shared_join(run_stolen, detail::this_worker()), todo_(todo), length_(length), body_(body) {}

  /// Runs blocks until nothing is left or a thief has the rest. The owner calls this.
  void run_own() {
    std::int64_t position = detail::deque::full;  // not pushed yet
    run_all([&](const part& block) {
      run_by(run_stolen);
      position = push_again(position);
      const auto run_one = [&] { run_block(body_, block); };
      return detail::call_and_join<decltype(run_one), shared_join>(run_one, *this, position);
    });
  }

 private:
  static void run_stolen(detail::continuation& c, detail::worker& w) noexcept {
    static_cast<join_of_blocks&>(c).start_first(w, run_rest);
  }

  static void run_rest(shared_join& join) {
    auto& self = static_cast<join_of_blocks&>(join);
    self.length_ = self.length_.elsewhere();
    self.run_all([&self](const part& block) {
      auto run_one = [&] { run_block(self.body_, block); };
      self.call_stealable([](void* run) { (*static_cast<decltype(run_one)*>(run))(); }, &run_one);
      return true;
    });
  }

  /// Runs what is left: the last block as a call, each before it by run_stealable(block), which
  /// returns whether all that follows is still the caller's.
  template <class F>
  NOPAL_ALWAYS_INLINE void run_all(const F& run_stealable) {
    length_.begin();
    for (;;) {
      const part block{todo_.from, length_.end_of_first(todo_)};
      if (block.to == todo_.to) return run_block(body_, block);
      if (length_.is_too_short(todo_)) {
        todo_.from = block.to;
        run_block(body_, block);
        length_.next();
        continue;
      }
      if (length_.settled() && detail::this_worker()->deque.empty()) {
        const std::ptrdiff_t middle = length_.middle(todo_);
        return parallel_invoke(
            [&] { run_blocks(part{todo_.from, middle}, length_, body_); },
            [&] { run_blocks(part{middle, todo_.to}, length_.elsewhere(), body_); });
      }
      todo_.from = block.to;
      if (!run_stealable(block)) [[unlikely]]
        return;
      length_.next();
    }
  }

  // What follows the block that runs. Whoever runs the loop hands it on with the join, and changes
  // it while the join is not pushed.
  part todo_;
  block_length length_;
  loop_body body_;
};

/// Runs a part that is not empty, on a worker.
///
/// While a block runs, all that follows it can be stolen. One join in this frame serves for all
/// blocks, whoever runs them, so a block costs a push and a pop, and a thief that is stolen from in
/// turn ends with its block.
///
/// Whenever the worker has nothing older for thieves, it forks half of what it has left (lazy
/// binary splitting: Tzannes, Caragea, Barua and Vishkin, PPoPP 2010). So it halves as often as it
/// is stolen from, and a thief gets half of the loop. A thief that got the rest would leave nothing
/// for the worker that it stole from, and the two would take the loop from each other, block by
/// block. Nor would it often get the rest: a victim that is asked for the only continuation on its
/// deque answers when it pops that, and then has it itself.
NOPAL_NOINLINE void run_blocks(part todo, const block_length& length, loop_body body) {
  if (length.end_of_first(todo) == todo.to) return run_block(body, todo);
  NOPAL_EMIT_FORKING
  join_of_blocks(todo, length, body).run_own();
}

}  // namespace

void run_loop(part all, std::size_t by_hand, loop_body body) {
  const block_length length(by_hand, all.size());
  if (detail::this_worker() != nullptr) [[likely]]
    return run_blocks(all, length, body);
  auto call = [&] { run_blocks(all, length, body); };
  detail::run_on_default_runtime([](void* c) { (*static_cast<decltype(call)*>(c))(); }, &call);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
