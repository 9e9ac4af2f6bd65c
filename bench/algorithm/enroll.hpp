// SPDX-License-Identifier: Apache-2.0
// How a family of algorithms puts its variants of all cases into the registry: those that it has a
// function for. The build says NOPAL_BENCH_FLAGS, what it is compiled with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "algorithm/data.hpp"
#include "algorithm/input.hpp"
#include "algorithm/keyed.hpp"
#include "algorithm/reads.hpp"
#include "algorithm/selections.hpp"
#include "algorithm/sorts.hpp"
#include "harness/program.hpp"

namespace nopal_bench {

/// A case by a family: its workers, and a function for each algorithm.
template <class Family, class Case>
class algorithm_program final : public program {
 public:
  algorithm_program(distribution d, const settings& s) : how_(s), case_(d, s.n) {}

  void prepare() override { case_.prepare(); }
  void start() override { family_.emplace(how_.workers); }
  void run() override {
    family_->run([this] {
      for (std::size_t i = 0; i < case_.calls(); ++i) case_.call(*family_, i);
    });
  }
  [[nodiscard]] std::string error() const override { return case_.error(); }
  [[nodiscard]] result_value result() const override { return case_.result(); }
  /// How many calls the time is of.
  [[nodiscard]] std::string figures() const override {
    return "{\"calls\": " + std::to_string(case_.calls()) + "}";
  }

 private:
  settings how_;
  Case case_;
  std::optional<Family> family_;
};

using maker = std::unique_ptr<program> (*)(distribution, const settings&);

/// What there is to say of a family.
struct algorithm_family {
  std::string name;
  bool parallel;
  description peer;
  std::string_view flags;
};

/// The variants of a family of an algorithm, one for each of these distributions of a type.
void enroll_case(const algorithm_family& family, std::string_view algorithm, std::string_view type,
                 std::initializer_list<distribution> distributions, maker make);

template <class Family, class Case>
void enroll_case(std::string_view type, std::initializer_list<distribution> distributions) {
  if constexpr (requires(Case c, Family f) { c.call(f, 0); })
    enroll_case({Family::name, Family::parallel, Family::peer(), NOPAL_BENCH_FLAGS}, Case::name,
                type, distributions,
                [](distribution d, const settings& s) -> std::unique_ptr<program> {
                  return std::make_unique<algorithm_program<Family, Case>>(d, s);
                });
}

inline constexpr std::initializer_list<distribution> of_sorts = {
    distribution::random, distribution::sorted,      distribution::reversed,
    distribution::few,    distribution::exponential, distribution::almost};

template <class Family, class... T>
void enroll_sorts() {
  (enroll_case<Family, sorting<T>>(type_name<T>, of_sorts), ...);
  (enroll_case<Family, stable_sorting<T>>(type_name<T>, of_sorts), ...);
}

/// The variants of a family of all algorithms that it has. Where the build is only to see whether
/// they work, each sort is of one type: of all that is here, sorts take the longest to compile.
template <class Family>
bool enroll_algorithms() {
  using enum distribution;
#ifdef NOPAL_BENCH_BRIEF
  enroll_case<Family, sorting<std::uint64_t>>("u64", of_sorts);
  enroll_case<Family, stable_sorting<record>>("record", of_sorts);
  enroll_case<Family, integer_sorting<record>>("record", of_sorts);
#else
  enroll_sorts<Family, std::uint32_t, std::uint64_t, double, key_value, std::string, record>();
  enroll_case<Family, integer_sorting<std::uint32_t>>("u32", of_sorts);
  enroll_case<Family, integer_sorting<std::uint64_t>>("u64", of_sorts);
  enroll_case<Family, integer_sorting<key_value>>("pair", of_sorts);
  enroll_case<Family, integer_sorting<record>>("record", of_sorts);
#endif
  enroll_case<Family, filtering<2>>("u64", {random});
  enroll_case<Family, filtering<100>>("u64", {random});
  enroll_case<Family, partitioning>("u64", {random});
  enroll_case<Family, deduplication>("u64", {runs});
  enroll_case<Family, sums_by_key>("pair", {random, few, exponential});
  enroll_case<Family, histogramming>("u64", {random, few, exponential});
  enroll_case<Family, grouping>("pair", {random, few, exponential});
  enroll_case<Family, finding<1>>("u64", {random});
  enroll_case<Family, finding<50>>("u64", {random});
  enroll_case<Family, finding<100>>("u64", {random});
  enroll_case<Family, minimum>("u64", {random});
  enroll_case<Family, sum_of_squares>("double", {random});
  enroll_case<Family, running_sums>("u64", {random});
  return true;
}

}  // namespace nopal_bench
