// SPDX-License-Identifier: Apache-2.0
// Calls that wait without keeping a worker: those of the system, by name, and any other, by
// blocking().
#pragma once

#include "nopal/io/address.hpp"
#include "nopal/io/blocking.hpp"
#include "nopal/io/bytes.hpp"
#include "nopal/io/directory.hpp"
#include "nopal/io/directory_entry.hpp"
#include "nopal/io/files.hpp"
#include "nopal/io/limits.hpp"
#include "nopal/io/process.hpp"
#include "nopal/io/process_options.hpp"
#include "nopal/io/resolve.hpp"
#include "nopal/io/signals.hpp"
#include "nopal/io/sockets.hpp"
#include "nopal/io/statistics.hpp"
#include "nopal/io/time.hpp"
#include "nopal/io/whole.hpp"
