/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims: workers that go from a runtime to a claim and back.
 * Implemented in src/scheduler/claims/claims.cpp, grow.cpp and move.cpp, search.cpp,
 * submit_to() in scheduler.cpp and close_into() in inbox.hpp.
 *
 * Modelled: two schedulers, that of the runtime (0) and that of a claim (1),
 * and WORKERS threads, each of which is in one of them or on its way. A manager
 * makes the claim with one or two workers, lets it grow and shrink CHANGES
 * times, waits until nothing is in flight there, and closes it. Each scheduler
 * has a word {working, searchers, sleepers}, an epoch, an inbox for all, and for
 * each worker a deque, spawned functions, an inbox of its own and a slot for a
 * strand that comes home. SUBMISSIONS jobs are submitted to the runtime, CLAIM_SUBMISSIONS to the
 * claim, and TO_ONE jobs to worker 1 of each, whether it is there or not. A job makes at most ITEMS
 * stealable items, together with all others, and spawns SPAWNS functions, which
 * stay behind when it ends; and it may once (HOPS) leave its strand to another
 * worker's slot.
 *
 * Abstracted: the lock of claims is an atomic step; the idle protocol (idle.pml)
 * has one group; the slot (home.pml) is only offered by one that has no items;
 * an inbox is a count; memory is sequentially consistent: the words, the inboxes
 * and `surplus` are accessed so.
 *
 * Checked: the workers wanted are as many as there are, and so are the members;
 * the runtime always has one; a worker that leaves has an empty deque, an empty
 * and closed inbox and a closed slot; no worker touches the claim once its
 * destructor has ended, and nothing is left in it then; a scheduler in which
 * all workers sleep has nothing to run and no worker that is to leave; and no
 * worker of it sleeps beside an active one without a searcher. With weak
 * fairness all work is done and the claim ends.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_SURPLUS_UNSEEN     a worker goes to sleep although it is to leave
 *   MUTATION_TOLD_LATE          sleepers are woken before they are told to leave
 *   MUTATION_NOT_COUNTED        a worker leaves on what it saw without the lock
 *   MUTATION_LAST_WAKES_NOBODY  the last searcher leaves beside active workers
 *   MUTATION_NO_RECHECK         a searcher leaves and does not look at the inbox
 *   MUTATION_RECHECK_FIRST      it looks while it counts as a searcher
 *   MUTATION_MINE_LEFT          it leaves its own inbox as it is
 *   MUTATION_CLOSED_BY_STORE    its own inbox is closed by a load and a store
 *   MUTATION_MINE_LATE          it empties its own inbox after that look
 *   MUTATION_HOME_OPEN          it leaves with an open slot
 *   MUTATION_OFFER_DROPPED      it leaves what it has been offered
 *   MUTATION_LEAVES_DEQUE       it leaves before its deque is empty
 *   MUTATION_SPAWNED_LEFT       (SPAWNS) it leaves what it has spawned
 *   MUTATION_LEFT_EARLY         it counts as gone when it has decided to go
 *   MUTATION_WORK_IN_FLIGHT     the claim is closed while something runs there
 *   MUTATION_NO_WAKE            the claim is made and nobody woken
 */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef CHANGES
#define CHANGES 1
#endif
#ifndef SUBMISSIONS
#define SUBMISSIONS 1
#endif
#ifndef CLAIM_SUBMISSIONS
#define CLAIM_SUBMISSIONS SUBMISSIONS
#endif
#ifndef TO_ONE
#define TO_ONE 0
#endif
#ifndef ITEMS
#define ITEMS 0
#endif
#ifndef HOPS
#define HOPS 0
#endif
#ifndef SPAWNS
#define SPAWNS 0
#endif
#define CLAIM 1
#define at(s, w) ((s) * WORKERS + (w))

/* The books. */
byte wanted[2];
byte members[2];
byte surplus[2];
byte threads;                   /* that may touch the claim */
bool closed_for_good;           /* the destructor has ended */

