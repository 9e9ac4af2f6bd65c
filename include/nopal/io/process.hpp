// SPDX-License-Identifier: Apache-2.0
// Processes that this one starts.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <concepts>
#include <optional>
#include <ranges>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "nopal/detail/io/perform.hpp"
#include "nopal/detail/io/process/child.hpp"
#include "nopal/detail/io/process/run.hpp"
#include "nopal/io/limits.hpp"
#include "nopal/io/process_options.hpp"
#include "nopal/io/sockets.hpp"
#include "nopal/io/time.hpp"
#include "nopal/stop.hpp"
#include "nopal/task.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif
namespace io {

/// What a process is called with: first the program, which is looked for in PATH if its name has no
/// slash, and then what its main() gets behind it. No shell sees any of it.
/// \code
/// std::vector<std::string> files{"a", "b"};
/// nopal::io::arguments wc{"wc", "-l"};
/// for (const std::string& f : files) wc.all.push_back(f);
/// \endcode
///
/// Thread-safety: that of a std::vector.
struct arguments {
  /// Takes them one by one. This is no std::initializer_list, which g++ 12 refuses in a co_await.
  template <class... Texts>
    requires(std::constructible_from<std::string, const Texts&> && ...)
  arguments(const Texts&... texts) {
    all.reserve(sizeof...(texts));
    (all.emplace_back(texts), ...);
  }
  /// Takes any range of what a std::string can be made of.
  template <std::ranges::input_range R>
    requires(!std::constructible_from<std::string, const R&> &&
             std::constructible_from<std::string, std::ranges::range_reference_t<R>>)
  arguments(R&& texts) {
    for (auto&& t : texts) all.emplace_back(t);
  }

  std::vector<std::string> all;
};

/// A process that start_process() has started. If nobody has waited for its end, it is killed at
/// the end of the object (SIGKILL), and reaped. In a child of fork(2) the object is that of no
/// process, and its end kills nothing.
/// \code
/// nopal::io::process sort =
///     nopal::io::start_process({"sort"}, {.input = nopal::io::stream::piped});
/// nopal::io::write_all(sort.input(), "b\na\n");
/// sort.close_input();
/// const bool sorted = sort.wait().succeeded();
/// \endcode
///
/// Thread-safety: one strand, task or thread at a time may call it.
class process {
 public:
  /// Makes the object of no process.
  process() noexcept = default;
  explicit process(detail::child&& c) noexcept : child_(std::move(c)) {}

  [[nodiscard]] pid_t id() const noexcept { return child_.id(); }
  // These are the ends of the pipes: a descriptor for each stream that is piped, else -1.
  [[nodiscard]] int input() const noexcept { return child_.streams[0].get(); }
  [[nodiscard]] int output() const noexcept { return child_.streams[1].get(); }
  [[nodiscard]] int errors() const noexcept { return child_.streams[2].get(); }
  /// Closes the pipe to the standard input, so that the process reads its end.
  void close_input() noexcept { child_.streams[0].reset(); }

  /// Sends a signal to the process.
  /// \throws std::system_error with std::errc::no_such_process after wait() has returned.
  void signal(int number) const {
    if (const int error = child_.signal(number))
      throw std::system_error(error, std::system_category(), "nopal::io: signal to a process");
  }

  /// Waits for the end of the process, and reaps it. Returns the same if it is called again. A
  /// limit ends the wait, and nothing else. Whoever waits while a pipe is full that nobody reads
  /// waits for ever.
  /// \throws std::system_error with std::errc::no_child_process if there is no process to wait for.
  exit_status wait(const limits& within = {}) {
    std::error_code error;
    const exit_status s = wait(error, within);
    if (error) detail::throw_io_error("wait for a process", error);
    return s;
  }
  exit_status wait(std::error_code& error, const limits& within = {}) {
    error.clear();
    while (!error && !status_ && !child_.has_ended())
      if (const int fd = child_.exit_descriptor(); fd >= 0)
        poll(fd, POLLIN, error, within);
      else
        sleep_for(look_each, error, within);
    return reap(error);
  }
  [[nodiscard]] task<exit_status> async_wait(limits within = {}) {
    std::error_code error;
    const exit_status s = co_await async_wait(error, within);
    if (error) detail::throw_io_error("wait for a process", error);
    co_return s;
  }
  [[nodiscard]] task<exit_status> async_wait(std::error_code& error, limits within = {}) {
    error.clear();
    while (!error && !status_ && !child_.has_ended())
      if (const int fd = child_.exit_descriptor(); fd >= 0)
        co_await async_poll(fd, POLLIN, error, within);
      else
        co_await async_sleep_for(look_each, error, within);
    co_return reap(error);
  }

 private:
  static constexpr std::chrono::milliseconds look_each{2};  ///< If nothing tells of the end.

  exit_status reap(std::error_code& error) noexcept {
    if (error || status_) return error ? exit_status{} : *status_;
    const exit_status s = child_.reap(error);
    if (!error) status_ = s;
    return s;
  }

