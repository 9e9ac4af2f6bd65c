// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"
#include "nopal/detail/pipeline/pipeline_flow.hpp"
#include "nopal/detail/pipeline/pipeline_stages.hpp"
#include "nopal/detail/runtime/completion.hpp"
#include "nopal/stop.hpp"
#include "nopal/sync/mutex.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Whether each of the stages takes what the one before it returns; the first takes an X.
template <class X>
constexpr bool stages_fit() {
  return true;
}
template <class X, class First, class... More>
constexpr bool stages_fit() {
  using function = typename open_stage<First>::function;
  if constexpr (!std::invocable<function, X>)
    return false;
  else if constexpr (sizeof...(More) == 0)
    return true;
  else if constexpr (std::is_void_v<detail::result_to_end<function, X>>)
    return false;
  else
    return stages_fit<detail::result_to_end<function, X>, More...>();
}

/// A pipeline that runs. Any carrier can run all of it: one that waits for nobody does, and the
/// others find that nothing is left.
template <class Source, class... Stages>
class open_pipeline {
 public:
  open_pipeline(std::size_t most, Source& source, Stages&... stages)
      : flow_(most), source_(source), stages_(stage_to_open<Stages>{stages, most}...) {}

  void run(std::size_t most) {
    try {
      for_each_block({0, static_cast<std::ptrdiff_t>(most)}, 1, [this](part carriers) {
        for (std::ptrdiff_t i = carriers.from; i < carriers.to; ++i)
          carry(flow_[static_cast<std::size_t>(i)]);
      });
    } catch (...) {
      flow_.fail(flow_[0]);  // a stop has come before all carriers had begun
    }
    flow_.rethrow();
  }

 private:
  void carry(pipeline_flow::carrier& c) noexcept {
    try {
      with_stop(c.stop.get_token(), [&] {
        while (carry_one(c)) pipeline_flow::finish(c);
      });
    } catch (...) {
      flow_.fail(c);
    }
  }

  /// Returns whether there may be more.
  bool carry_one(pipeline_flow::carrier& c) {
    check_block();
    std::optional<std::uint64_t> number;
    auto item = taken(c, number);
    if (!number) return false;
    pass<0>(*number, *std::move(item));
    return true;
  }

  auto taken(pipeline_flow::carrier& c, std::optional<std::uint64_t>& number) {
    using item_type = std::remove_cvref_t<detail::result_to_end<Source&>>;
    const std::lock_guard held(at_source_);
    if (flow_.is_over()) return item_type();
    item_type item = detail::invoke_to_end(source_);
    if (item)
      number = flow_.begin(c);
    else
      flow_.end();
    return item;
  }

  template <std::size_t At, class X>
  void pass(std::uint64_t number, X&& item) {
    if constexpr (At < sizeof...(Stages)) {
      if constexpr (At != 0) check_block();
      auto& stage = std::get<At>(stages_);
      if constexpr (At + 1 == sizeof...(Stages))
        static_cast<void>(stage.pass(number, std::forward<X>(item)));
      else
        pass<At + 1>(number, stage.pass(number, std::forward<X>(item)));
    }
  }

  pipeline_flow flow_;
  Source& source_;
  mutex at_source_;
  std::tuple<open_stage<Stages>...> stages_;
};

}  // namespace algorithm_detail

/// The stages of a nopal::pipeline(). Each is given what the one before it has returned.
namespace stage {

/// A stage that takes any number of items at the same time.
/// \param f  called as const by several workers at once.
template <class F>
[[nodiscard]] auto parallel(F f) {
  return algorithm_detail::stage_function<algorithm_detail::stage_order::parallel, F>{std::move(f)};
}
/// A stage that takes one item at a time, whichever comes first.
template <class F>
[[nodiscard]] auto serial(F f) {
  return algorithm_detail::stage_function<algorithm_detail::stage_order::serial, F>{std::move(f)};
}
/// A stage that takes one item at a time, in the order in which they came from the source.
template <class F>
[[nodiscard]] auto in_order(F f) {
  return algorithm_detail::stage_function<algorithm_detail::stage_order::in_order, F>{std::move(f)};
}

}  // namespace stage

/// Brings items through stages: pipeline(most, source, stages...).
///
/// The source is called until it returns nothing, by one worker at a time. An item goes through all
/// stages on one strand, so what it needs stays in a cache. If nothing waits, one worker brings one
/// item after the other through all stages. Functions may wait, for each other, for I/O or for a
/// moment; then their strand is suspended, and its worker goes on with other items.
/// \code
/// std::istringstream in("3 1 4");
/// std::vector<int> out;
/// nopal::pipeline(
///     16,
///     [&]() -> std::optional<int> {
///       int i;
///       if (in >> i) return i;
///       return {};
///     },
///     nopal::stage::parallel([](int i) { return i * i; }),
///     nopal::stage::in_order([&](int i) { out.push_back(i); }));  // 9 1 16
/// \endcode
///
/// \param most  how many items may be on their way at the same time; 0 counts as 1.
/// \param source  returns a std::optional of an item.
/// \param stages  of nopal::stage. What the last one returns is dropped. If a function returns a
/// nopal::task, that is run to its end, and it is its result that counts.
/// \throws the exception of the first item, in the order of the source, whose function throws among
/// those that ran; what the source throws counts as that of the item after all others. Items before
/// it come through. Of those after it none begins another stage, and a stop comes to what they wait
/// for. nopal::stopped if a stop comes to the caller's scope; std::bad_alloc.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: for each item, a call of each function, and one or two atomic instructions for each
/// stage that is not parallel; no allocation. Space for `most` strands if they wait.
/// Source: McCool, Robison and Reinders, Structured Parallel Programming, chapter 9; oneTBB's
/// parallel_pipeline, but with strands that wait.
template <class Source, class... Stages>
// This is not inlined, because of what it throws: see held_exception.hpp.
NOPAL_NOINLINE void pipeline(std::size_t most, Source source, Stages... stages) {
  constexpr bool has_source = [] {
    if constexpr (std::invocable<Source&>)
      return algorithm_detail::is_optional<std::remove_cvref_t<detail::result_to_end<Source&>>>;
    return false;
  }();
  constexpr bool has_stages = (algorithm_detail::is_stage<Stages> && ...);
  static_assert(has_source,
                "nopal::pipeline: behind the number of items comes the source, a function without "
                "arguments that returns a std::optional");
  static_assert(has_stages,
                "nopal::pipeline: behind the source come the stages, each made by "
                "nopal::stage::parallel, nopal::stage::serial or nopal::stage::in_order");
  if constexpr (has_source && has_stages) {
    using item = typename std::remove_cvref_t<detail::result_to_end<Source&>>::value_type;
    constexpr bool fit = algorithm_detail::stages_fit<item, Stages...>();
    static_assert(fit,
                  "nopal::pipeline: a stage cannot be called with what the one before it returns; "
                  "a parallel one is called as const");
    if constexpr (fit) {
      const std::size_t carriers = std::max<std::size_t>(most, 1);
      algorithm_detail::open_pipeline<Source, Stages...>(carriers, source, stages...).run(carriers);
    }
  }
}

}  // namespace parallel
}  // namespace nopal
