// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nopal/options.hpp>
#include <nopal/statistics.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nopal_bench {

/// A runtime's statistics, under "options" what it was set up with, and what else was counted, as a
/// JSON object.
std::string statistics_text(const nopal::statistics& s, const nopal::options& o,
                            const std::vector<std::pair<std::string_view, std::size_t>>& more = {});

}  // namespace nopal_bench