  detail::child child_;
  std::optional<exit_status> status_;
};

/// Starts a process.
/// \code
/// nopal::io::process editor = nopal::io::start_process({"vi", "notes.txt"});
/// editor.wait();
/// \endcode
///
/// On a worker a helper thread starts it, so that it gets the signal mask and the CPUs of the
/// program. It inherits no descriptor with O_CLOEXEC, which all of nopal's have. Its start is not
/// broken off.
/// \throws std::system_error, whose message names the program, if it cannot be started.
/// Thread-safety: any thread may call it. A program that ignores SIGCHLD, or waits for any child,
/// takes away how the process has ended: wait() then fails with std::errc::no_child_process.
inline process start_process(const arguments& a, const process_options& options,
                             std::error_code& error) {
  return process(detail::call_unbroken(detail::start_child(a.all, options), error));
}
inline process start_process(const arguments& a, const process_options& options = {}) {
  std::error_code error;
  process p = start_process(a, options, error);
  if (error) detail::throw_start_error(a.all, error);
  return p;
}
[[nodiscard]] inline task<process> async_start_process(arguments a, process_options options,
                                                       std::error_code& error) {
  detail::start_child start(std::move(a.all), options);
  co_return process(co_await detail::async_call_unbroken(std::move(start), error));
}
[[nodiscard]] inline task<process> async_start_process(arguments a, process_options options = {}) {
  std::error_code error;
  process p = co_await async_start_process(a, options, error);
  if (error) detail::throw_start_error(a.all, error);
  co_return p;
}

/// Runs a process to its end. Returns how it has ended and what it has written.
/// \code
/// const nopal::io::process_result r =
///     nopal::io::run_process({"sort", "-n"}, {.input = "2\n1\n"}, std::chrono::seconds(10));
/// if (r.status.succeeded()) std::fputs(r.output.c_str(), stdout);
/// \endcode
///
/// The strand is suspended until the process has ended and its pipes are closed, by itself and by
/// all that it has started with them. A stop or a deadline ends the process: it gets SIGTERM, and
/// SIGKILL after options.grace. What it has started is left alone. The call returns when the
/// process has been reaped; with a std::error_code it returns what there is, and the limit as the
/// error.
/// \throws std::system_error if the process cannot be started, or if a limit has ended it. A
/// process that fails is no error: look at the status.
/// Thread-safety: that of start_process().
inline process_result run_process(const arguments& a, const run_options& options,
                                  std::error_code& error, const limits& within = {}) {
  error.clear();
  if (within.stop.stop_requested() || stop_requested()) {
    error.assign(ECANCELED, std::system_category());
    return {};
  }
  detail::start_child start(a.all, detail::process_options_of(options));
  detail::child c = detail::call_unbroken(std::move(start), error);
  if (error) return {};
  detail::process_run run(std::move(c), options.input, options.grace, within);
  while (run.goes_on()) {
    std::error_code waited;
    detail::perform<short>(run.wait(), waited, run.within());
    run.step(waited);
  }
  error = run.end();
  return std::move(run.result);
}
inline process_result run_process(const arguments& a, const run_options& options,
                                  const limits& within = {}) {
  std::error_code error;
  process_result r = run_process(a, options, error, within);
  if (error) detail::throw_start_error(a.all, error);
  return r;
}
inline process_result run_process(const arguments& a, std::error_code& error,
                                  const limits& within = {}) {
  return run_process(a, run_options(), error, within);
}
inline process_result run_process(const arguments& a, const limits& within = {}) {
  return run_process(a, run_options(), within);
}
[[nodiscard]] inline task<process_result> async_run_process(arguments a, run_options options,
                                                            std::error_code& error,
                                                            limits within = {}) {
  error.clear();
  if (within.stop.stop_requested() || stop_requested()) {
    error.assign(ECANCELED, std::system_category());
    co_return process_result();
  }
  detail::start_child start(a.all, detail::process_options_of(options));
  detail::child c = co_await detail::async_call_unbroken(std::move(start), error);
  if (error) co_return process_result();
  detail::process_run run(std::move(c), options.input, options.grace, within);
  while (run.goes_on()) {
    std::error_code waited;
    co_await detail::io_expression<short>(run.wait(), &waited, run.within());
    run.step(waited);
  }
  error = run.end();
  co_return std::move(run.result);
}
[[nodiscard]] inline task<process_result> async_run_process(arguments a, run_options options,
                                                            limits within = {}) {
  std::error_code error;
  process_result r = co_await async_run_process(a, options, error, within);
  if (error) detail::throw_start_error(a.all, error);
  co_return r;
}
[[nodiscard]] inline task<process_result> async_run_process(arguments a, std::error_code& error,
                                                            limits within = {}) {
  return async_run_process(std::move(a), run_options(), error, std::move(within));
}
[[nodiscard]] inline task<process_result> async_run_process(arguments a, limits within = {}) {
  return async_run_process(std::move(a), run_options(), std::move(within));
}

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
