// SPDX-License-Identifier: Apache-2.0
// What a compiler says of a call of nopal::io with other arguments. \see checked_function.hpp
// refused_files.hpp, refused_sockets.hpp and refused_time.hpp write each overload out: clang++
// would say three lines more of one that comes out of a macro.
#pragma once

#include "nopal/detail/io/byte_range.hpp"
#include "nopal/detail/runtime/checked_function.hpp"

/// What each sentence ends with.
#define NOPAL_IO_MORE                                                                            \
  "; after its other arguments a std::error_code& may follow, and limits: a std::stop_token, a " \
  "duration or a time_point"

namespace nopal::detail {

/// The arguments that calls of nopal::io mostly get wrong.
enum class io_argument : unsigned char {
  to,
  from,
  buffers,
  path,
  statx,
  descriptor,
  accept,
  address,
  message,
  events,
  moment,
  duration,
};

template <io_argument It, io_argument Wrong, class... A>
inline constexpr bool is_right = It != Wrong;

/// Whether the second argument is bytes that nothing can be read into, since they are const.
template <class... A>
inline constexpr bool second_is_const = false;
template <class First, class Second, class... Rest>
inline constexpr bool second_is_const<First, Second, Rest...> = has_const_elements<Second>;

/// Says what is wrong, for each call.
/// \tparam R  what the call returns.
template <io_argument Wrong, class R, class... A>
R refuse_io() noexcept {
  constexpr bool are_const = second_is_const<A...>;
  static_assert(is_right<io_argument::to, Wrong, A...> || !are_const,
                "nopal::io: the bytes to read into are const" NOPAL_IO_MORE);
  static_assert(is_right<io_argument::to, Wrong, A...> || are_const,
                "nopal::io: `to` is a std::string, or a std::vector, array or std::span of bytes, "
                "and neither const nor a temporary; {p, n} is n bytes at a pointer p, and "
                "std::as_writable_bytes(std::span(x)) the bytes of other objects x" NOPAL_IO_MORE);
  static_assert(is_right<io_argument::from, Wrong, A...>,
                "nopal::io: `from` is a std::string, a std::string_view, a literal, or a "
                "std::vector, array or std::span of bytes; {p, n} is n bytes at a pointer p, "
                "std::string_view(a) the text in an array of char, and std::as_bytes(std::span(x)) "
                "the bytes of other objects x" NOPAL_IO_MORE);
  static_assert(is_right<io_argument::buffers, Wrong, A...>,
                "nopal::io: the buffers are a std::span of const iovec" NOPAL_IO_MORE);
  static_assert(is_right<io_argument::path, Wrong, A...>,
                "nopal::io: it takes a directory, which is a descriptor or AT_FDCWD, a const char* "
                "path, flags, and a mode" NOPAL_IO_MORE);
  static_assert(is_right<io_argument::statx, Wrong, A...>,
                "nopal::io: it takes a directory, which is a descriptor or AT_FDCWD, a const char* "
                "path, flags, a mask, and a struct statx" NOPAL_IO_MORE);
  static_assert(
      is_right<io_argument::descriptor, Wrong, A...>,
      "nopal::io: a descriptor is an int, which fileno(f) tells of a FILE* f" NOPAL_IO_MORE);
  static_assert(is_right<io_argument::accept, Wrong, A...>,
                "nopal::io: it takes a socket and flags, both int" NOPAL_IO_MORE);
  static_assert(is_right<io_argument::address, Wrong, A...>,
                "nopal::io: it takes a socket, and an io::address, which io::resolve() returns; or "
                "a const sockaddr*, and the length of that" NOPAL_IO_MORE);
  static_assert(
      is_right<io_argument::message, Wrong, A...>,
      "nopal::io: it takes a socket, a msghdr and no pointer to it, and flags" NOPAL_IO_MORE);
  static_assert(is_right<io_argument::events, Wrong, A...>,
                "nopal::io: it takes a descriptor, which is an int, and the events to wait "
                "for" NOPAL_IO_MORE);
  static_assert(is_right<io_argument::moment, Wrong, A...>,
                "nopal::io: a moment is a time_point of std::chrono::steady_clock, since other "
                "clocks may be set" NOPAL_IO_MORE);
  static_assert(is_right<io_argument::duration, Wrong, A...>,
                "nopal::io: a time is a std::chrono::duration, such as "
                "std::chrono::milliseconds(10)" NOPAL_IO_MORE);
  return refused_result<R>();
}
#undef NOPAL_IO_MORE

}  // namespace nopal::detail
