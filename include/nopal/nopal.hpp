// SPDX-License-Identifier: Apache-2.0
// All of nopal: runtime and run, parallel_invoke, fork_frame, task, algorithms over ranges, pool,
// async, io, reducers and stm. See docs/guide.md.
#pragma once

#include "nopal/algorithm.hpp"
#include "nopal/async.hpp"
#include "nopal/fork_frame.hpp"
#include "nopal/io.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/pool.hpp"
#include "nopal/reducer.hpp"
#include "nopal/runtime.hpp"
#include "nopal/stm.hpp"
#include "nopal/task.hpp"
#include "nopal/task/allocate.hpp"
#include "nopal/task/resume_on.hpp"
