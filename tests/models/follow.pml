/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strand that a worker's strand has let go on last: its worker goes on with
 * it, or a worker that has nothing to do.
 * Implemented in src/scheduler/scheduler.cpp (let_go_on), run.cpp
 * (take_follower) and search.cpp (take_follower_of_another, may_sleep).
 *
 * Modelled: the owner runs a strand that lets STRANDS others go on, one after
 * the other, each by one exchange of the slot, and puts the one that was there
 * before into the queue. After each it reads whether the other worker searches,
 * and wakes it if not. It may run on for ever, or stop; then it takes what is in
 * the slot, or puts it into the queue since too many have followed each other,
 * and takes from the queue. The other worker searches with an open home, where
 * the owner may offer it a strand instead. It closes its home, and takes what it
 * was offered, or from the queue, or what it has seen in the slot. Or it announces
 * its sleep, looks once more, and sleeps.
 *
 * Abstracted: the time for which a strand stays in the slot; how a sleeper is
 * woken (idle.pml); memory is sequentially consistent, as these steps are.
 *
 * Checked: each strand goes on once; if the owner's strand never stops, the other
 * worker does not sleep for good while a strand waits (else an invalid end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_TAKEN_BY_STORE     the owner takes by a load and a store
 *   MUTATION_STOLEN_BY_STORE    the thief takes by a load and a store
 *   MUTATION_LET_GO_BY_STORE    a strand is let go on by a load and a store
 *   MUTATION_BEFORE_DROPPED     the one that was in the slot before is forgotten
 *   MUTATION_SLEEPS_UNLOOKED    the thief does not look into the slot before it
 *                               sleeps
 *   MUTATION_NOT_WOKEN          nobody is woken for a strand in the slot
 *   MUTATION_WOKEN_FIRST        the sleeper is looked for before the exchange
 *   MUTATION_HOME_OPEN          the thief takes from the slot with an open home
 */

#ifndef STRANDS
#define STRANDS 3
#endif

#define NONE 255
#define OPEN 254
#define CLOSED 253

byte slot = NONE;
byte home = OPEN;               /* of the other worker; or the strand offered there */
bool queued[STRANDS];
byte went_on[STRANDS];
bool searches = true;           /* the other worker counts as a searcher */
bool woken;                     /* its futex */
bool owner_ends;

#define any_queued (queued[0] || queued[1] || queued[STRANDS - 1])

inline goes_on(s)
{
    went_on[s]++;
    assert(went_on[s] == 1)
}

inline take_queued(mine)
{
    atomic {
        mine = NONE;
        if
        :: queued[0] -> mine = 0
        :: queued[1] -> mine = 1
        :: queued[STRANDS - 1] -> mine = STRANDS - 1
        :: else
        fi;
        if
        :: mine != NONE -> queued[mine] = false; goes_on(mine)
        :: else
        fi
    }
}

/* The other worker closes its home, and goes on with what it was offered. */
inline close_home(mine)
{
    atomic {
        mine = home;
        home = CLOSED;
        if
        :: mine < STRANDS -> goes_on(mine)
        :: else -> mine = NONE
        fi
    }
}

inline wake()
{
    if
    :: !searches -> woken = true
    :: else
    fi
}

active proctype owner()
{
    byte next = 0;
    byte before = NONE;
    do
    :: atomic { next < STRANDS && home == OPEN -> home = next; next++ }
    :: next < STRANDS ->
#ifdef MUTATION_WOKEN_FIRST
        wake();
#endif
#ifdef MUTATION_LET_GO_BY_STORE
        before = slot;
        slot = next;
#else
        atomic { before = slot; slot = next };
#endif
        if
        :: before != NONE ->
#ifndef MUTATION_BEFORE_DROPPED
            queued[before] = true
#endif
        :: else
        fi;
        before = NONE;
        next++;
#ifndef MUTATION_NOT_WOKEN
#ifndef MUTATION_WOKEN_FIRST
        wake()
#endif
#endif
    :: next > 0 ->              /* its strand stops */
        if
        :: slot != NONE ->
#ifdef MUTATION_TAKEN_BY_STORE
            before = slot;
            slot = NONE;
#else
            atomic { before = slot; slot = NONE };
#endif
            if
            :: before != NONE ->
                if
                :: goes_on(before)
                :: queued[before] = true  /* too many in a row */
                fi
            :: else
            fi
        :: slot == NONE && any_queued -> take_queued(before)
        :: slot == NONE && !any_queued && next == STRANDS -> break
        :: slot == NONE && !any_queued && next < STRANDS  /* it has gone on meanwhile */
        fi;
        before = NONE
    :: next == STRANDS && !any_queued -> break  /* runs on for ever */
    od;
    owner_ends = true
}

active proctype thief()
{
    byte seen = NONE;
    byte offered = NONE;        /* by the owner */
    do
    :: home < STRANDS -> close_home(offered); home = OPEN
    :: any_queued ->
        close_home(offered);
        if
        :: offered == NONE -> take_queued(seen)
        :: else
        fi;
        home = OPEN;
        seen = NONE
    :: slot != NONE ->
        seen = slot;
#ifndef MUTATION_HOME_OPEN
        close_home(offered);
#endif
        if
        :: offered == NONE ->
#ifdef MUTATION_STOLEN_BY_STORE
            if
            :: seen != NONE -> slot = NONE; goes_on(seen)
            :: else
            fi
#else
            atomic {
                if
                :: seen != NONE && slot == seen -> slot = NONE; goes_on(seen)
                :: else
                fi
            }
#endif
        :: else
        fi;
        home = OPEN;
        seen = NONE
    :: slot == NONE && !any_queued && home >= STRANDS ->
        close_home(offered);
        if
        :: offered != NONE -> goto awake
        :: else
        fi;
        woken = false;
        searches = false;       /* announces its sleep */
        if
        :: any_queued
#ifndef MUTATION_SLEEPS_UNLOOKED
        :: slot != NONE
#endif
        :: else ->
            if
            :: woken
            :: owner_ends && went_on[0] + went_on[1] + went_on[STRANDS - 1] == STRANDS -> goto over
            fi
        fi;
        searches = true;
awake:
        home = OPEN
    od;
over:
    skip
}
