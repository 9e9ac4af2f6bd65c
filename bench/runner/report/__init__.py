# SPDX-License-Identifier: Apache-2.0
"""The report: from the records of one or several runs to a page and its figures."""
