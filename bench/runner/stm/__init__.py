# SPDX-License-Identifier: Apache-2.0
"""Transactions: what is measured of them, and what the figures mean (Gidron 2012, chapter 2)."""
