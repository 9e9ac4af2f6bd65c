// SPDX-License-Identifier: Apache-2.0
#include "platform/topology.hpp"

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "platform/cpu_quota.hpp"

namespace nopal::detail {
namespace {

using bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, decltype(&hwloc_bitmap_free)>;

/// Leaves only the CPUs of the list in `t`.
void restrict_to(hwloc_topology_t t, const std::string& cpus) {
  const bitmap list(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  if (hwloc_bitmap_list_sscanf(list.get(), cpus.c_str()) != 0 ||
      hwloc_topology_restrict(t, list.get(), 0) != 0)
    throw std::invalid_argument("nopal: '" + cpus +
                                "' is no list of CPUs of the machine described");
}

/// Loads the topology that `synthetic` describes, or that of this machine if `synthetic` is empty.
hwloc_topology_t load(const std::string& synthetic) {
  hwloc_topology_t t = nullptr;
  if (hwloc_topology_init(&t) != 0) throw std::runtime_error("nopal: hwloc cannot be initialized");
  if (!synthetic.empty() && hwloc_topology_set_synthetic(t, synthetic.c_str()) != 0) {
    hwloc_topology_destroy(t);
    throw std::invalid_argument("nopal: '" + synthetic + "' is no synthetic topology of hwloc");
  }
  if (hwloc_topology_load(t) != 0) {
    hwloc_topology_destroy(t);
    throw std::runtime_error("nopal: hwloc cannot read this machine's topology");
  }
  return t;
}

/// Returns the CPUs that this process may use, if they are no more than `most`, else nothing. The
/// constructor of topology asks this first, because few CPUs need no hwloc.
std::vector<unsigned> few_cpus(int most) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) > most) return {};
  std::vector<unsigned> found;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) found.push_back(cpu);
  return found;
}

/// Returns the CPUs that this process may use, as hwloc's set; all, on a machine that is not this
/// one.
bitmap allowed_cpus(hwloc_topology_t t) {
  bitmap set(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  if (hwloc_topology_is_thissystem(t) == 0 ||
      hwloc_get_cpubind(t, set.get(), HWLOC_CPUBIND_PROCESS) != 0)
    hwloc_bitmap_copy(set.get(), hwloc_topology_get_allowed_cpuset(t));
  return set;
}

/// Numbers things from 0 on, in the order in which they are first asked for.
template <class T>
class numbering {
 public:
  unsigned number_of(const T& thing) {
    const auto next = static_cast<unsigned>(numbers_.size());
    return numbers_.try_emplace(thing, next).first->second;
  }

 private:
  std::map<T, unsigned> numbers_;
};

/// Returns the core of a processing unit, or the unit itself if hwloc knows no cores of the
/// machine.
hwloc_obj_t core_of(hwloc_topology_t t, hwloc_obj_t pu) {
  hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_CORE, pu);
  return core != nullptr ? core : pu;
}

/// Returns the system's number of the package that a processing unit is in, or 0 if it has none.
unsigned package_of(hwloc_topology_t t, hwloc_obj_t pu) {
  hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_PACKAGE, pu);
  return package != nullptr && package->os_index != HWLOC_UNKNOWN_INDEX ? package->os_index : 0;
}

}  // namespace

void topology::destroy::operator()(hwloc_topology* t) const noexcept { hwloc_topology_destroy(t); }

topology::topology(const std::string& synthetic, int flat, const std::string& cpus) {
  if (synthetic.empty()) {
    for (const unsigned cpu : few_cpus(flat))
      places_.push_back({cpu, 0, static_cast<unsigned>(places_.size())});
    if (!places_.empty()) return;
  }
  machine_.reset(load(synthetic));
  hwloc_topology_t t = machine_.get();
  if (!cpus.empty()) restrict_to(t, cpus);
  const bitmap allowed = allowed_cpus(t);
  numbering<int> nodes;
  numbering<hwloc_obj_t> cores;
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu)) != nullptr) {
    if (hwloc_bitmap_isset(allowed.get(), pu->os_index) == 0) continue;
    const int node = hwloc_bitmap_first(pu->nodeset);
    places_.push_back({pu->os_index, nodes.number_of(node), cores.number_of(core_of(t, pu)),
                       package_of(t, pu), static_cast<unsigned>(std::max(node, 0))});
    units_.push_back(pu);
  }
  if (!places_.empty()) return;
  // hwloc says that no CPU may be used, and yet this runs on one.
  machine_.reset();
  places_.push_back({0, 0, 0});
}

topology::~topology() = default;

unsigned topology::distance(std::size_t a, std::size_t b) const {
  if (a == b) return 0;
  if (machine_ == nullptr) return 1;
  hwloc_obj_t pu_a = units_[a];
  hwloc_obj_t pu_b = units_[b];
  hwloc_obj_t common = hwloc_get_common_ancestor_obj(machine_.get(), pu_a, pu_b);
  return static_cast<unsigned>(pu_a->depth - common->depth);
}

unsigned default_workers(const topology& t, std::optional<double> quota) {
  const auto cpus = static_cast<double>(t.places().size());
  return static_cast<unsigned>(std::clamp(std::ceil(quota.value_or(cpus)), 1.0, cpus));
}
unsigned default_workers(const topology& t) { return default_workers(t, cpu_quota()); }

namespace {

/// Returns the index of the place of that CPU; 0, if it is in no place.
std::size_t place_of(const std::vector<topology::place>& places, int cpu) {
  const auto it =
      std::ranges::find_if(places, [&](const auto& p) { return static_cast<int>(p.cpu) == cpu; });
  return it != places.end() ? static_cast<std::size_t>(it - places.begin()) : 0;
}

/// The rank of a place in the order in which workers take places.
struct rank {
  std::size_t thread;     ///< How many of its core come before it.
  unsigned distance;      ///< The distance of its core from the caller's.
  std::size_t from_here;  ///< Counted from the caller's place on, round and round.
  auto operator<=>(const rank&) const = default;
};

/// Returns all places in that order. The caller's is the first.
std::vector<std::size_t> in_order(const topology& t, std::size_t here) {
  const std::size_t n = t.places().size();
  std::vector<std::pair<rank, std::size_t>> ranked(n);
  std::map<unsigned, std::size_t> threads_of_core;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t p = (here + i) % n;
    const topology::place& place = t.places()[p];
    const bool same_core = place.core == t.places()[here].core;
    ranked[i] = {{threads_of_core[place.core]++, same_core ? 0 : t.distance(here, p), i}, p};
  }
  std::ranges::sort(ranked);
  std::vector<std::size_t> order(n);
  std::ranges::transform(ranked, order.begin(), &std::pair<rank, std::size_t>::second);
  return order;
}

}  // namespace

std::vector<std::size_t> places_for_workers(const topology& t, unsigned workers, int here) {
  const std::vector<topology::place>& places = t.places();
  // Another order gains nothing with a worker on each CPU.
  const std::size_t first = workers < places.size() ? place_of(places, here) : 0;
  const std::vector<std::size_t> order = in_order(t, first);
  std::vector<std::size_t> chosen(workers);
  for (std::size_t i = 0; i < workers; ++i) chosen[i] = order[i % order.size()];
  return chosen;
}
std::vector<std::size_t> places_for_workers(const topology& t, unsigned workers) {
  return places_for_workers(t, workers, sched_getcpu());
}

}  // namespace nopal::detail
