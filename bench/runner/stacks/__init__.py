# SPDX-License-Identifier: Apache-2.0
"""Cactus stacks: what each way to keep one costs in pages and in time."""
