// SPDX-License-Identifier: Apache-2.0
// These say what a reducer puts together, and how.
#pragma once

#include <concepts>
#include <limits>
#include <list>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace nopal {

/// What a reducer asks of a monoid M: a type of values, an identity, and an associative operation.
/// m.reduce(left, right) makes `left` what left · right is. It may leave anything in `right`, which
/// is destroyed then. It must not throw. Neither function may use a reducer, fork, join or wait.
/// \code
/// struct longest {
///   using value_type = std::string;
///   static std::string identity() { return {}; }
///   static void reduce(std::string& left, std::string& right) {
///     if (right.size() > left.size()) left = std::move(right);
///   }
/// };
/// static_assert(nopal::reducer_monoid<longest>);
/// \endcode
///
/// Thread-safety: several strands may call its functions at the same time, with different values.
template <class M>
concept reducer_monoid =
    std::default_initializable<M> && requires(const M& m, typename M::value_type& left) {
      { m.identity() } -> std::same_as<typename M::value_type>;
      m.reduce(left, left);
    };

namespace monoid {

/// The sum. The sum of floating-point numbers may differ in its last bits from run to run; use
/// fold() if it must not.
template <class T>
struct add {
  using value_type = T;
  static T identity() { return T(); }
  static void reduce(T& left, T& right)
    requires requires { left += std::move(right); }
  {
    left += std::move(right);
  }
};

/// The product.
template <class T>
struct multiply {
  using value_type = T;
  static T identity() { return T(1); }
  static void reduce(T& left, T& right)
    requires requires { left *= std::move(right); }
  {
    left *= std::move(right);
  }
};

/// The bits that are set in all values.
template <class T>
struct bit_and {
  using value_type = T;
  static T identity()
    requires std::integral<T>
  {
    return static_cast<T>(~T());
  }
  static void reduce(T& left, T& right) { left &= right; }
};

/// The bits that are set in any value.
template <class T>
struct bit_or {
  using value_type = T;
  static T identity()
    requires std::integral<T>
  {
    return T();
  }
  static void reduce(T& left, T& right) { left |= right; }
};

/// The bits that are set in an odd number of values.
template <class T>
struct bit_xor {
  using value_type = T;
  static T identity()
    requires std::integral<T>
  {
    return T();
  }
  static void reduce(T& left, T& right) { left ^= right; }
};

/// The least value; the largest that there is if there was none.
template <class T>
struct min {
  using value_type = T;
  static T identity()
    requires std::numeric_limits<T>::is_specialized
  {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::max();
  }
  static void reduce(T& left, T& right) {
    if (right < left) left = std::move(right);
  }
};

/// The largest value; the least that there is if there was none.
template <class T>
struct max {
  using value_type = T;
  static T identity()
    requires std::numeric_limits<T>::is_specialized
  {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return -std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::lowest();
  }
  static void reduce(T& left, T& right) {
    if (left < right) left = std::move(right);
  }
};

/// All elements, in the serial order. Two lists become one in O(1).
template <class T>
struct list {
  using value_type = std::list<T>;
  static value_type identity() { return {}; }
  static void reduce(value_type& left, value_type& right) { left.splice(left.end(), right); }
};

/// All elements, in the serial order. The elements of the right one are moved.
template <class T>
struct vector {
  using value_type = std::vector<T>;
  static value_type identity() { return {}; }
  static void reduce(value_type& left, value_type& right) {
    if (left.empty()) return left.swap(right);
    left.insert(left.end(), std::move_iterator(right.begin()), std::move_iterator(right.end()));
  }
};

/// The text, in the serial order.
struct string {
  using value_type = std::string;
  static std::string identity() { return {}; }
  static void reduce(std::string& left, std::string& right) { left += right; }
};

/// The text that is written, in the serial order. The leftmost view writes to the stream that the
/// reducer is made with; the others keep their text until they are merged. Only text moves:
/// formatting set on one view is not that of the next.
struct ostream {
  class value_type : public std::ostream {
   public:
    /// Keeps what is written.
    value_type() : std::ostream(nullptr) { rdbuf(&kept_); }
    /// Writes to `to`.
    explicit value_type(std::ostream& to) : std::ostream(to.rdbuf()) {}
    value_type(const value_type&) = delete;
    value_type& operator=(const value_type&) = delete;

   private:
    friend ostream;
    std::stringbuf kept_;
  };

  static value_type identity() { return {}; }
  static void reduce(value_type& left, value_type& right) {
    const std::string text = right.kept_.str();
    left.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
};

}  // namespace monoid
}  // namespace nopal
