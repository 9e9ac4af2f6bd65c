// SPDX-License-Identifier: Apache-2.0
// This includes the algorithms over ranges: for_each, map, fold, scan, exclusive_scan; and each as
// a task, in nopal::tasks.
#pragma once

#include "nopal/algorithm/fold.hpp"
#include "nopal/algorithm/for_each.hpp"
#include "nopal/algorithm/grain.hpp"
#include "nopal/algorithm/map.hpp"
#include "nopal/algorithm/scan.hpp"
#include "nopal/algorithm/task.hpp"
