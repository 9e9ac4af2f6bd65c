// SPDX-License-Identifier: Apache-2.0
// This includes what strands, tasks and threads wait for: locks, conditions, channels and select.
#pragma once

#include "nopal/sync/barrier.hpp"
#include "nopal/sync/channel.hpp"
#include "nopal/sync/condition.hpp"
#include "nopal/sync/flag.hpp"
#include "nopal/sync/latch.hpp"
#include "nopal/sync/mutex.hpp"
#include "nopal/sync/once.hpp"
#include "nopal/sync/select.hpp"
#include "nopal/sync/semaphore.hpp"
#include "nopal/sync/shared_mutex.hpp"
