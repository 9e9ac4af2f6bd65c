// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/algorithm/element_memory.hpp"

#include <sys/mman.h>

#include <cstddef>

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

void ask_for_huge_pages(void* at, std::size_t bytes) noexcept {
  madvise(at, bytes / huge_page * huge_page, MADV_HUGEPAGE);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
