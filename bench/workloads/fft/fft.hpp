// SPDX-License-Identifier: Apache-2.0
// Fast Fourier transform of 2^n complex numbers by fours, as in Cilk's benchmark: the input is
// dealt out to four sequences, which are transformed and then combined. The recursion and both
// loops fork. Input and output change places at each level, and what fits the cache is done without
// recursion.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/enroll.hpp"

// No turn of the loop needs what another stores. clang finds that out at run time; g++ gives up
// because of so many arrays.
#ifdef __clang__
#define NOPAL_BENCH_INDEPENDENT
#else
#define NOPAL_BENCH_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace nopal_bench {

struct point {
  double re;
  double im;
};
constexpr point operator+(point a, point b) { return {a.re + b.re, a.im + b.im}; }
constexpr point operator-(point a, point b) { return {a.re - b.re, a.im - b.im}; }
constexpr point operator*(point a, point b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
constexpr point times_i(point a) { return {-a.im, a.re}; }

inline point on_unit_circle(double turns) {
  const double angle = 2 * std::numbers::pi * turns;
  return {std::cos(angle), std::sin(angle)};
}

/// Complex numbers in memory, real and imaginary parts apart. Compilers vectorize these without
/// shuffling, and g++ 12 does so without contracting operations that it was told not to contract.
struct points {
  double* __restrict re;
  double* __restrict im;

  [[nodiscard]] point get(std::size_t i) const { return {re[i], im[i]}; }
  void set(std::size_t i, point p) const {
    re[i] = p.re;
    im[i] = p.im;
  }
  [[nodiscard]] points offset(std::size_t i) const { return {re + i, im + i}; }
};

/// An array of complex numbers.
class point_array {
 public:
  explicit point_array(std::size_t n) : re_(n), im_(n) {}

  [[nodiscard]] std::size_t size() const { return re_.size(); }
  [[nodiscard]] point operator[](std::size_t i) const { return {re_[i], im_[i]}; }
  void set(std::size_t i, point p) { all().set(i, p); }
  void clear() {
    std::fill(re_.begin(), re_.end(), 0);
    std::fill(im_.begin(), im_.end(), 0);
  }
  [[nodiscard]] points all() { return {re_.data(), im_.data()}; }

 private:
  std::vector<double> re_;
  std::vector<double> im_;
};

/// A transform of up to this many points does not recurse.
constexpr std::size_t fft_cutoff = 1024;

/// A loop of a step forks down to this many indices, of four points each.
constexpr std::size_t fft_loop_cutoff = 1024;

/// e^(-2πi j/n) for j below n/4, for n and every fourth of it down to 8 or 4, the smallest first.
/// The roots for n are at of(n).
class fft_twiddles {
 public:
  explicit fft_twiddles(std::size_t n) : roots_(n / 3 + 1) {
    for (std::size_t size = std::countr_zero(n) % 2 == 0 ? 4 : 8; size <= n; size *= 4) {
      for (std::size_t j = 0; j < size / 4; ++j) {
        roots_.set(size / 12 + j,
                   on_unit_circle(-static_cast<double>(j) / static_cast<double>(size)));
      }
    }
  }
  [[nodiscard]] points of(std::size_t n) { return roots_.all().offset(n / 12); }

 private:
  point_array roots_;
};

/// The sums of four points and of the same points turned by quarters, which a transform by fours is
/// made of.
struct sums_of_four {
  point first;
  point second;
  point third;
  point fourth;

  sums_of_four(point a, point b, point c, point d) {
    const point even = a + c;
    const point odd = b + d;
    const point even_turned = a - c;
    const point odd_turned = times_i(b - d);
    first = even + odd;
    second = even_turned - odd_turned;
    third = even - odd;
    fourth = even_turned + odd_turned;
  }
};

/// One step of the recursion, from `in` to `out` and back: n points in four sequences of a quarter
/// each.
struct fft_step {
  points in;
  points out;
  points twiddles;
  std::size_t quarter;

  fft_step(fft_twiddles& all, points from, points to, std::size_t n)
      : in(from), out(to), twiddles(all.of(n)), quarter(n / 4) {}

  /// Deals the input out to the four sequences: their indices from first to last.
  void deal(std::size_t first, std::size_t last) const {
    deal_part(in.re, out.re, first, last);
    deal_part(in.im, out.im, first, last);
  }

  /// Combines the four transforms, by now in `in`: their indices from first to last.
  void combine(std::size_t first, std::size_t last) const {
    const points from = in;
    const points to = out;
    const points w = twiddles;
    const std::size_t m = quarter;
    NOPAL_BENCH_INDEPENDENT
    for (std::size_t j = first; j < last; ++j) {
      const point w1 = w.get(j);
      const point w2 = w1 * w1;
      const point w3 = w1 * w2;
      const sums_of_four sums(from.get(j), w1 * from.get(m + j), w2 * from.get(2 * m + j),
                              w3 * from.get(3 * m + j));
      to.set(j, sums.first);
      to.set(m + j, sums.second);
      to.set(2 * m + j, sums.third);
      to.set(3 * m + j, sums.fourth);
    }
  }

 private:
  void deal_part(const double* __restrict from, double* __restrict to, std::size_t first,
                 std::size_t last) const {
    const std::size_t m = quarter;
    for (std::size_t j = first; j < last; ++j) {
      to[j] = from[4 * j];
      to[m + j] = from[4 * j + 1];
      to[2 * m + j] = from[4 * j + 2];
      to[3 * m + j] = from[4 * j + 3];
    }
  }
};

/// The transform without recursion, for what fits the cache: each pass takes every sequence apart
/// into four, from one array to the other, and leaves them where they belong (Stockham's order). \p
/// in is lost. It is not inlined, so that every variant has the same code, however its caller is
/// compiled.
[[gnu::noinline]] inline void transform_short(fft_twiddles& twiddles, points in, points out,
                                              std::size_t n) {
  points from = in;
  points to = out;
  std::size_t count = 1;  // sequences of length `left` each, their elements side by side
  std::size_t left = n;
  for (; left >= 4; left /= 4, count *= 4, std::swap(from, to)) {
    const points w = twiddles.of(left);
    const std::size_t quarter = left / 4 * count;
    for (std::size_t j = 0; j < left / 4; ++j) {
      const point w1 = w.get(j);
      const point w2 = w1 * w1;
      const point w3 = w1 * w2;
      const points x = from.offset(j * count);
      const points y = to.offset(4 * j * count);
      NOPAL_BENCH_INDEPENDENT
      for (std::size_t k = 0; k < count; ++k) {
        const sums_of_four sums(x.get(k), x.get(quarter + k), x.get(2 * quarter + k),
                                x.get(3 * quarter + k));
        y.set(k, sums.first);
        y.set(count + k, w1 * sums.second);
        y.set(2 * count + k, w2 * sums.third);
        y.set(3 * count + k, w3 * sums.fourth);
      }
    }
  }
  if (left == 2) {
    for (std::size_t k = 0; k < count; ++k) {
      to.set(k, from.get(k) + from.get(count + k));
      to.set(count + k, from.get(k) - from.get(count + k));
    }
    std::swap(from, to);
  }
  if (from.re != out.re) {
    std::copy(from.re, from.re + n, out.re);
    std::copy(from.im, from.im + n, out.im);
  }
}

struct fft_problem {
  static constexpr std::string_view name = "fft";
  static constexpr std::array sizes{problem_size{"smoke", 14}, problem_size{"quick", 24},
                                    problem_size{"paper", 26}};

  explicit fft_problem(std::uint64_t size)
      : n(checked(size)), twiddles(n), input(n), data(n), spectrum(n) {
    std::mt19937_64 random(1);  // the same numbers for every variant
    const auto next = [&] {
      return static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63;
    };
    for (std::size_t i = 0; i < n; ++i) {
      const double re = next();
      input.set(i, {re, next()});
    }
  }

  void prepare() {
    data = input;
    spectrum.clear();
    result = 0;
  }
  [[nodiscard]] std::string error() const;

  std::size_t n;
  fft_twiddles twiddles;
  point_array input;
  point_array data;  // lost in a run
  point_array spectrum;
  double result = 0;  // one number of the spectrum, for the record

 private:
  static std::size_t checked(std::uint64_t size) {
    if (size < 1 || size > 30) {
      throw std::invalid_argument("fft: n is " + std::to_string(size) +
                                  ", allowed are 1 to 30: it is an exponent of 2");
    }
    return std::size_t{1} << size;
  }
  [[nodiscard]] point inverse_at(std::size_t t) const;
  [[nodiscard]] static double energy(const point_array& points);
};

inline double fft_problem::energy(const point_array& points) {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const point p = points[i];
    sum += p.re * p.re + p.im * p.im;
  }
  return sum;
}

