# SPDX-License-Identifier: Apache-2.0
"""Algorithms: what is measured of them, and what the figures mean."""
