// SPDX-License-Identifier: Apache-2.0
// This is for programs that use Boost.Asio. Nothing else of nopal uses Boost, and nopal.hpp does
// not include this.
#pragma once

#include <boost/asio/async_result.hpp>
#include <utility>

#include "nopal/detail/asio/asio_operation.hpp"
#include "nopal/task.hpp"

namespace nopal {

/// The type of nopal::use_task.
struct use_task_t {};

/// A completion token: an operation of Boost.Asio that is given this returns a nopal::task, which
/// starts the operation, and returns what that completes with.
/// \code
/// nopal::task<std::size_t> echo(boost::asio::ip::tcp::socket& s, std::span<char> room) {
///   const std::size_t n =
///       co_await s.async_read_some(boost::asio::buffer(room.data(), room.size()),
///       nopal::use_task);
///   co_return co_await boost::asio::async_write(s, boost::asio::buffer(room.data(), n),
///                                               nopal::use_task);
/// }
/// \endcode
///
/// The io_context runs on threads of the program, which are no workers. The task goes on on a
/// worker of its runtime, so operations of one object may be started on several threads, one after
/// the other. A task takes no part in a strand of Asio. A task that owns objects of the io_context,
/// such as sockets and timers, must have ended before the io_context ends.
/// \returns a task<> if the operation completes with an error alone or with nothing, a task<T> if
/// with one value, a task of a std::tuple if with several.
/// \throws boost::system::system_error, from co_await, for an error_code that is set, or the
/// std::exception_ptr; nopal::abandoned if the io_context ends before the operation.
/// Thread-safety: that of the operation.
/// Complexity: the frame of a task.
inline constexpr use_task_t use_task{};

}  // namespace nopal

/// Makes a task of an operation that completes with values of the types A.
template <class... A>
class boost::asio::async_result<nopal::use_task_t, void(A...)> {
 public:
  template <class Initiation, class... Arguments>
  static nopal::task<decltype(std::declval<nopal::detail::asio_completion<A...>>().take())>
  initiate(Initiation initiation, nopal::use_task_t, Arguments... arguments) {
    auto start = [&](nopal::detail::asio_handler<A...>&& handler) {
      std::move(initiation)(std::move(handler), std::move(arguments)...);
    };
    co_return co_await nopal::detail::asio_operation<decltype(start), A...>(start);
  }
};
