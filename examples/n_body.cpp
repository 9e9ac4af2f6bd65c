// SPDX-License-Identifier: Apache-2.0
// Bodies that attract each other: map computes the acceleration of every body at the same time, and
// for_each moves them. The forces between two bodies cancel out, so the momentum stays zero.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <nopal/nopal.hpp>
#include <random>
#include <vector>

namespace {

struct vec {
  double x = 0, y = 0, z = 0;

  friend vec operator+(vec a, vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend vec operator-(vec a, vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend vec operator*(double s, vec a) { return {s * a.x, s * a.y, s * a.z}; }
  friend double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
};

struct body {
  double mass = 0;
  vec position, velocity;
};

constexpr double softening = 0.01;  // bodies that meet do not throw each other out
constexpr double step = 0.001;

double inverse_distance(vec a, vec b) {
  return 1 / std::sqrt(dot(a - b, a - b) + softening * softening);
}

vec acceleration(const body& of, const std::vector<body>& bodies) {
  vec sum;
  for (const body& b : bodies) {
    const double inverse = inverse_distance(b.position, of.position);
    sum = sum + b.mass * inverse * inverse * inverse * (b.position - of.position);
  }
  return sum;
}

void advance(std::vector<body>& bodies) {
  std::vector<vec> accelerations(bodies.size());
  nopal::map(bodies, accelerations.begin(), [&](const body& b) { return acceleration(b, bodies); });
  nopal::for_each(0, bodies.size(), [&](std::size_t i) {
    bodies[i].velocity = bodies[i].velocity + step * accelerations[i];
    bodies[i].position = bodies[i].position + step * bodies[i].velocity;
  });
}

double energy(const std::vector<body>& bodies) {
  return nopal::fold(bodies, 0.0, std::plus{}, [&](const body& a) {
    double potential = 0;
    for (const body& b : bodies)
      if (&a != &b) potential -= a.mass * b.mass * inverse_distance(a.position, b.position);
    return (a.mass * dot(a.velocity, a.velocity) + potential) / 2;
  });
}

}  // namespace

int main() {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  std::vector<body> bodies(500);
  for (body& b : bodies)
    b = {1.0 / 500, {coordinate(random), coordinate(random), coordinate(random)}, {}};

  const double before = energy(bodies);
  for (int i = 0; i < 20; ++i) advance(bodies);
  const double after = energy(bodies);

  const vec momentum =
      nopal::fold(bodies, vec{}, std::plus{}, [](const body& b) { return b.mass * b.velocity; });
  std::printf("the energy was %.6f and is %.6f\n", before, after);
  return std::abs(after - before) < 1e-4 * std::abs(before) && dot(momentum, momentum) < 1e-24 ? 0
                                                                                               : 1;
}
