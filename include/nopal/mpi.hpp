// SPDX-License-Identifier: Apache-2.0
// This includes work that is shared between the processes of an MPI program.
#pragma once

#include "nopal/mpi/archive.hpp"
#include "nopal/mpi/channel.hpp"
#include "nopal/mpi/error.hpp"
#include "nopal/mpi/function.hpp"
#include "nopal/mpi/options.hpp"
#include "nopal/mpi/statistics.hpp"
#include "nopal/mpi/world.hpp"
