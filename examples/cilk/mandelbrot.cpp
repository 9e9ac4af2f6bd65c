// SPDX-License-Identifier: Apache-2.0
// A parallel loop whose turns take different times, with a reducer for what they add up.
#include <cilk/cilk.h>
#include <cilk/opadd_reducer.h>

#include <complex>
#include <iostream>
#include <vector>

namespace {

constexpr int width = 300, height = 200, limit = 200;

int steps_to_leave(std::complex<double> c) {
  std::complex<double> z = 0;
  for (int n = 0; n < limit; ++n) {
    if (std::norm(z) > 4) return n;
    z = z * z + c;
  }
  return limit;
}

/// The number of points of a grid that belong to the set.
long points() {
  cilk::opadd_reducer<long> inside = 0;
  cilk_for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::complex<double> c(-2 + 3.0 * x / width, -1 + 2.0 * y / height);
      if (steps_to_leave(c) == limit) inside += 1;
    }
  return inside;
}

}  // namespace

int main() {
  const long found = points();
  std::cout << found << " of " << width * height << " points\n";
  return found > 14000 && found < 16000 ? 0 : 1;
}
