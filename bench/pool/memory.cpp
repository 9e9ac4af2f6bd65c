// SPDX-License-Identifier: Apache-2.0
#include "pool/memory.hpp"

#include <hwloc.h>

#include <cerrno>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <type_traits>

namespace nopal_bench {

namespace {

using machine =
    std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;

machine this_machine() {
  hwloc_topology_t t = nullptr;
  if (hwloc_topology_init(&t) != 0) {
    throw std::runtime_error("hwloc cannot be initialized");
  }
  machine found(t, hwloc_topology_destroy);
  if (hwloc_topology_load(t) != 0) {
    throw std::runtime_error("hwloc cannot read this machine's topology");
  }
  return found;
}

}  // namespace

unsigned keep_memory_on_first_node() {
  const machine here = this_machine();
  const int nodes = hwloc_get_nbobjs_by_type(here.get(), HWLOC_OBJ_NUMANODE);
  if (nodes <= 1) {
    return 1;
  }
  const auto* first = hwloc_get_obj_by_type(here.get(), HWLOC_OBJ_NUMANODE, 0);
  // Strict: rather no memory than that of another node. By thread, as Linux has it, which hands it
  // on to new threads.
  if (hwloc_set_membind(here.get(), first->nodeset, HWLOC_MEMBIND_BIND,
                        HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_STRICT | HWLOC_MEMBIND_BYNODESET) !=
      0) {
    throw std::system_error(errno, std::generic_category(),
                            "hwloc cannot keep memory on the first NUMA node");
  }
  return static_cast<unsigned>(nodes);
}

}  // namespace nopal_bench
