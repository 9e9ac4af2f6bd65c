// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#ifdef NOPAL_EVENTS
#include <atomic>
#include <cstddef>
#include <optional>

#include "platform/subscription.hpp"
#include "scheduler/events.hpp"
#include "scheduler/scheduler_worker.hpp"
#endif

namespace nopal_bench {

/// The number of packages that a made-up machine has.
inline constexpr unsigned made_packages = 4;

/// hwloc's description of a machine with a CPU for each worker, made up by NOPAL_BENCH_VICTIMS. If
/// that is "weighted", the machine has four packages, so that thieves draw their victims by
/// distance. If it is "uniform", all CPUs are as far from each other. If it is not set, the
/// description is empty and stands for this machine.
inline std::string made_machine(unsigned workers) {
  const char* const victims = std::getenv("NOPAL_BENCH_VICTIMS");
  if (victims == nullptr) return {};
  if (workers % made_packages != 0 || workers < 2 * made_packages)
    throw std::invalid_argument("NOPAL_BENCH_VICTIMS needs two workers or more in each of " +
                                std::to_string(made_packages) + " packages, and as many in each; " +
                                std::to_string(workers) + " workers are not that");
  if (std::string_view(victims) == "uniform") return "core:" + std::to_string(workers) + " pu:1";
  if (std::string_view(victims) == "weighted")
    return "pack:" + std::to_string(made_packages) +
           " core:" + std::to_string(workers / made_packages) + " pu:1";
  throw std::invalid_argument("NOPAL_BENCH_VICTIMS is '" + std::string(victims) +
                              "'; allowed are: uniform weighted");
}

#ifdef NOPAL_EVENTS
/// Counts the steals whose thief and victim are in one package, if the machine is made up. A
/// uniform machine counts as if it had packages. The workers of a package have indices next to each
/// other.
class steals_within_package {
 public:
  explicit steals_within_package(unsigned workers) {
    in_package_ = workers / made_packages;
    count_ = 0;
    if (!made_machine(workers).empty()) subscription_.emplace(counter{});
  }
  /// The number of steals; nothing if the machine is not made up.
  [[nodiscard]] std::optional<std::size_t> count() const {
    if (!subscription_) return std::nullopt;
    return count_.load(std::memory_order_relaxed);
  }

 private:
  struct counter {
    void operator()(const nopal::detail::scheduler_events::stolen& e) const {
      const unsigned thief = nopal::detail::this_scheduler_worker().index;
      if (thief / in_package_ == e.victim / in_package_)
        count_.fetch_add(1, std::memory_order_relaxed);
    }
  };

  static inline unsigned in_package_ = 0;
  static inline std::atomic<std::size_t> count_{0};
  std::optional<nopal::detail::subscription<nopal::detail::scheduler_events::stolen>> subscription_;
};
#endif

}  // namespace nopal_bench
