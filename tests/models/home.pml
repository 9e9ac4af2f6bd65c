/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a strand comes home: the last to arrive at its join offers it to the
 * worker that left its stack, if that one searches. And how a task comes home
 * that has waited: any thread offers it to the worker that it has left.
 * Implemented in src/scheduler/home_slot.hpp, search.cpp and submission.cpp
 * (sent_home), and in src/wait/waiter.cpp (go_on).
 *
 * Modelled: each worker has a slot, which is closed, open, or holds an offer.
 * STRANDS strands lie in a queue first, as what is stolen or submitted. Each
 * comes to HOPS joins, of which the worker that runs it is the last to arrive,
 * and at each join the strand to go on with has any worker for its home. A
 * worker that finds its home's slot open puts the strand there, and searches;
 * else it goes on with it. Or (WAITS) the strand waits there for what a thread
 * that is no worker does. That one puts it into the slot of the worker that it has
 * left, or else into the queue. A searcher takes what it is offered, or closes its
 * slot before it takes from the queue, from another's slot, or sleeps. It
 * sleeps, and wakes, at any time.
 *
 * Abstracted: the joins (join_two_way.pml), the deques, who wakes whom
 * (idle.pml); memory is sequentially consistent: all that one worker tells
 * another goes through the one word of a slot, by release and acquire.
 *
 * Checked: a strand is always in one place, so that none is lost and none runs
 * twice; the slot of a worker that runs or sleeps is closed, so that nobody who
 * has something to do is offered more. And with weak fairness all strands come
 * to their end, even where (STOPS) worker 0 stops for good while it searches
 * with an open slot.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_CLOSED_BY_STORE   a slot is closed by a load and a store
 *   MUTATION_TAKEN_BY_STORE    an offer to another is taken by a load and a store
 *   MUTATION_OFFERED_BY_STORE  a strand is offered by a load and a store
 *   MUTATION_OPENED_AGAIN      a slot is opened that was not closed
 *   MUTATION_OPEN_ASLEEP       a worker sleeps with an open slot
 *   MUTATION_OPEN_AT_WORK      work from the queue is taken with an open slot
 *   MUTATION_OPEN_TAKING       another's offer is taken with an open slot
 *   MUTATION_OWN_DROPPED       a worker that takes another's offer forgets that
 *                              closing its own slot may give it one
 *   MUTATION_NOT_TAKEN_BACK    (STOPS) nobody takes what is offered to another
 */

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef STRANDS
#define STRANDS 2
#endif
#ifndef HOPS
#define HOPS 2
#endif

#define NONE 255                /* no strand */
#define OPEN 254
#define CLOSED 253
#define is_offer(x) ((x) < STRANDS)

byte slot[WORKERS];             /* OPEN, CLOSED, or the strand offered */
byte hops[STRANDS];             /* joins to come */
bool queued[STRANDS];
bool waits[STRANDS];
byte home_of[STRANDS];          /* the worker that a strand which waits has left */

/* Ghosts. */
byte holder[STRANDS];           /* the worker that has it in its hands, or NONE */
bool asleep[WORKERS];
byte finished;

#define in_slot(s) \
    ((slot[0] == s -> 1 : 0) + (slot[1] == s -> 1 : 0) + (slot[WORKERS - 1] == s && WORKERS > 2 -> 1 : 0))
#define places(s) (in_slot(s) + (queued[s] -> 1 : 0) + (waits[s] -> 1 : 0) + (holder[s] != NONE -> 1 : 0))

/* Strand s comes into the hands of this worker. */
inline have(s)
{
    assert(holder[s] == NONE);
    holder[s] = me
}

/* close(): one exchange. `mine` is then the strand that was offered, or none. */
inline close_slot()
{
#ifdef MUTATION_CLOSED_BY_STORE
    atomic { mine = slot[me]; if :: is_offer(mine) -> slot[me] = CLOSED; have(mine) :: else -> mine = NONE fi };
    if
    :: mine == NONE -> slot[me] = CLOSED
    :: else
    fi
#else
    atomic {
        mine = slot[me];
        slot[me] = CLOSED;
        if
        :: is_offer(mine) -> have(mine)
        :: else -> mine = NONE
        fi
    }
#endif
}

