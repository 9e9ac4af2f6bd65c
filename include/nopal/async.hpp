// SPDX-License-Identifier: Apache-2.0
// Work that no function joins: task_scope, pending, runtime::spawn_detached, countdown.
#pragma once

#include "nopal/async/countdown.hpp"
#include "nopal/async/pending.hpp"
#include "nopal/async/spawn_detached.hpp"
#include "nopal/async/task_scope.hpp"
