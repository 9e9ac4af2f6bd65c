// SPDX-License-Identifier: Apache-2.0
// This includes work that no function joins (task_scope, pending, runtime::spawn_detached), waits
// for something else than a join (countdown), values that strands leave on their worker
// (worker_local), and workers that are set apart for some work (claim).
#pragma once

#include "nopal/async/claim.hpp"
#include "nopal/async/countdown.hpp"
#include "nopal/async/current_worker.hpp"
#include "nopal/async/pending.hpp"
#include "nopal/async/spawn_detached.hpp"
#include "nopal/async/task_scope.hpp"
#include "nopal/async/worker_local.hpp"
