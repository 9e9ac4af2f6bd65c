# SPDX-License-Identifier: Apache-2.0
"""The results that are in git, bench/results.json, and the tables in the documents that are written
from them."""
