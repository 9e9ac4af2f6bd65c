// SPDX-License-Identifier: Apache-2.0
// Transactions let several strands and threads read and write memory as if one at a time did.
// docs/stm.md describes them.
#pragma once

#include "nopal/stm/array.hpp"
#include "nopal/stm/atomically.hpp"
#include "nopal/stm/boxed.hpp"
#include "nopal/stm/counter.hpp"
#include "nopal/stm/hash_map.hpp"
#include "nopal/stm/heap.hpp"
#include "nopal/stm/list.hpp"
#include "nopal/stm/map.hpp"
#include "nopal/stm/object.hpp"
#include "nopal/stm/policies.hpp"
#include "nopal/stm/queue.hpp"
#include "nopal/stm/statistics.hpp"
#include "nopal/stm/synchronize.hpp"
#include "nopal/stm/transaction.hpp"
#include "nopal/stm/var.hpp"
