#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the SPIN models of nopal's protocols, each with its mutations.

A model passes when SPIN has searched its whole state space and found no error.
A mutation breaks the protocol on purpose and passes when SPIN finds the error
that it must cause: a model that cannot tell wrong from right proves nothing.
"""

import argparse
import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent

MAX_DEPTH = 1_000_000       # steps; a deeper search is reported as truncated
MEMORY_LIMIT = 3072         # MiB; likewise
TIME_LIMIT = 600            # seconds for one search

CLEAN = "clean"
ASSERTION = "assertion violated"
DEADLOCK = "invalid end state"
LIVELOCK = "acceptance cycle"

# What pan prints when it has not searched everything.
TRUNCATED = (
    "max search depth too small",
    "Search not completed",
    "out of memory",
    "reached -DMEMLIM bound",
    "hash table is full",
)


@dataclasses.dataclass(frozen=True)
class Case:
    """One search: a model, a mutation or none, bounds, and what must come out."""

    model: str
    expected: str = CLEAN
    mutation: str = ""
    bounds: str = ""            # preprocessor definitions, without -D
    liveness: bool = False      # check the LTL property, under weak fairness
    deep: bool = False          # only with --deep
    compressed: bool = False    # or the states would not fit; takes half as long again


def mutations(model: str, expected: dict, bounds: str = "", liveness: bool = False) -> list:
    return [
        Case(model, error, name, bounds, liveness)
        for name, error in expected.items()
    ]


CASES = [
    Case("deque_asymmetric", compressed=True),
    Case("deque_asymmetric", bounds="PUSHES=4 THIEVES=1"),
    Case("deque_asymmetric", bounds="FENCED", compressed=True),
    Case("deque_asymmetric", bounds="AGAIN PUSHES=4 THIEVES=1"),
    Case("deque_asymmetric", bounds="NEXT THIEVES=1"),
    Case("deque_asymmetric", bounds="NEXT PUSHES=2"),
    Case("deque_asymmetric", bounds="MOVED PUSHES=1"),
    Case("deque_asymmetric", bounds="MOVED PUSHES=2 THIEVES=1"),
    Case("deque_asymmetric", bounds="MOVED FENCED PUSHES=2 THIEVES=1"),
    Case("deque_asymmetric", bounds="MOVED NEXT PUSHES=2 THIEVES=1"),
    Case("deque_asymmetric", bounds="UNPUSHED PUSHES=2 THIEVES=1"),
    Case("deque_asymmetric", bounds="NEXT", deep=True),
    Case("deque_asymmetric", bounds="MOVED THIEVES=1", deep=True),
    Case("deque_asymmetric", bounds="PUSHES=4", deep=True),
    Case("deque_asymmetric", bounds="AGAIN", deep=True),
    Case("deque_asymmetric", ASSERTION, "AGAIN_ELSEWHERE", "AGAIN"),
    *mutations("deque_asymmetric", {
        "NO_HEAVY_FENCE": ASSERTION,
        "PEEK_ONLY": ASSERTION,
        "NO_LAST_CAS": ASSERTION,
        "NO_ANNOUNCEMENT": ASSERTION,
        "ANNOUNCED_LATE": ASSERTION,
        "ANNOUNCED_OVER": ASSERTION,
        "FLOOR_NOT_RAISED": ASSERTION,
        "FLOOR_RAISED_FIRST": ASSERTION,
        "FLOOR_LOWERED_ANYHOW": ASSERTION,
        "FLOOR_BELOW_TOP": ASSERTION,
        "WANTED_READ_FIRST": ASSERTION,
        "PROMISED_UNWANTED": ASSERTION,
        "PROMISED_EARLY": ASSERTION,
        "PROMISED_BEYOND": ASSERTION,
        "ANY_PROMISE": ASSERTION,
        "NO_COMPILER_BARRIER": ASSERTION,
        "ARRAY_BEFORE_BOTTOM": ASSERTION,
        "PUBLISH_BEFORE_COPY": ASSERTION,
        "OLDEST_WITHOUT_CAS": ASSERTION,
        "OLDEST_UNANNOUNCED": ASSERTION,
    }),
    *mutations("deque_asymmetric", {
        "NEXT_ABOVE_FLOOR": ASSERTION,
        "NEXT_OF_MORE": ASSERTION,
        "FLOOR_BELOW_PROMISED": ASSERTION,
    }, bounds="NEXT THIEVES=1"),
    *mutations("deque_asymmetric", {"BOTTOM_LEFT_BEHIND": ASSERTION}, bounds="BUFFER=2"),
    *mutations("deque_asymmetric", {
        "NOT_MOVED": ASSERTION,
        "MOVED_UNANNOUNCED": ASSERTION,
        "BOTTOM_MOVED_FIRST": ASSERTION,
    }, bounds="MOVED PUSHES=2"),
    Case("deque_asymmetric", ASSERTION, "UNPUSHED_EMPTIES", "UNPUSHED THIEVES=1"),
    Case("join_split"),
    Case("join_split", bounds="WORKERS=4 FORKS=4"),
    *mutations("join_split", {
        "ADD_BEFORE_SAVE": ASSERTION,
        "ANNOUNCE_BEFORE_TRIM": ASSERTION,
        "ANNOUNCE_ON_STACK": ASSERTION,
        "ONE_MORE": DEADLOCK,
        "ONE_LESS": ASSERTION,
        "NO_RESET": ASSERTION,
        "NOT_EXPECTED_AGAIN": DEADLOCK,
        "MIDDLE_AT_HOME": ASSERTION,
    }),
    Case("join_shared"),
    Case("join_shared", bounds="WORKERS=4 PIECES=5", deep=True),
    Case("join_shared", bounds="WORKERS=2 ROUNDS=2"),
    *mutations("join_shared", {
        "EACH_ANNOUNCES": ASSERTION,
        "LAST_ANNOUNCES": ASSERTION,
        "ONE_MORE": DEADLOCK,
        "ONE_LESS": DEADLOCK,
        "NOT_BEGUN": DEADLOCK,
        "BEGUN_BY_EACH": ASSERTION,
        "SEGMENT_AFTER_PUSH": ASSERTION,
        "AFTER_EXCEPTION": ASSERTION,
        "OWNER_LOADS": DEADLOCK,
        "ARRIVES_BEFORE_SAVE": ASSERTION,
    }),
    Case("join_two_way"),
    Case("join_two_way", bounds="WORKERS=2 ROUNDS=3"),
    Case("join_two_way", bounds="ROUNDS=2", deep=True),
    *mutations("join_two_way", {
        "ANNOUNCE_BEFORE_TRIM": ASSERTION,
        "ANNOUNCE_BEFORE_SAVE": ASSERTION,
        "ANNOUNCE_ON_STACK": ASSERTION,
        "OWNER_LOADS": DEADLOCK,
        "THIEF_LOADS": DEADLOCK,
        "AGAIN_ANYHOW": ASSERTION,
        "POOL_BEFORE_LEAVING": ASSERTION,
        "NOT_KEPT": ASSERTION,
        "KEPT_LATE": ASSERTION,
    }),
    Case("task"),
    Case("task", bounds="WORKERS=2 ROUNDS=2 LAST_LEAF=4"),
    Case("task", bounds="ROUNDS=2", deep=True),
    Case("task", bounds="LAST_LEAF=4", deep=True),
    Case("task", bounds="WORKERS=4", deep=True),
    *mutations("task", {
        "GIVEN_UP_LATE": ASSERTION,
        "SPARED_LATE": ASSERTION,
        "BASE_SPARED": ASSERTION,
        "NOT_SPARED": ASSERTION,
        "STACK_KEPT": ASSERTION,
        "READS_CHILDREN": ASSERTION,
        "NO_RESET": ASSERTION,
        "TWO_RESUME": ASSERTION,
        "STOPS_ON_STACK": ASSERTION,
        "STRAND_LEFT": ASSERTION,
        "OUTERMOST_LOADS": DEADLOCK,
        "OTHER_READ_LATE": ASSERTION,
        "NOT_MARKED": ASSERTION,
        "MARKED_BY_PARENT": ASSERTION,
    }),
    Case("idle"),
    Case("idle", bounds="GROUPS=2"),
    Case("idle", bounds="TO_ONE SUBMISSIONS=1 ITEMS=0"),
    Case("idle", bounds="SPAWNS=2 SUBMISSIONS=1 ITEMS=0"),
    Case("idle", bounds="GROUPS=2 SPAWNS=2 SUBMISSIONS=1 ITEMS=0"),
    Case("idle", bounds="SUBMISSIONS=1 ITEMS=1", liveness=True),
    Case("idle", bounds="GUESTS=1 WORKERS=2 SUBMISSIONS=1 ITEMS=1 VISITS=1"),
    Case("idle", bounds="GUESTS=1 SUBMISSIONS=0 ITEMS=1 VISITS=1"),
    Case("idle", bounds="GUESTS=2 WORKERS=2 SUBMISSIONS=0 ITEMS=1"),
    Case("idle", bounds="GUESTS=1 WORKERS=2 SUBMISSIONS=0 ITEMS=1 VISITS=1", liveness=True),
    Case("idle", bounds="SPAWNS=1 SUBMISSIONS=1 ITEMS=0", liveness=True, deep=True),
    Case("idle", bounds="GUESTS=2 WORKERS=2 SUBMISSIONS=1 ITEMS=0", deep=True),
    Case("idle", bounds="GUESTS=1 WORKERS=2 SUBMISSIONS=1 ITEMS=1 VISITS=1", liveness=True,
         deep=True),
    Case("idle", bounds="TO_ONE SUBMISSIONS=1 ITEMS=0", liveness=True, deep=True),
    Case("idle", bounds="GROUPS=2 WORKERS=4 SUBMISSIONS=1 ITEMS=1", deep=True),
    Case("idle", bounds="ITEMS=1", liveness=True, deep=True),
    Case("idle", bounds="GROUPS=2 SUBMISSIONS=1 ITEMS=1", liveness=True, deep=True),
    *mutations("idle", {
        "NO_RECHECK": ASSERTION,
        "KEY_AFTER_DECREMENT": ASSERTION,
        "NO_WAKE_BY_LAST": ASSERTION,
        "NO_CANCEL": ASSERTION,
        "SLEEPERS_COUNTED_LATE": ASSERTION,
        "SUBMIT_READS_FIRST": ASSERTION,
    }),
    *mutations("idle", {
        "OTHER_GROUPS_UNTOLD": ASSERTION,
        "LAST_TELLS_NOBODY": ASSERTION,
        "ANY_LOSER_TELLS": ASSERTION,
    }, bounds="GROUPS=2"),
    *mutations("idle", {
        "NO_RECHECK_OF_OWN": ASSERTION,
        "TO_READS_FIRST": ASSERTION,
        "TO_WAKES_ONE": ASSERTION,
    }, bounds="TO_ONE SUBMISSIONS=1 ITEMS=0"),
    *mutations("idle", {
        "SPAWNED_LEFT": ASSERTION,
        "SPAWNED_UNCOUNTED": ASSERTION,
    }, bounds="SPAWNS=2 SUBMISSIONS=1 ITEMS=0"),
    *mutations("idle", {
        "GUEST_READS_FIRST": ASSERTION,
        "GUEST_GOES_QUIETLY": ASSERTION,
        "LAST_SLEEPS": ASSERTION,
        "STEALS_ANYHOW": ASSERTION,
        "GUESTS_READ_FIRST": ASSERTION,
    }, bounds="GUESTS=1 WORKERS=2 SUBMISSIONS=1 ITEMS=1 VISITS=1"),
    Case("idle", ASSERTION, "SUBMIT_SPARES_ALL", "GUESTS=2 WORKERS=2 SUBMISSIONS=1 ITEMS=0",
         deep=True),
    *mutations("idle", {"LAST_NEVER_SLEEPS": LIVELOCK}, liveness=True),
    *mutations("idle", {"LEFT_TO_THIEVES": LIVELOCK}, bounds="SPAWNS=1 SUBMISSIONS=1 ITEMS=0",
               liveness=True),
    Case("guest_close"),
    *mutations("guest_close", {
        "COUNT_UNREAD": ASSERTION,
        "GUESTS_UNREAD": ASSERTION,
        "NO_EXCHANGE": ASSERTION,
        "COUNT_READ_FIRST": ASSERTION,
        "COUNT_FIRST": ASSERTION,
        "GOES_QUIETLY": DEADLOCK,
    }),
    Case("brief_lock"),
    *mutations("brief_lock", {
        "FREE_BY_STORE": DEADLOCK,
        "READ_AFTER_FREE": ASSERTION,
        "LOCKED_UNAWAITED": DEADLOCK,
        "SLEEPS_UNLOOKED": DEADLOCK,
        "SLEEPS_UNMARKED": DEADLOCK,
    }),
    Case("left_forks"),
    *mutations("left_forks", {
        "EACH_PUTS": ASSERTION,
        "NOT_PUT_BACK": DEADLOCK,
        "PUT_BACK_FIRST": ASSERTION,
        "PUT_BACK_EMPTY": ASSERTION,
        "TAKEN_BY_STORE": DEADLOCK,
    }),
    Case("noted_scope"),
    *mutations("noted_scope", {
        "UNNOTED_BEGIN": ASSERTION,
        "UNNOTED_END": ASSERTION,
        "UNNOTED_LIMIT": ASSERTION,
        "ONE_TOO_FEW": ASSERTION,
        "NOTED_FROM_TOP": ASSERTION,
        "READ_AFTER": ASSERTION,
    }),
    Case("decision"),
    *mutations("decision", {
        "COMPLETES_FIRST": ASSERTION,
        "COMPLETES_LOCKED": ASSERTION,
        "COMPLETE_UNLOOKED": ASSERTION,
        "LOSER_COMPLETES": ASSERTION,
        "READ_AFTER_COMPLETE": ASSERTION,
        "DECIDED_BY_STORE": ASSERTION,
        "ANNOUNCE_UNLOOKED": DEADLOCK,
        "ANNOUNCED_BY_STORE": DEADLOCK,
        "DECIDED_IS_OVER": ASSERTION,
        "OFFER_LEFT": ASSERTION,
        "OFFER_UNLOCKED": ASSERTION,
        "STOP_LEFT": ASSERTION,
        "TIMER_LEFT": ASSERTION,
        "EXPIRY_LEFT": ASSERTION,
        "EXPIRY_NOTED_LATE": ASSERTION,
        "EXPIRED_UNWOKEN": DEADLOCK,
        "TIMER_EARLY": ASSERTION,
        "THREAD_NOT_WOKEN": DEADLOCK,
        "WAKES_READ_LATE": DEADLOCK,
        "SLEEP_UNNOTED": DEADLOCK,
        "END_UNWOKEN": DEADLOCK,
        "END_LOOKED_AT_FIRST": DEADLOCK,
    }),
    Case("mutex"),
    Case("mutex", bounds="TIMED_ROUNDS=2", deep=True),
    *mutations("mutex", {
        "WOKEN_UNMARKED": ASSERTION,
        "WOKEN_KEPT": DEADLOCK,
        "AWAITED_LOST": DEADLOCK,
        "COUNT_KEPT": DEADLOCK,
        "PUSHED_BACK": ASSERTION,
        "OVERTAKES_UNCOUNTED": ASSERTION,
        "OVERTAKES_UNLIMITED": ASSERTION,
        "HANDED_OVER_FREE": ASSERTION,
        "HANDED_OVER_FORGETS": DEADLOCK,
        "UNLOCKED_IN_LIST": ASSERTION,
        "COMPLETES_LOCKED": ASSERTION,
        "AWAITED_FIRST": DEADLOCK,
        "AWAITED_BY_STORE": ASSERTION,
        "NOT_DECIDED": DEADLOCK,
        "LEAVES_LISTED": ASSERTION,
        "LEAVES_ALONE": DEADLOCK,
        "LEAVES_WOKEN": ASSERTION,
    }),
    Case("channel_select"),
    *mutations("channel_select", {
        "ANY_ORDER": ASSERTION,
        "LISTED_LATER": ASSERTION,
        "LISTED_EARLY": ASSERTION,
        "NOT_DECIDED": ASSERTION,
        "MOVED_FIRST": ASSERTION,
        "TAKES_ONE": ASSERTION,
        "OTHERS_LEFT": ASSERTION,
        "ENDED_LEFT": ASSERTION,
        "COMPLETES_FIRST": ASSERTION,
    }),
    Case("scope"),
    Case("scope", bounds="LIMITS=1"),
    *mutations("scope", {"LIMIT_UNASKED": ASSERTION}, bounds="LIMITS=1"),
    Case("scope", bounds="HINTS=2", deep=True),
    Case("scope", bounds="WORKERS=3", deep=True),
    *mutations("scope", {
        "JOINER_LEFT": ASSERTION,
        "JOINS_ANYHOW": DEADLOCK,
        "COUNTED_LATE": ASSERTION,
        "SIGNALLED_EARLY": ASSERTION,
        "LAST_ON_STACK": ASSERTION,
        "LAST_SIGNALLED_TWICE": ASSERTION,
        "OTHER_SCOPE": ASSERTION,
        "HINT_BY_STORE": ASSERTION,
        "FREED_BY_RUNNER": ASSERTION,
        "FREED_BY_SECOND": ASSERTION,
        "SECOND_LEAVES": ASSERTION,
        "SECOND_READS_SCOPE": ASSERTION,
        "FLAG_FIRST": ASSERTION,
        "NOTED_AT_ONCE": ASSERTION,
        "STOP_READ_LATE": ASSERTION,
    }),
    Case("io"),
    *mutations("io", {
        "REFUSES_TRIED": ASSERTION,
        "REFUSES_TAKEN": ASSERTION,
        "REFUSES_ENDED": ASSERTION,
        "TIMER_LEFT": ASSERTION,
        "EXPIRY_LEFT": ASSERTION,
        "STAYS_LISTED": ASSERTION,
        "CALLBACK_LEFT": ASSERTION,
        "STOP_BEFORE_BEGIN": ASSERTION,
        "STOP_WHILE_TRIED": ASSERTION,
        "STOP_WINS": ASSERTION,
        "GOES_ON_EARLY": ASSERTION,
        "CANCELS_ONCE": ASSERTION,
        "REFUSES_IN_RING": ASSERTION,
        "TOUCHED_AFTER_BEGIN": ASSERTION,
        "TAKEN_WITHOUT_LOCK": ASSERTION,
    }),
    Case("io_look"),
    *mutations("io_look", {
        "NOT_ALONE": ASSERTION,
        "LOOKS_UNCOUNTED": ASSERTION,
        "ASKS_FIRST": ASSERTION,
        "NO_FIRST_LOOK": ASSERTION,
        "ASKED_STILL": ASSERTION,
        "OLDER_FORGETS": ASSERTION,
        "TURN_LEAVES": ASSERTION,
    }),
    Case("follow"),
    *mutations("follow", {
        "TAKEN_BY_STORE": ASSERTION,
        "STOLEN_BY_STORE": ASSERTION,
        "LET_GO_BY_STORE": ASSERTION,
        "BEFORE_DROPPED": DEADLOCK,
        "SLEEPS_UNLOOKED": DEADLOCK,
        "NOT_WOKEN": DEADLOCK,
        "WOKEN_FIRST": DEADLOCK,
        "HOME_OPEN": DEADLOCK,
    }),
    Case("home"),
    Case("home", bounds="STOPS HOPS=3"),
    Case("home", bounds="STOPS", liveness=True),
    Case("home", bounds="WAITS WORKERS=2"),
    Case("home", bounds="WAITS WORKERS=2", liveness=True),
    *mutations("home", {
        "CLOSED_BY_STORE": ASSERTION,
        "TAKEN_BY_STORE": ASSERTION,
        "OFFERED_BY_STORE": ASSERTION,
        "OPENED_AGAIN": ASSERTION,
        "OPEN_ASLEEP": ASSERTION,
        "OPEN_AT_WORK": ASSERTION,
        "OPEN_TAKING": ASSERTION,
        "OWN_DROPPED": ASSERTION,
    }),
    *mutations("home", {"NOT_TAKEN_BACK": LIVELOCK}, bounds="STOPS", liveness=True),
    Case("task_foreign"),
    Case("task_foreign", bounds="ROUNDS=4"),
    *mutations("task_foreign", {
        "ANNOUNCED_FIRST": ASSERTION,
        "ANNOUNCED_BY_STORE": DEADLOCK,
        "RESUMED_BY_STORE": DEADLOCK,
        "WAITS_IN_VAIN": DEADLOCK,
        "READ_AFTER_ANNOUNCED": ASSERTION,
        "WAITER_READ_LATE": ASSERTION,
        "END_WRITTEN_LATE": ASSERTION,
        "DESTROYED_IN_VAIN": DEADLOCK,
        "VIEWS_LATE": ASSERTION,
    }),
    Case("wait"),
    Case("wait", bounds="WORKERS=3 ROUNDS=3"),
    *mutations("wait", {
        "WAKES_FIRST": DEADLOCK,
        "SLEEPS_UNLOOKED": DEADLOCK,
        "GOES_ON_ANYHOW": ASSERTION,
        "READ_AFTER_STORE": ASSERTION,
        "ANNOUNCED_BEFORE_SAVE": ASSERTION,
        "ANNOUNCED_ON_STACK": ASSERTION,
        "ANNOUNCED_BEFORE_TRIM": ASSERTION,
        "READ_AFTER_ANNOUNCED": ASSERTION,
        "WAITS_IN_VAIN": DEADLOCK,
        "ENDS_IN_VAIN": DEADLOCK,
        "NOT_COUNTED": ASSERTION,
        "CLOSED_FIRST": ASSERTION,
        "CLOSED_BY_STORE": DEADLOCK,
        "WAITS_FOR_COUNT": ASSERTION,
    }),
    Case("countdown"),
    Case("countdown", bounds="WORKERS=4 ROUNDS=1 SIGNALLERS=3"),
    Case("countdown", bounds="LIMITS=1"),
    *mutations("countdown", {
        "FLAG_BEFORE_WAITER": ASSERTION,
        "ANNOUNCED_BEFORE_SAVE": ASSERTION,
        "ANNOUNCED_ON_STACK": ASSERTION,
        "ANNOUNCED_BEFORE_TRIM": ASSERTION,
        "ANNOUNCED_BY_STORE": DEADLOCK,
        "WAITS_IN_VAIN": DEADLOCK,
        "SIGNAL_BY_STORE": DEADLOCK,
        "WORD_READ_AGAIN": ASSERTION,
        "EACH_LETS_GO_ON": ASSERTION,
        "FLAG_KEPT": ASSERTION,
        "ACT_ON_STACK": ASSERTION,
        "ACT_BEFORE_ARRIVAL": DEADLOCK,
        "ACT_FORGOTTEN": DEADLOCK,
        "HANDED_ON_STACK": DEADLOCK,
        "HANDED_OVER": ASSERTION,
        "HANDED_ABROAD": ASSERTION,
    }),
    *mutations("countdown", {
        "LIMIT_UNASKED": ASSERTION,
        "LIMIT_AFTER_LAST": ASSERTION,
        "LIMIT_BY_STORE": ASSERTION,
        "LIMIT_LEFT": ASSERTION,
    }, bounds="LIMITS=1"),
    Case("mpi"),
    Case("mpi", bounds="FAILURES=1"),
    Case("mpi", bounds="RANKS=3 OPERATIONS=1"),
    Case("mpi", bounds="PAUSES=1"),
    Case("mpi", bounds="PAUSES=1 FAILURES=1"),
    Case("mpi", bounds="RANKS=3 OPERATIONS=1 PAUSES=1", deep=True),
    *mutations("mpi", {
        "REPLY_EARLY": ASSERTION,
        "ROOT_LEAVES": ASSERTION,
        "ANY_OPERATION": ASSERTION,
        "GIVEN_TWICE": ASSERTION,
        "ASKER_KEPT": ASSERTION,
        "END_NOT_KEPT": DEADLOCK,
    }),
    *mutations("mpi", {
        "TAKEN_ANYHOW": ASSERTION,
        "LATE_FAILURE": ASSERTION,
        "NO_STOP": DEADLOCK,
    }, bounds="FAILURES=1"),
    *mutations("mpi", {
        "WAITING_DROPPED": DEADLOCK,
        "LEFT_BEHIND": ASSERTION,
    }, bounds="PAUSES=1"),
    *mutations("mpi", {"PASSED_AS_OWN": DEADLOCK}, bounds="RANKS=3 OPERATIONS=1"),
    Case("mpi_channel"),
    Case("mpi_channel", bounds="SENDERS=2 WINDOW=1 ELEMENTS=1"),
    Case("mpi_channel", bounds="SENDERS=2 WINDOW=1 ELEMENTS=2", deep=True),
    *mutations("mpi_channel", {
        "CREDIT_TWICE": ASSERTION,
        "CREDIT_EARLY": ASSERTION,
        "CREDITS_KEPT": DEADLOCK,
        "CLOSE_OVERTAKES": ASSERTION,
        "WAITERS_LEFT": DEADLOCK,
        "REST_LOST": ASSERTION,
        "EARLY_UNTOLD": DEADLOCK,
        "EARLY_PUT": ASSERTION,
        "DROPPED": DEADLOCK,
    }),
    Case("mpi_channel", DEADLOCK, "CREDIT_LOST", "WINDOW=1 ELEMENTS=2"),
    Case("mpi_channel", ASSERTION, "CLOSED_BY_FIRST", "SENDERS=2 WINDOW=1 ELEMENTS=1"),
    Case("claim"),
    Case("claim", bounds="ITEMS=1"),
    Case("claim", bounds="HOPS=1"),
    Case("claim", bounds="SPAWNS=1"),
    Case("claim", bounds="TO_ONE=1 SUBMISSIONS=0"),
    Case("claim", bounds="WORKERS=3 SUBMISSIONS=0"),
    Case("claim", bounds="SUBMISSIONS=0 CLAIM_SUBMISSIONS=1", liveness=True),
    Case("claim", bounds="CLAIM_SUBMISSIONS=0", liveness=True, deep=True),
    Case("claim", bounds="TO_ONE=1 SUBMISSIONS=0", liveness=True, deep=True),
    Case("claim", bounds="WORKERS=3 CHANGES=0 CLAIM_SUBMISSIONS=0", deep=True),
    Case("claim", bounds="WORKERS=3 CHANGES=0 CLAIM_SUBMISSIONS=1 SUBMISSIONS=0", deep=True),
    *mutations("claim", {
        "SURPLUS_UNSEEN": ASSERTION,
        "TOLD_LATE": ASSERTION,
        "NOT_COUNTED": ASSERTION,
        "NO_WAKE": ASSERTION,
        "NO_RECHECK": ASSERTION,
        "RECHECK_FIRST": ASSERTION,
        "HOME_OPEN": ASSERTION,
        "LEFT_EARLY": ASSERTION,
        "WORK_IN_FLIGHT": ASSERTION,
    }),
    *mutations("claim", {
        "MINE_LEFT": ASSERTION,
        "CLOSED_BY_STORE": ASSERTION,
        "MINE_LATE": ASSERTION,
    }, bounds="TO_ONE=1 SUBMISSIONS=0"),
    *mutations("claim", {"LEAVES_DEQUE": ASSERTION}, bounds="ITEMS=1"),
    *mutations("claim", {"SPAWNED_LEFT": ASSERTION}, bounds="SPAWNS=1"),
    *mutations("claim", {"OFFER_DROPPED": ASSERTION}, bounds="HOPS=1"),
    *mutations("claim", {"LAST_WAKES_NOBODY": ASSERTION},
               bounds="WORKERS=3 CHANGES=0 CLAIM_SUBMISSIONS=0"),
    Case("claim_place"),
    Case("claim_place", bounds="ROUNDS=2", deep=True),
    *mutations("claim_place", {
        "UNSEEN": ASSERTION,
        "NOT_WOKEN": ASSERTION,
        "CALLER_WAKES": ASSERTION,
        "LAST_GOES": ASSERTION,
        "OWNED_LENT": DEADLOCK,
    }),
    Case("mapped"),
    *mutations("mapped", {
        "COPIED_LATE": ASSERTION,
        "NOT_ROUNDED": ASSERTION,
        "NOT_MAPPED": ASSERTION,
        "MAPPED_ABOVE": ASSERTION,
        "HOLE_EARLY": ASSERTION,
        "HOLE_LATE": ASSERTION,
        "PUBLISHED_LATE": ASSERTION,
    }),
    Case("reducer"),
    Case("reducer", bounds="CHILDREN=4 PLAIN", deep=True),
    *mutations("reducer", {
        "PUT_BY_STORE": ASSERTION,
        "TAKEN_BY_LOAD": ASSERTION,
        "ANY_NEIGHBOUR": ASSERTION,
        "NOT_MERGED": ASSERTION,
        "LOOKS_ONCE": ASSERTION,
        "LEFT_LATE": ASSERTION,
        "OWN_FIRST": ASSERTION,
        "THROWN_FORGOTTEN": ASSERTION,
        "THROWN_UNMARKED": ASSERTION,
        "NODE_BY_STORE": ASSERTION,
    }),
    *mutations("reducer", {"ROW_DROPPED": ASSERTION}, bounds="CHILDREN=4"),
    Case("pool_steal", bounds="SLOTS=2 STEALS=1"),
    Case("pool_steal", bounds="SLOTS=1 STEALS=2"),
    Case("pool_steal", bounds="SLOTS=1 STEALS=2 UNMARKED"),
    Case("pool_steal", bounds="CONSUMERS=2 SLOTS=4 BUFFER=4"),
    Case("pool_steal", bounds="CONSUMERS=2 SLOTS=2 STEALS=2 BUFFER=4"),
    Case("pool_steal", bounds="CONSUMERS=2 SLOTS=2 STEALS=2 UNMARKED"),
    *mutations("pool_steal", {
        "NODE_WITHOUT_TAG": ASSERTION,
        "OLD_NODE": ASSERTION,
        "EXPECTED_READ_LATE": ASSERTION,
        "INDEX_NOT_READ_AGAIN": ASSERTION,
        "NO_HEAVY_FENCE": ASSERTION,
        "ASKED_EARLY": ASSERTION,
        "ANSWERED_EARLY": ASSERTION,
        "HAZARD_BUFFERED": ASSERTION,
        "FENCE_BEFORE_CAS": ASSERTION,
        "NO_COMPILER_BARRIER": ASSERTION,
        "NO_FIRST_CHECK": ASSERTION,
        "CHECK_BEFORE_TASK": ASSERTION,
        "NO_SECOND_CHECK": ASSERTION,
        "LATE_WITHOUT_CAS": ASSERTION,
        "LATE_GIVES_UP": ASSERTION,
        "FIRST_WITHOUT_CAS": ASSERTION,
        "NO_TASK_NEEDED": ASSERTION,
        "NO_THIEF_CHECK": ASSERTION,
        "OWNER_GIVES_UP": ASSERTION,
        "INDEX_NOT_ADVANCED": ASSERTION,
        "LISTED_LATE": ASSERTION,
        "LOSER_RETURNS": ASSERTION,
    }, bounds="SLOTS=2 STEALS=2"),
    *mutations("pool_steal", {
        "NOT_BEGUN": ASSERTION,
        "BEGUN_READ_LATE": ASSERTION,
        "BEGUN_WITHOUT_CAS": ASSERTION,
        "REUSED_AT_ONCE": ASSERTION,
    }, bounds="CONSUMERS=2 SLOTS=2 STEALS=2"),
    *mutations("pool_steal", {
        "HAZARD_LATE": ASSERTION,
        "THIEF_NOT_BEGUN": ASSERTION,
    }, bounds="SLOTS=1 STEALS=2"),
    *mutations("pool_steal", {
        "NO_HEAVY_FENCE": ASSERTION,
        "ANSWERED_EARLY": ASSERTION,
        "LATE_WITHOUT_CAS": ASSERTION,
        "FIRST_WITHOUT_CAS": ASSERTION,
    }, bounds="SLOTS=2 STEALS=2 UNMARKED"),
    *mutations("pool_steal", {"NO_TAG": ASSERTION}, bounds="SLOTS=2"),
    Case("pool_empty"),
    Case("pool_empty", bounds="SLOTS=1 PUTS=3"),
    Case("pool_empty", bounds="CONSUMERS=3 CHUNKS=2 PUTS=3 STEALS=1"),
    Case("pool_empty", bounds="CONSUMERS=3 CHUNKS=2 STEALS=1", deep=True),
    *mutations("pool_empty", {
        "AS_IN_THE_PAPER": ASSERTION,
        "SET_WHILE_LOOKING": ASSERTION,
        "ONE_TRAVERSAL_LESS": ASSERTION,
        "SET_WITHOUT_FENCE": ASSERTION,
        "STEAL_NOT_CLEARED": ASSERTION,
        "STEAL_CLEARED_LATE": ASSERTION,
        "FIRST_NOT_CLEARED": ASSERTION,
        "TAKE_NOT_CLEARED": ASSERTION,
        "NEXT_READ_LATE": ASSERTION,
        "ONE_SLOT": ASSERTION,
        "UNRESOLVED_IS_EMPTY": ASSERTION,
        "NODE_REPLACED": ASSERTION,
    }),
    *mutations("pool_empty", {"ONE_TRAVERSAL_LESS": ASSERTION},
               bounds="CONSUMERS=3 CHUNKS=2 PUTS=3 STEALS=1"),
    Case("pool_wait"),
    Case("pool_wait", bounds="PRODUCERS=2 LIMITS=0", deep=True),
    Case("pool_wait", bounds="PUTS=3", deep=True),
    *mutations("pool_wait", {
        "LOOKED_FIRST": DEADLOCK,
        "LISTED_LATE": DEADLOCK,
        "NOT_PASSED_ON": DEADLOCK,
        "AGAIN_UNANNOUNCED": DEADLOCK,
        "TAKEN_BY_STORE": ASSERTION,
        "LIMIT_UNASKED": ASSERTION,
        "SERVER_LEFT": ASSERTION,
        "GATE_ASKED_LATE": ASSERTION,
        "CLOSE_UNWOKEN": DEADLOCK,
        "REFUSED_SILENTLY": DEADLOCK,
    }),
    Case("waiting"),
    Case("waiting", bounds="STOPS=3"),
    Case("waiting", bounds="WORKERS=3 STOPS=0"),
    Case("waiting", bounds="WORKERS=3", deep=True),
    *mutations("waiting", {
        "LEAVES_UNNOTED": DEADLOCK,
        "NOTED_LATE": DEADLOCK,
        "LEFT_UNLOOKED": DEADLOCK,
        "THEFT_LATE": ASSERTION,
        "GIVER_ARRIVES": ASSERTION,
        "RESUMED_BELOW": DEADLOCK,
        "WAITS_ANYHOW": DEADLOCK,
    }),
    Case("recycle"),
    Case("recycle", bounds="WORKERS=2"),
    *mutations("recycle", {
        "TAKE_OVER_WITHOUT_EXCHANGE": ASSERTION,
        "ANY_FRAME": ASSERTION,
        "OFFERED_EARLY": ASSERTION,
        "OFFERED_LATE": ASSERTION,
        "ARRIVES_EARLY": ASSERTION,
        "ARRIVES_FIRST": ASSERTION,
        "STILL_OFFERED": ASSERTION,
    }),
    Case("stm_commit"),
    Case("stm_commit", bounds="TRANSACTIONS=3 ATTEMPTS=1"),
    Case("stm_commit", bounds="ATTEMPTS=3", deep=True),
    *mutations("stm_commit", {
        "NO_FIRST_LOOK": ASSERTION,
        "NO_SECOND_LOOK": ASSERTION,
        "CLOCK_BEFORE_LOCKS": ASSERTION,
        "VALIDATED_BEFORE_LOCKS": ASSERTION,
        "LOCKED_IS_VALID": ASSERTION,
        "RELEASED_BEFORE_DATA": ASSERTION,
        "OLD_VERSION": ASSERTION,
        "SKIPPED_TOO_OFTEN": ASSERTION,
        "EXTENDED_LATE": ASSERTION,
        "NOT_VALIDATED": ASSERTION,
    }),
    Case("stm_last"),
    Case("stm_last", bounds="KEPT"),
    Case("stm_last", bounds="TRANSACTIONS=3 ATTEMPTS=1 KEPT"),
    *mutations("stm_last", {"ANY_IS_MISTAKE": ASSERTION}),
    *mutations("stm_last", {
        "NOT_MARKED": ASSERTION,
        "ONE_LOOK": ASSERTION,
        "OWN_NOT_LOOKED_AT": ASSERTION,
        "OWN_NOT_MARKED": ASSERTION,
        "MARK_LOST": ASSERTION,
    }, bounds="KEPT"),
    Case("stm_reclaim"),
    Case("stm_reclaim", bounds="COMMITS=4 ROUNDS=3"),
    *mutations("stm_reclaim", {
        "ANNOUNCED_LATE": ASSERTION,
        "NO_HEAVY_FENCE": ASSERTION,
        "NO_QUIESCENCE": ASSERTION,
        "IDLE_EARLY": ASSERTION,
        "ONE_OLDER": ASSERTION,
        "UNDONE_FREED": ASSERTION,
        "OWN_NOTED": ASSERTION,
    }),
    Case("stm_wait"),
    Case("stm_wait", bounds="SLEEPERS=3 BOTH"),
    Case("stm_wait", liveness=True),
    *mutations("stm_wait", {
        "NO_RECHECK": DEADLOCK,
        "COUNTED_LATE": DEADLOCK,
        "NO_HEAVY_FENCE": DEADLOCK,
        "LOOKED_OUTSIDE": DEADLOCK,
        "LEFT_READS_DROPPED": DEADLOCK,
        "RELEASED_LATE": DEADLOCK,
        "ONE_IS_WOKEN": DEADLOCK,
        "UNDONE_FREED": ASSERTION,
        "OWN_NOTED": DEADLOCK,
    }),
    Case("stm_wait", bounds="LIMITS"),
    *mutations("stm_wait", {
        "LIMIT_LEFT_LISTED": ASSERTION,
        "LIMIT_WOKEN": ASSERTION,
    }, bounds="LIMITS"),
    Case("stm_token"),
    Case("stm_token", bounds="ASKERS=1"),
    Case("stm_token", bounds="TRANSACTIONS=4"),
    Case("stm_token", bounds="ENDLESS", liveness=True),
    *mutations("stm_token", {
        "TOKEN_IGNORED": ASSERTION,
        "ANNOUNCED_LATE": ASSERTION,
        "NO_HEAVY_FENCE": ASSERTION,
        "NO_DRAIN": ASSERTION,
        "NOBODY_WOKEN": DEADLOCK,
        "FREE_AND_HANDED": ASSERTION,
        "LOOKED_OUTSIDE": DEADLOCK,
    }),
]

MODELS = list(dict.fromkeys(case.model for case in CASES))


@dataclasses.dataclass
class Outcome:
    result: str                 # as Case.expected, or what went wrong instead
    states: str = ""
    seconds: float = 0.0
    details: str = ""           # output to show when the result is not expected


def run(command: list, directory: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=directory, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=TIME_LIMIT)


def judge(output: str) -> str:
    """The result of a search, from what pan printed."""
    errors = re.search(r"errors: (\d+)", output)
    if not errors:
        return "no result"
    if errors.group(1) != "0":
        found = [kind for kind in (ASSERTION, DEADLOCK, LIVELOCK)
                 if re.search(rf"^pan:\d+: {kind}", output, re.MULTILINE)]
        return found[0] if found else "unknown error"
    if any(sign in output for sign in TRUNCATED):
        return "truncated"
    return CLEAN


def check(case: Case, trace: bool) -> Outcome:
    start = time.monotonic()
    definitions = [f"-D{bound}" for bound in case.bounds.split()]
    if case.mutation:
        definitions.append(f"-DMUTATION_{case.mutation}")
    compile_flags = [f"-DMEMLIM={MEMORY_LIMIT}"]
    if case.compressed or case.deep:
        compile_flags.append("-DCOLLAPSE")
    search_flags = [f"-m{MAX_DEPTH}", "-w23", "-n"]
    if case.liveness:
        definitions.append("-DLIVENESS")
        compile_flags.append("-DNFAIR=3")
        search_flags += ["-a", "-f"]
    else:
        compile_flags.append("-DSAFETY")
    # A mutation is found early, so that compiling would take longest.
    compile_flags.append("-O0" if case.mutation else "-O1")

    with tempfile.TemporaryDirectory(prefix="nopal_model_") as directory:
        shutil.copy(HERE / f"{case.model}.pml", directory)
        try:
            for command in (["spin", *definitions, "-a", f"{case.model}.pml"],
                            ["gcc", "-w", *compile_flags, "-o", "pan", "pan.c"]):
                step = run(command, directory)
                if step.returncode != 0:
                    return Outcome(f"{command[0]} failed", details=step.stdout)
            output = run(["./pan", *search_flags], directory).stdout
        except subprocess.TimeoutExpired:
            return Outcome("timeout", seconds=time.monotonic() - start)
        seconds = time.monotonic() - start
        result = judge(output)
        states = re.search(r"([\d.e+]+) states, stored", output)
        details = output
        if trace and result in (ASSERTION, DEADLOCK, LIVELOCK):
            details = run(["./pan", "-r"], directory).stdout
    return Outcome(result, f"{float(states.group(1)):.0f}" if states else "", seconds, details)


def unlisted_mutations() -> list:
    """Mutations that a model has and this program does not run, or vice versa."""
    wrong = []
    for model in MODELS:
        text = (HERE / f"{model}.pml").read_text()
        in_model = set(re.findall(r"(?:ifn?def |defined\()MUTATION_(\w+)", text))
        listed = {case.mutation for case in CASES if case.model == model and case.mutation}
        wrong += [f"{model}: {name}" for name in sorted(in_model ^ listed)]
    return wrong


def select(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> list:
    chosen = CASES
    if arguments.model:
        chosen = [case for case in chosen if case.model == arguments.model]
    if arguments.mutation:
        name = arguments.mutation.upper().removeprefix("MUTATION_")
        chosen = [case for case in chosen if case.mutation == name]
        if not chosen:
            parser.error(f"{arguments.model} has no mutation {arguments.mutation}")
    if arguments.sample:
        firsts = {}
        for case in chosen:
            if case.mutation:
                firsts.setdefault(case.model, case)
        chosen = [case for case in chosen if not case.mutation or case is firsts[case.model]]
    return [case for case in chosen if arguments.deep or not case.deep]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Exit status: 0 if every result is the expected one, else 1.")
    parser.add_argument("model", nargs="?", choices=MODELS, metavar="MODEL",
                        help="check this model only: " + ", ".join(MODELS))
    parser.add_argument("mutation", nargs="?", metavar="MUTATION",
                        help="check this mutation of it only, such as NO_RECHECK")
    parser.add_argument("--deep", action="store_true",
                        help="larger bounds too (minutes, and more than 1 GiB)")
    parser.add_argument("--sample", action="store_true",
                        help="of the mutations only the first of each model")
    parser.add_argument("--trace", action="store_true",
                        help="print the steps that lead to each error found")
    arguments = parser.parse_args()

    for tool, package in (("spin", "spin"), ("gcc", "gcc")):
        if not shutil.which(tool):
            print(f"{tool} not found: install the Debian package {package}", file=sys.stderr)
            return 1
    wrong = unlisted_mutations()
    if wrong:
        print("mutations not both in a model and in CASES: " + "; ".join(wrong), file=sys.stderr)
        return 1

    row = "{:<17} {:<23} {:<44} {:<18} {:<18} {:>9} {:>7}".format
    print(row("model", "mutation", "bounds", "expected", "result", "states", "seconds"))
    unexpected = 0
    for case in select(arguments, parser):
        outcome = check(case, arguments.trace)
        bounds = case.bounds + (" liveness" if case.liveness else "")
        good = outcome.result == case.expected
        print(row(case.model, case.mutation or "-", bounds.strip() or "default", case.expected,
                  outcome.result, outcome.states, f"{outcome.seconds:.1f}"),
              "" if good else "  <-- UNEXPECTED", flush=True)
        if not good:
            unexpected += 1
        if not good or (arguments.trace and outcome.result != CLEAN):
            print(outcome.details)
    if unexpected:
        print(f"{unexpected} unexpected", file=sys.stderr)
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
