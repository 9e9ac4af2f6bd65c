// SPDX-License-Identifier: Apache-2.0
#include "platform/topology.hpp"

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "platform/cpu_quota.hpp"

namespace nopal::detail {
namespace {

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

/// The CPUs that this process may use, where they are no more than `most`; else nothing.
std::vector<unsigned> few_cpus(int most) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) > most) return {};
  std::vector<unsigned> found;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) found.push_back(cpu);
  return found;
}

/// The CPUs that this process may use. On a machine that is not this one, all.
hwloc_bitmap_t allowed_cpus(hwloc_topology_t t) {
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  if (hwloc_topology_is_thissystem(t) == 0 || hwloc_get_cpubind(t, set, HWLOC_CPUBIND_PROCESS) != 0)
    hwloc_bitmap_copy(set, hwloc_topology_get_allowed_cpuset(t));
  return set;
}

}  // namespace

void topology::destroy::operator()(hwloc_topology* t) const noexcept { hwloc_topology_destroy(t); }

topology::topology(const std::string& synthetic, int flat) {
  if (synthetic.empty()) {
    for (const unsigned cpu : few_cpus(flat)) places_.push_back({cpu, 0});
    if (!places_.empty()) return;
  }
  machine_.reset(load(synthetic));
  hwloc_topology_t t = machine_.get();
  const std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, decltype(&hwloc_bitmap_free)>
      allowed(allowed_cpus(t), hwloc_bitmap_free);
  std::vector<unsigned> nodes;
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu)) != nullptr) {
    if (hwloc_bitmap_isset(allowed.get(), pu->os_index) == 0) continue;
    const int first = hwloc_bitmap_first(pu->nodeset);
    const unsigned node = first < 0 ? 0 : static_cast<unsigned>(first);
    auto known = std::find(nodes.begin(), nodes.end(), node);
    if (known == nodes.end()) known = nodes.insert(nodes.end(), node);
    places_.push_back({pu->os_index, static_cast<unsigned>(known - nodes.begin())});
    units_.push_back(pu);
  }
  if (!places_.empty()) return;
  // Nobody may use any CPU, it is said, and yet this runs on one.
  machine_.reset();
  places_.push_back({0, 0});
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

unsigned default_workers(const topology& t) {
  const auto cpus = static_cast<double>(t.places().size());
  return static_cast<unsigned>(std::clamp(std::ceil(cpu_quota().value_or(cpus)), 1.0, cpus));
}

std::vector<std::size_t> places_for_workers(const topology& t, unsigned workers) {
  const std::vector<topology::place>& places = t.places();
  std::size_t first = 0;
  if (workers < places.size()) {
    const int here = sched_getcpu();
    const auto it = std::ranges::find_if(
        places, [&](const auto& p) { return static_cast<int>(p.cpu) == here; });
    if (it != places.end()) first = static_cast<std::size_t>(it - places.begin());
  }
  std::vector<std::size_t> chosen(workers);
  for (std::size_t i = 0; i < workers; ++i) chosen[i] = (first + i) % places.size();
  return chosen;
}

}  // namespace nopal::detail