/* The words, and what a sleeper knows of the epoch of where it is. */
byte working[2];
byte searchers[2];
byte sleepers[2];
bool key_present[WORKERS];
bool asleep[WORKERS];

/* The work. */
byte queue[2];
byte in_flight[2];
byte items[2 * WORKERS];
byte own[2 * WORKERS];
bool own_closed[2 * WORKERS];
mtype = { closed, open, offered };
mtype slot[2 * WORKERS];
byte to_come[2];
byte to_one_to_come[2];
byte spawned[2 * WORKERS];
byte items_to_come = ITEMS;
byte spawns_to_come = SPAWNS;
byte hops = HOPS;

/* Ghosts. */
mtype = { in_transition, searches, works };
mtype phase[WORKERS];
byte where[WORKERS];
bool submitting[2];
bool telling[2];

#define is_in(w, s) (where[w] == s)

inline tell(s)
{
    if
    :: members[s] > wanted[s] -> surplus[s] = members[s] - wanted[s]
    :: else -> surplus[s] = 0
    fi
}

inline advance_epoch(s)
{
    atomic {
        for (i : 0 .. WORKERS - 1) {
            if
            :: is_in(i, s) -> key_present[i] = false
            :: else
            fi
        }
        i = 0
    }
}

inline wake_one(s)
{
    advance_epoch(s);
    atomic {
        if
        :: is_in(0, s) && asleep[0] -> asleep[0] = false
        :: is_in(1, s) && asleep[1] -> asleep[1] = false
#if WORKERS > 2
        :: is_in(2, s) && asleep[2] -> asleep[2] = false
#endif
        :: else
        fi
    }
}

inline wake_all(s)
{
    advance_epoch(s);
    atomic {
        for (i : 0 .. WORKERS - 1) {
            if
            :: is_in(i, s) -> asleep[i] = false
            :: else
            fi
        }
        i = 0
    }
}

/* After something has been put into the inbox of s. */
inline work_submitted(s)
{
    if
    :: searchers[s] == 0 -> wake_one(s)
    :: else
    fi
}

/* A worker touches its scheduler. */
inline touch() { assert(s != CLAIM || !closed_for_good) }

