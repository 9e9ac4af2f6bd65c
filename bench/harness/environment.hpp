// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.hpp"

namespace nopal_bench {

/// Returns when the environment has these values. If one differs, the call starts this process
/// anew, with the same arguments, for libraries that read the environment before main(): make it
/// before anything else is done.
void have_environment(const environment& values, char** argv);

}  // namespace nopal_bench
