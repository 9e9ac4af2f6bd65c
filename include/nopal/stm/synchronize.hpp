// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/configuration.hpp"

namespace nopal::stm {

/// Returns when every transaction that ran at the call has ended, or has begun anew. Then what a
/// transaction of the caller has taken out of reach before the call is the caller's own: no
/// transaction reads or writes it any more. synchronize() also frees what the calling thread, and
/// threads that have ended, have destroyed in transactions.
/// \code
/// nopal::stm::var<int*> shared{new int(1)};
/// int* mine = nopal::stm::atomically([&](nopal::stm::transaction& t) {
///   int* p = t.get(shared);
///   t.set(shared, nullptr);
///   return p;
/// });
/// nopal::stm::synchronize();
/// delete mine;
/// \endcode
///
/// synchronize() must not be called within a transaction, for which it would wait for ever. A
/// strand that is suspended within a transaction counts as one that runs. On a worker other strands
/// run meanwhile. After ten seconds synchronize() says on stderr how many transactions it waits
/// for.
/// Thread-safety: any thread may call it at any time.
/// Complexity: linear in the largest number of transactions that ever ran at once, and as long as
/// the longest of them.
void synchronize();

}  // namespace nopal::stm
