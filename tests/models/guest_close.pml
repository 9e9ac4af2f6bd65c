/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a scheduler that guests enter without being counted.
 * Implemented in src/scheduler/scheduler.cpp (close, finished, tell_if_last) and
 * guest.cpp (guest_comes, number_is_free).
 *
 * Modelled: one count of what is in flight, and whether it is closed; GUESTS guests,
 * each with a flag, which come VISITS times in all; CALLS calls that are counted;
 * and one thread that closes, and waits unless nothing is in flight. A call enters
 * before the end only. A guest that finds the scheduler closed goes back. A guest
 * whose call waits counts it, and goes before the call has ended.
 *
 * Abstracted: memory is sequentially consistent, as are the changes of the count and
 * of the flags, and the loads that follow them. The flags are read one by one. The
 * scheduler itself stays: a guest that is not counted reads it after it has gone.
 * end_if_idle, which takes `closed` back if a guest is here, is not modelled.
 *
 * Checked: when the end is told, or close() says that nothing is in flight, no guest
 * and no call runs, and none does afterwards; the end is told once; and the one that
 * waits is told (no deadlock).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_COUNT_UNREAD      a guest comes and does not read the count
 *   MUTATION_GUESTS_UNREAD     close() does not read the flags
 *   MUTATION_NO_EXCHANGE       whoever finds the end tells it, without taking `done`
 *   MUTATION_COUNT_READ_FIRST  a guest reads the count, then comes
 *   MUTATION_COUNT_FIRST       whoever looks for the end reads the count, then the flags
 *   MUTATION_GOES_QUIETLY      a guest that goes does not look whether it is the last
 */

#ifndef GUESTS
#define GUESTS 2
#endif
#ifndef CALLS
#define CALLS 1
#endif
#ifndef VISITS
#define VISITS 3
#endif

byte in_flight;
bool closed;                    /* with in_flight, one word */
bool here[GUESTS];              /* the flags */
bool done;                      /* what is to be told is there */
byte told;

/* Ghosts. */
byte running;                   /* guests and calls that run something */
bool ended;                     /* told, or found by close() */
byte visits_to_come = VISITS;

inline end_is_seen()
{
    assert(running == 0);
    ended = true
}

/* Sets `last` if this is closed and nothing is in flight. */
inline look_for_rest()
{
#ifdef MUTATION_COUNT_FIRST
    last = (closed && in_flight == 0);
    last = last && !here[0];
#if GUESTS > 1
    last = last && !here[1]
#endif
#else
    last = !here[0];
#if GUESTS > 1
    last = last && !here[1];
#endif
    last = last && closed && in_flight == 0
#endif
}

inline tell_if_last()
{
    look_for_rest();
    if
#ifdef MUTATION_NO_EXCHANGE
    :: last && done -> atomic { end_is_seen(); told++; assert(told == 1) }; done = false
#else
    :: last ->
        atomic {                /* the exchange */
            if
            :: done -> done = false; end_is_seen(); told++; assert(told == 1)
            :: else
            fi
        }
#endif
    :: else
    fi;
    last = false
}

proctype guest(byte me)
{
    bool last;
    bool is_open;
    bool counted;
    bool was_last;

    do
    :: atomic { visits_to_come > 0 -> visits_to_come-- };
#ifdef MUTATION_COUNT_READ_FIRST
        is_open = !closed;
        here[me] = true;
#else
        here[me] = true;
#ifdef MUTATION_COUNT_UNREAD
        is_open = true;
#else
        is_open = !closed;
#endif
#endif
        if
        :: is_open ->
            atomic { assert(!ended); running++ };
            if
            :: running--
            :: in_flight++; counted = true  /* its call waits */
            fi
        :: else
        fi;
        is_open = false;
        here[me] = false;
#ifndef MUTATION_GOES_QUIETLY
        if
        :: closed && in_flight == 0 -> tell_if_last()
        :: else
        fi;
#endif
        if
        :: counted ->
            counted = false;
            running--;
            atomic { in_flight--; was_last = (closed && in_flight == 0) };
            if
            :: was_last -> was_last = false; tell_if_last()
            :: else
            fi
        :: else
        fi
    :: else -> break
    od
}

proctype call()
{
    bool last;
    bool was_last;

    atomic {
        if
        :: closed -> goto end
        :: else -> in_flight++; running++
        fi
    };
    running--;
    atomic { in_flight--; was_last = (closed && in_flight == 0) };
    if
    :: was_last -> tell_if_last()
    :: else
    fi;
end:
    skip
}

proctype closer()
{
    bool last;
    bool waits = true;
    bool was_idle;

    done = true;
    atomic { closed = true; was_idle = (in_flight == 0) };
#ifdef MUTATION_GUESTS_UNREAD
    last = (in_flight == 0);
#else
    look_for_rest();
#endif
    if
    :: was_idle && last ->
        atomic {                /* the exchange */
            if
            :: done -> done = false; end_is_seen(); waits = false
            :: else
            fi
        }
    :: else
    fi;
    !waits || told > 0
}

init
{
    atomic {
        byte w;
        for (w : 1 .. GUESTS) {
            run guest(w - 1)
        }
        for (w : 1 .. CALLS) {
            run call()
        }
        run closer()
    }
}
