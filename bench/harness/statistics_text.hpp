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

/// A JSON object of a runtime's statistics, of the options that it was set up with, under
/// "options", and of what else was counted.
std::string statistics_text(const nopal::statistics& s, const nopal::options& o,
                            const std::vector<std::pair<std::string_view, std::size_t>>& more = {});

}  // namespace nopal_bench
