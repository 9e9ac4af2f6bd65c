// SPDX-License-Identifier: Apache-2.0
#include "nopal/mpi/world.hpp"

#include <cstdio>
#include <exception>

namespace nopal::mpi {

world::~world() {
  if (std::uncaught_exceptions() == exceptions_) return;
  std::fprintf(
      stderr,
      "nopal: an exception has ended the scope of the nopal::mpi::world of rank %d, so the "
      "run ends\n",
      rank());
  hub_->abort();
}

}  // namespace nopal::mpi
