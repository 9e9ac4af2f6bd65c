// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct hwloc_obj;
struct hwloc_topology;

namespace nopal::detail {

/// The machine as hwloc sees it, less the CPUs that this process's affinity mask excludes.
class topology {
 public:
  /// Describes this machine; or, for tests, the one that hwloc's synthetic description names
  /// ("numa:8 core:4 pu:1"). If no more than `flat` CPUs are allowed, hwloc is not asked: with two
  /// workers neither has a choice of victims, and asking takes 0.4 MB of memory, as much as all the
  /// rest of a runtime with two workers.
  /// \param cpus  the CPUs that the affinity mask allows of a machine that is described, in the
  /// form of taskset(1) ("0-3,8"); all, if it is empty.
  explicit topology(const std::string& synthetic = {}, int flat = 2, const std::string& cpus = {});
  ~topology();
  topology(const topology&) = delete;
  topology& operator=(const topology&) = delete;

  struct place {
    unsigned cpu;  ///< Its number for the operating system.
    // Groups and cores are counted from 0, among those that have an allowed CPU.
    unsigned group;  ///< Index of its NUMA node.
    unsigned core;   ///< Index of its core, of which it is one hardware thread.
    // These are the operating system's numbers; 0 if hwloc was not asked, or knows none.
    unsigned package = 0;
    unsigned numa_node = 0;
  };

  /// The CPUs allowed, nearest neighbours next to each other, at least one.
  [[nodiscard]] const std::vector<place>& places() const noexcept { return places_; }

  /// The number of levels of the machine to climb from two places (indices into places(), which may
  /// be equal) to what holds both: 0 for the same CPU, and more the farther they are apart.
  [[nodiscard]] unsigned distance(std::size_t a, std::size_t b) const;

 private:
  struct destroy {
    void operator()(hwloc_topology* t) const noexcept;
  };
  std::unique_ptr<hwloc_topology, destroy> machine_;  ///< nullptr if hwloc was not asked.
  std::vector<place> places_;
  std::vector<hwloc_obj*> units_;  ///< One for each place: hwloc finds them by their number slowly.
};

/// Returns the index of its place for each worker.
///
/// One hardware thread of each core comes first, then a second one of each core that has two, and
/// so on: two threads of one core share its units, and each is then slower (Pfeiffer 2020, section
/// 5.2). The core of the CPU that the caller runs on comes first, so that several small runtimes do
/// not all sit on the first CPU; then those nearest to it, so that few workers share the larger
/// caches. The order begins again if there are more workers than CPUs.
/// \param here  the CPU that the caller runs on, as the operating system counts.
std::vector<std::size_t> places_for_workers(const topology& t, unsigned workers, int here);
std::vector<std::size_t> places_for_workers(const topology& t, unsigned workers);

/// Number of workers for `requested` == 0: the CPUs allowed, at most the CPU quota rounded up.
/// \param quota  as cpu_quota() says.
unsigned default_workers(const topology& t, std::optional<double> quota);
unsigned default_workers(const topology& t);

}  // namespace nopal::detail
