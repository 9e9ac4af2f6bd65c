# SPDX-License-Identifier: Apache-2.0
"""What run_bench.py and run_variants.py are made of."""
