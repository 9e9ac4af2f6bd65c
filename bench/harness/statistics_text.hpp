// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nopal/options.hpp>
#include <nopal/statistics.hpp>
#include <string>

namespace nopal_bench {

/// A runtime's statistics, and under "options" what it was set up with, as a JSON object.
std::string statistics_text(const nopal::statistics& s, const nopal::options& o);

}  // namespace nopal_bench
