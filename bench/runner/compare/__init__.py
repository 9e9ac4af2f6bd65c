# SPDX-License-Identifier: Apache-2.0
"""Two runs of the benchmarks beside each other."""