proctype worker(byte me)
{
    byte s;                     /* the scheduler where it is */
    byte to;
    byte i;
    bool alone;

arrive:
    atomic {
        touch();
        own_closed[at(s, me)] = false;
        searchers[s]++;
        where[me] = s;
        slot[at(s, me)] = open;
        phase[me] = searches
    };

search:
    atomic {
        touch();
        assert(phase[me] == searches && items[at(s, me)] == 0);
        if
        :: surplus[s] > 0 -> phase[me] = in_transition; goto leave
        :: else
        fi
    };
    atomic {
        if
        :: slot[at(s, me)] == offered ->
            slot[at(s, me)] = closed; phase[me] = in_transition; goto found
        :: own[at(s, me)] > 0 && slot[at(s, me)] != offered ->
            slot[at(s, me)] = closed; own[at(s, me)]--; phase[me] = in_transition; goto found
#if SPAWNS
        :: spawned[at(s, me)] > 0 && slot[at(s, me)] != offered ->
            slot[at(s, me)] = closed; spawned[at(s, me)]--; phase[me] = in_transition; goto found
#endif
        :: queue[s] > 0 && slot[at(s, me)] != offered ->
            slot[at(s, me)] = closed; queue[s]--; phase[me] = in_transition; goto found
        :: else ->              /* it may miss what another has */
            if
            :: items[at(s, 0)] > 0 -> slot[at(s, me)] = closed; items[at(s, 0)]--
            :: items[at(s, 1)] > 0 -> slot[at(s, me)] = closed; items[at(s, 1)]--
            :: items[at(s, WORKERS - 1)] > 0 ->
                slot[at(s, me)] = closed; items[at(s, WORKERS - 1)]--
#if SPAWNS
            :: spawned[at(s, 0)] > 0 -> slot[at(s, me)] = closed; spawned[at(s, 0)]--
            :: spawned[at(s, 1)] > 0 -> slot[at(s, me)] = closed; spawned[at(s, 1)]--
#endif
            :: true -> phase[me] = in_transition; goto announce_sleep
            fi;
            phase[me] = in_transition
        fi
    };

found:                          /* search -> active */
    atomic {
        working[s]++;
        searchers[s]--;
        alone = (searchers[s] == 0)
    };
    if
    :: alone -> wake_one(s)
    :: else
    fi;
    atomic { alone = false; phase[me] = works };

work:
    do
    :: atomic { items_to_come > 0 -> items_to_come--; items[at(s, me)]++; in_flight[s]++ }
    :: atomic { items[at(s, me)] > 0 -> items[at(s, me)]--; in_flight[s]-- }
#if SPAWNS
    :: atomic { spawns_to_come > 0 -> spawns_to_come--; spawned[at(s, me)]++; in_flight[s]++ }
#endif
#if HOPS
    :: atomic { hops > 0 && items[at(s, me)] == 0 && slot[at(s, (me + 1) % WORKERS)] == open ->
            hops--; slot[at(s, (me + 1) % WORKERS)] = offered; phase[me] = in_transition };
        break
#endif
#ifdef MUTATION_LEAVES_DEQUE
    :: atomic { in_flight[s]--; phase[me] = in_transition }; break
#else
    :: atomic { items[at(s, me)] == 0 -> in_flight[s]--; phase[me] = in_transition }; break
#endif
    od;
    atomic {                    /* active -> search */
        touch();
        working[s]--; searchers[s]++; phase[me] = searches; slot[at(s, me)] = open
    };
    goto search;

announce_sleep:                 /* search -> sleep */
    atomic {
        touch();
        if
        :: slot[at(s, me)] == offered -> slot[at(s, me)] = closed; goto found
        :: else -> slot[at(s, me)] = closed
        fi
    };
    key_present[me] = true;
    atomic {
        searchers[s]--;
        sleepers[s]++;
        alone = (searchers[s] == 0 && working[s] > 0)
    };
    if
    :: alone -> goto cancel
    :: else
    fi;
    if
    :: queue[s] > 0 || own[at(s, me)] > 0 || spawned[at(s, me)] > 0 -> goto cancel
    :: else
    fi;
#ifndef MUTATION_SURPLUS_UNSEEN
    if
    :: surplus[s] > 0 -> goto cancel
    :: else
    fi;
#endif
    atomic {
        alone = false;
        if
        :: key_present[me] -> key_present[me] = false; asleep[me] = true
        :: else -> goto cancel
        fi
    };
end_asleep:
    !asleep[me];
cancel:
    atomic {
        touch();
        key_present[me] = false; alone = false;
        searchers[s]++; sleepers[s]--;
        slot[at(s, me)] = open;
        phase[me] = searches
    };
    goto search;

leave:
#ifdef MUTATION_OFFER_DROPPED
    atomic { slot[at(s, me)] = closed };
#elif !defined(MUTATION_HOME_OPEN)
    atomic {
        if
        :: slot[at(s, me)] == offered -> slot[at(s, me)] = closed; goto found
        :: else -> slot[at(s, me)] = closed
        fi
    };
#endif
    atomic {                    /* with the lock */
#ifndef MUTATION_NOT_COUNTED
        if
        :: members[s] <= wanted[s] ->
            slot[at(s, me)] = open; phase[me] = searches; goto search
        :: else
        fi;
#endif
        to = 1 - s;
        members[s]--;
        members[to]++;
        tell(0);
        tell(1);
        if
        :: to == CLAIM -> threads++
#ifdef MUTATION_LEFT_EARLY
        :: else -> threads--
#else
        :: else
#endif
        fi
    };
#if defined(MUTATION_MINE_LATE) || defined(MUTATION_MINE_LEFT)
    goto leave_search;
#endif
close_own:
    do
    :: atomic { own[at(s, me)] > 0 -> touch(); own[at(s, me)]--; queue[s]++ }
#ifdef MUTATION_CLOSED_BY_STORE
    :: own[at(s, me)] == 0 -> own_closed[at(s, me)] = true; break
#else
    :: atomic { own[at(s, me)] == 0 -> touch(); own_closed[at(s, me)] = true }; break
#endif
    od;
#if SPAWNS && !defined(MUTATION_SPAWNED_LEFT)
    do
    :: atomic { spawned[at(s, me)] > 0 -> touch(); spawned[at(s, me)]--; queue[s]++ }
    :: atomic { spawned[at(s, me)] == 0 -> touch() }; break
    od;
#endif
#ifdef MUTATION_MINE_LATE
    goto left;
#endif
leave_search:
#ifdef MUTATION_RECHECK_FIRST
    if
    :: queue[s] > 0 -> work_submitted(s)
    :: else
    fi;
#endif
    atomic {
        touch();
        searchers[s]--;
        alone = (searchers[s] == 0 && working[s] > 0)
    };
#ifndef MUTATION_LAST_WAKES_NOBODY
    if
    :: alone -> wake_one(s)
    :: else
    fi;
#endif
    atomic { touch(); alone = false };
#if !defined(MUTATION_NO_RECHECK) && !defined(MUTATION_RECHECK_FIRST)
    if
    :: queue[s] > 0 -> work_submitted(s)
    :: else
    fi;
#endif
#ifdef MUTATION_MINE_LATE
    goto close_own;
#endif
left:
    atomic {
        touch();
        assert(items[at(s, me)] == 0 && slot[at(s, me)] == closed);
#ifndef MUTATION_MINE_LEFT
        assert(own_closed[at(s, me)]);
#endif
#ifndef MUTATION_LEFT_EARLY
        if
        :: s == CLAIM -> threads--
        :: else
        fi;
#endif
        s = to;
        where[me] = to;
        to = 0;
        alone = false
    };
    goto arrive
}

