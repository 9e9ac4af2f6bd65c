// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs
#include "nopal/options.hpp"
#include "nopal/runtime.hpp"
#include "nopal/statistics.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {
#endif
namespace mapped {

/// What the stacks of a mapped runtime are made of.
struct stack_statistics {
  /// Pages of all stacks that are in memory now, as the kernel counts them.
  std::size_t pages = 0;
  std::size_t segments = 0;  ///< Stacks that exist, in use or not.
  std::uint64_t mapped = 0;  ///< How often a worker has mapped a segment that it lacked.
};

}  // namespace mapped
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/mapped_runtime.hpp"
#else

namespace nopal::mapped {

/// Workers that are processes: each has all the frames above it at their addresses, on one linear
/// stack, as in Cilk-M (Lee et al., PACT 2010, sections 4 and 7). docs/mapped.md says what a
/// program may do there and what it may not. Needs the CMake target nopal::mapped.
/// \code
/// nopal::mapped::runtime four({.workers = 4});
/// int a = 0;
/// int b = 0;
/// four.run([&] { nopal::parallel_invoke([&] { a = 1; }, [&] { b = 2; }); });
/// \endcode
///
/// Thread-safety: only the main thread makes a mapped runtime and destroys it, one at a time; the
/// main thread and the workers use it.
class runtime {
 public:
  /// Moves the memory of the program into shared memory, the first time, and starts workers.
  /// \throws std::invalid_argument naming the option, its value and what is allowed;
  /// std::logic_error if the process has another thread, or a mapped runtime, or malloc is not
  /// mimalloc's; std::system_error if there is no memory or no process can be started.
  explicit runtime(const options& o = options::from_environment());

  /// Waits for the workers to end. It must not be called in run().
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Runs f(args...) on the workers, waits for it, and returns its result. If a worker calls it, it
  /// is a plain call.
  /// \param f, args  they are used in place, not copied.
  /// \returns what f returns, which must be movable or a reference.
  /// \throws whatever f throws.
  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    if constexpr (nopal::detail::check_function<F, A...>())
      return nopal::detail::run_through(
          [this](void (*call)(void*), void* argument) { run_erased(call, argument); },
          std::forward<F>(f), std::forward<A>(args)...);
  }

  [[nodiscard]] unsigned workers() const noexcept;
  [[nodiscard]] statistics stats() const;
  [[nodiscard]] stack_statistics stacks() const;

  /// Returns the process of a worker.
  /// \param index  below workers().
  [[nodiscard]] int process(unsigned index) const noexcept;

 private:
  void run_erased(void (*call)(void*), void* argument);

  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace nopal::mapped

#endif
