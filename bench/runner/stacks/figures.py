# SPDX-License-Identifier: Apache-2.0
"""All figures of `./run bench stacks`, in the order of the report's chapter."""

from .caches import CACHES
from .idle import IDLE
from .joins import JOINS
from .memory import MEMORY
from .pages import PAGES
from .reclaim import RECLAIM
from .stealing import STEALING
from .strategies import STRATEGY
from .times import TIME
from .victims import VICTIMS

FIGURES = {f.name: f for f in (STRATEGY, TIME, PAGES, MEMORY, STEALING, JOINS, RECLAIM,
                                VICTIMS, CACHES, IDLE)}
OF_SECTION = {f.section: f for f in FIGURES.values()}