/* Calls of the claim or of the runtime, and what is meant for worker 1 there. */
proctype submitter(byte s)
{
    byte i;

    do
    :: to_come[s] > 0 ->
        atomic { to_come[s]--; queue[s]++; in_flight[s]++; submitting[s] = true };
        work_submitted(s);
        submitting[s] = false
#if TO_ONE
    :: to_one_to_come[s] > 0 ->
        atomic {
            to_one_to_come[s]--; in_flight[s]++; submitting[s] = true;
            if
            :: own_closed[at(s, 1)] -> queue[s]++; goto to_any
            :: else -> own[at(s, 1)]++
            fi
        };
        if
        :: sleepers[s] > 0 ->
            advance_epoch(s);
            atomic {
                if
                :: is_in(1, s) -> asleep[1] = false
                :: else
                fi
            }
        :: else
        fi;
        goto done;
to_any:
        work_submitted(s);
done:
        submitting[s] = false
#endif
    :: else -> break
    od
}

proctype manager()
{
    byte i;
    byte changes = CHANGES;

    atomic {                    /* at_least = 1, at_most = 2 */
        if
        :: wanted[CLAIM] = 1
        :: WORKERS > 2 -> wanted[CLAIM] = 2
        fi;
        wanted[0] = wanted[0] - wanted[CLAIM];
        tell(0); tell(1); telling[0] = true
    };
#ifndef MUTATION_NO_WAKE
    wake_all(0);
#endif
    telling[0] = false;
    do
    :: atomic { changes > 0 && wanted[0] > 1 ->
            changes--; wanted[0]--; wanted[CLAIM]++; tell(0); tell(1); telling[0] = true };
        wake_all(0);
        telling[0] = false
    :: atomic { changes > 0 && wanted[CLAIM] > 1 ->
            changes--; wanted[0]++; wanted[CLAIM]--; tell(0); tell(1); telling[CLAIM] = true };
        wake_all(CLAIM);
        telling[CLAIM] = false
    :: break
    od;
#ifdef MUTATION_WORK_IN_FLIGHT
    to_come[CLAIM] + to_one_to_come[CLAIM] == 0 && !submitting[CLAIM];
#else
    to_come[CLAIM] + to_one_to_come[CLAIM] + in_flight[CLAIM] == 0 && !submitting[CLAIM];
#endif
#ifdef MUTATION_TOLD_LATE
    atomic { wanted[0] = wanted[0] + wanted[CLAIM]; wanted[CLAIM] = 0; telling[CLAIM] = true };
    wake_all(CLAIM);
    atomic { tell(0); tell(1); telling[CLAIM] = false };
#else
    atomic {
        wanted[0] = wanted[0] + wanted[CLAIM]; wanted[CLAIM] = 0;
        tell(0); tell(1); telling[CLAIM] = true
    };
    wake_all(CLAIM);
    telling[CLAIM] = false;
#endif
    atomic {
        threads == 0 ->
        closed_for_good = true;
        assert(queue[CLAIM] == 0 && in_flight[CLAIM] == 0);
        assert(own[at(CLAIM, 0)] + own[at(CLAIM, 1)] + own[at(CLAIM, WORKERS - 1)] == 0);
        assert(sleepers[CLAIM] == 0 && working[CLAIM] == 0)
    }
}