proctype worker(byte me)
{
    byte mine = NONE;           /* the strand in its hands */
    byte home = 0;
    byte seen = 0;

open:
    slot[me] = OPEN;

search:
    atomic { home = 0; seen = 0; assert(mine == NONE) };
    if
    :: finished == STRANDS -> goto leave
#ifdef STOPS
    :: me == 0 && slot[me] != CLOSED -> goto leave
#endif
    :: is_offer(slot[me]) ->
        close_slot();
        goto got_or_not
    :: queued[0] || queued[STRANDS - 1] ->
#ifndef MUTATION_OPEN_AT_WORK
        close_slot();
#endif
        atomic {
            if
            :: mine != NONE
            :: mine == NONE && queued[0] -> mine = 0; queued[0] = false; have(0)
            :: mine == NONE && queued[STRANDS - 1] ->
                mine = STRANDS - 1; queued[STRANDS - 1] = false; have(STRANDS - 1)
            :: else
            fi
        };
        goto got_or_not
#ifndef MUTATION_NOT_TAKEN_BACK
    :: is_offer(slot[(me + 1) % WORKERS]) -> home = (me + 1) % WORKERS; goto take
    :: is_offer(slot[(me + 2) % WORKERS]) && (me + 2) % WORKERS != me -> home = (me + 2) % WORKERS; goto take
#endif
#ifdef LIVENESS
    :: else ->                  /* sleeps where it sees nothing to do */
#else
    :: true ->                  /* sleeps */
#endif
#ifndef MUTATION_OPEN_ASLEEP
        close_slot();
#endif
        if
        :: mine == NONE -> asleep[me] = true; asleep[me] = false
        :: else
        fi;
        goto got_or_not
#ifdef MUTATION_OPENED_AGAIN
    :: true -> goto open
#endif
    fi;

take:                           /* what another was offered */
#ifndef MUTATION_OPEN_TAKING
    close_slot();
#endif
#ifdef MUTATION_OWN_DROPPED
    atomic { if :: mine != NONE -> holder[mine] = NONE; mine = NONE :: else fi };
#else
    if
    :: mine != NONE -> goto go_on
    :: else
    fi;
#endif
    seen = slot[home];
#ifdef MUTATION_TAKEN_BY_STORE
    if
    :: is_offer(seen) -> atomic { slot[home] = OPEN; mine = seen; have(seen) }
    :: else
    fi;
#else
    atomic {
        if
        :: is_offer(seen) && slot[home] == seen -> slot[home] = OPEN; mine = seen; have(seen)
        :: else
        fi
    };
#endif

got_or_not:
    if
    :: mine == NONE -> goto open
    :: else
    fi;

go_on:
    atomic {
        home = 0; seen = 0;
        assert(holder[mine] == me && slot[me] == CLOSED);
        if
        :: hops[mine] == 0 -> holder[mine] = NONE; mine = NONE; finished++; goto open
        :: else ->
            hops[mine]--;
            if
            :: true
#ifdef WAITS
            :: true -> home_of[mine] = me; waits[mine] = true; holder[mine] = NONE; mine = NONE; goto open
#endif
            fi
        fi
    };
    if                          /* whose stack goes on after this join? */
    :: home = 0
    :: home = 1
    :: WORKERS > 2 -> home = WORKERS - 1
    fi;
    if
    :: home == me -> goto go_on
    :: else
    fi;
#ifdef MUTATION_OFFERED_BY_STORE
    if
    :: slot[home] == OPEN -> atomic { slot[home] = mine; holder[mine] = NONE; mine = NONE }; goto open
    :: else -> goto go_on
    fi;
#else
    atomic {
        if
        :: slot[home] == OPEN -> slot[home] = mine; holder[mine] = NONE; mine = NONE; goto open
        :: else -> goto go_on
        fi
    };
#endif

leave:
    skip
}

#ifdef WAITS
/* Ends the waits. */
proctype outside()
{
    byte s = 0;

    do
    :: finished == STRANDS -> break
    :: waits[0] || waits[STRANDS - 1] ->
        atomic { if :: waits[0] -> s = 0 :: waits[STRANDS - 1] -> s = STRANDS - 1 fi };
        if
        :: atomic { slot[home_of[s]] == OPEN -> slot[home_of[s]] = s; waits[s] = false }
        :: atomic { slot[home_of[s]] != OPEN -> waits[s] = false; queued[s] = true }
        fi
    od
}
#endif

#ifndef LIVENESS
/* Looks at any moment, and so at every reachable state. */
proctype monitor()
{
    byte s;

end_watch:
    do
    :: atomic {
            asleep[0] || asleep[1] || asleep[WORKERS - 1] ->
            assert(!asleep[0] || slot[0] == CLOSED);
            assert(!asleep[1] || slot[1] == CLOSED);
            assert(!asleep[WORKERS - 1] || slot[WORKERS - 1] == CLOSED)
        }
    :: atomic { places(0) + places(STRANDS - 1) + finished != STRANDS -> assert(false) }
    od
}
#endif

init
{
    atomic {
        byte i;
        for (i : 0 .. STRANDS - 1) { queued[i] = true; hops[i] = HOPS; holder[i] = NONE }
        for (i : 0 .. WORKERS - 1) { slot[i] = CLOSED; run worker(i) }
#ifdef WAITS
        run outside();
#endif
#ifndef LIVENESS
        run monitor()
#endif
    }
}

#ifdef LIVENESS
ltl all_come_to_their_end { <> (finished == STRANDS) }
#endif
