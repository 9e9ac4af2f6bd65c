// SPDX-License-Identifier: Apache-2.0
// This includes nopal: runtime and run, parallel_invoke, fork_frame, task, loops over ranges, pool,
// async, sync, io, reducers and stm. What takes compilers as long as all that has headers of its
// own: nopal/algorithm.hpp, or one of nopal/algorithm/, and nopal/pipeline.hpp. See
// docs/tutorial.md.
#pragma once

// The headers are in the order of the layers. What compilers say of a wrong call begins with the
// headers that have brought in the function, and in this order these are few.
// clang-format off
#include "nopal/runtime.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/fork_frame.hpp"
#include "nopal/task.hpp"
#include "nopal/task/abandoned.hpp"
#include "nopal/task/all.hpp"
#include "nopal/task/allocate.hpp"
#include "nopal/task/lift.hpp"
#include "nopal/task/outcome.hpp"
#include "nopal/task/resume_on.hpp"
#include "nopal/task/schedule_on.hpp"
#include "nopal/task/start.hpp"
#include "nopal/pool.hpp"
#include "nopal/algorithm/fold.hpp"
#include "nopal/algorithm/for_each.hpp"
#include "nopal/algorithm/map.hpp"
#include "nopal/algorithm/scan.hpp"
#include "nopal/algorithm/task.hpp"
#include "nopal/async/spawn_detached.hpp"
#include "nopal/async.hpp"
#include "nopal/stop.hpp"
#include "nopal/sync.hpp"
#include "nopal/io.hpp"
#include "nopal/reducer.hpp"
#include "nopal/stm.hpp"
// clang-format on