/* For the specification. */
#if WORKERS > 2
#define count(is, s) (is(0, s) + is(1, s) + is(2, s))
#else
#define count(is, s) (is(0, s) + is(1, s))
#endif
#define here(w, s) (is_in(w, s))
#define settled_in(w, s) (is_in(w, s) && (asleep[w] || phase[w] != in_transition))
#define sleeps_in(w, s) (is_in(w, s) && asleep[w])
#define searches_in(w, s) (is_in(w, s) && !asleep[w] && phase[w] == searches)
#define works_in(w, s) (is_in(w, s) && phase[w] == works)
#define waits_in(w, s) (own[at(s, w)] > 0)
#define lost_in(w, s) (own_closed[at(s, w)] && own[at(s, w)] > 0)
#define all_settled (count(settled_in, 0) + count(settled_in, 1) == WORKERS)
#define all_sleep(s) (count(here, s) > 0 && count(here, s) == count(sleeps_in, s))

inline check(s)
{
    assert(searchers[s] == count(searches_in, s));
    assert(working[s] == count(works_in, s));
    assert(sleepers[s] == count(sleeps_in, s));
    assert(count(works_in, s) == 0 || count(sleeps_in, s) == 0 || count(searches_in, s) > 0)
}

#ifndef LIVENESS
/* Looks at any moment, and so at every reachable state. */
proctype monitor()
{
end_watch:
    do
    :: atomic { all_settled -> check(0); check(1) }
    :: atomic { all_settled && all_sleep(0) && !submitting[0] && !telling[0] ->
            assert(count(waits_in, 0) + queue[0] + in_flight[0] + surplus[0] == 0) }
    :: atomic { all_settled && all_sleep(1) && !submitting[1] && !telling[1] ->
            assert(count(waits_in, 1) + queue[1] + in_flight[1] + surplus[1] == 0) }
    :: atomic { members[0] == 0 || members[0] + members[1] != WORKERS ||
                wanted[0] + wanted[1] != WORKERS || count(lost_in, 0) + count(lost_in, 1) > 0 ->
            assert(false) }
    od
}
#endif

init
{
    atomic {
        byte w;
        wanted[0] = WORKERS;
        members[0] = WORKERS;
        to_come[0] = SUBMISSIONS;
        to_come[1] = CLAIM_SUBMISSIONS;
        to_one_to_come[0] = TO_ONE;
        to_one_to_come[1] = TO_ONE;
        for (w : 0 .. WORKERS - 1) {
            phase[w] = in_transition;
            slot[at(0, w)] = closed;
            slot[at(1, w)] = closed;
            own_closed[at(1, w)] = true;
            run worker(w)
        }
        run submitter(0);
        run submitter(1);
        run manager();
#ifndef LIVENESS
        run monitor()
#endif
    }
}

#ifdef LIVENESS
ltl all_is_done_and_the_claim_ends {
    <> (closed_for_good && in_flight[0] == 0 && to_come[0] == 0 && members[0] == WORKERS)
}
#endif
