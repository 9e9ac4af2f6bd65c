# SPDX-License-Identifier: Apache-2.0
"""The producer-consumer pool: what is measured of it, and what the figures mean (Gidron et al.
2012, section 1.6)."""