/// One point of the inverse transform, as its definition says. Each number of the spectrum is part
/// of it.
inline point fft_problem::inverse_at(std::size_t t) const {
  // Roots of unity are products of a coarse and a fine one. This takes two small tables, and
  // nothing of the transform's own.
  const std::size_t fine = std::size_t{1} << (std::countr_zero(n) / 2);
  std::vector<point> fine_roots(fine);
  std::vector<point> coarse_roots(n / fine);
  for (std::size_t i = 0; i < fine; ++i) {
    fine_roots[i] = on_unit_circle(static_cast<double>(i) / static_cast<double>(n));
  }
  for (std::size_t i = 0; i < coarse_roots.size(); ++i) {
    coarse_roots[i] =
        on_unit_circle(static_cast<double>(i) / static_cast<double>(coarse_roots.size()));
  }
  point sum{0, 0};
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t turn = k * t % n;
    sum = sum + spectrum[k] * (coarse_roots[turn / fine] * fine_roots[turn % fine]);
  }
  const auto count = static_cast<double>(n);
  return {sum.re / count, sum.im / count};
}

/// The whole inverse would take as long as the run. A few points of it are enough: a wrong number
/// in the spectrum is, with these data, wrong by about the root of n, which changes every point by
/// one n-th of that. The energy must be that of the input.
inline std::string fft_problem::error() const {
  constexpr double tolerance = 1e-10;
  for (const std::size_t t : {std::size_t{1}, n / 3, n - 1}) {
    const point off = inverse_at(t) - input[t];
    if (!(std::abs(off.re) < tolerance && std::abs(off.im) < tolerance)) {
      return "the inverse transform is off by " + std::to_string(std::hypot(off.re, off.im)) +
             " at " + std::to_string(t);
    }
  }
  const double ratio = energy(spectrum) / energy(input) / static_cast<double>(n);
  return std::abs(ratio - 1) < tolerance
             ? ""
             : "the energy is " + std::to_string(ratio) + " of the input's";
}

/// The kernel of all variants.
template <class Session, class F>
void run_fft(Session& session, fft_problem& p, F f) {
  session.run(f, &p.twiddles, p.data.all(), p.spectrum.all(), p.n);
  p.result = p.spectrum[1].re;
}

}  // namespace nopal_bench
