// SPDX-License-Identifier: Apache-2.0
// Work that no function joins: countdown.
#pragma once

#include "nopal/async/countdown.hpp"
