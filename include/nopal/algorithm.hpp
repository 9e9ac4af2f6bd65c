// SPDX-License-Identifier: Apache-2.0
// Algorithms over ranges: for_each, map, fold, scan, exclusive_scan; and each as a task, in
// nopal::tasks.
#pragma once

#include "nopal/fold.hpp"
#include "nopal/for_each.hpp"
#include "nopal/grain.hpp"
#include "nopal/map.hpp"
#include "nopal/scan.hpp"

#ifndef NOPAL_SERIAL
#include "nopal/algorithm_task.hpp"
#endif
