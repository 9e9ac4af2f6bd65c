# SPDX-License-Identifier: Apache-2.0
"""The page of what is kept, or of what was measured: its chapters, and how it is drawn."""
