/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait that one of several events ends.
 * Implemented in include/nopal/detail/wait/decision.hpp, src/wait/limited_wait.cpp,
 * src/wait/waiting_scope.cpp and src/wait/timers.cpp. A stop of the scope is an event
 * with an offer in a list under a lock, as one that serves is here.
 *
 * Modelled: one that waits ROUNDS times, each time at an object of its own, with a
 * deadline and a stop. Its decision, its offer, its timer, its stop callback and its
 * waiter lie at the same addresses each time. One that serves comes to each object
 * once, or never: it serves the offer that it finds under the object's lock, or leaves
 * what it has in the object. Whoever waits destroys the object as soon as it has been
 * served there. The thread of the timers sleeps by the futex of its wake-ups; the time
 * goes on at any moment. At the end the process ends the thread. A stop is requested in
 * each round, or never.
 *
 * Abstracted: the wheels (test_timers): one timer is due by now or not; the locks
 * (brief_lock.pml) and how a waiter goes on (wait.pml); a stop callback is registered
 * and taken back in one step, and waited for while it runs; memory is sequentially
 * consistent.
 *
 * Checked: exactly one event ends each wait, and has done its part when whoever waits
 * goes on; a deadline ends no wait early; nobody touches a decision, an offer, a timer,
 * a waiter or an object that is gone; all come to their end, also if the deadline alone
 * ends a wait (else an invalid end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_COMPLETES_FIRST       an event completes, and does its part then
 *   MUTATION_COMPLETES_LOCKED      an event completes under the lock of the object
 *   MUTATION_COMPLETE_UNLOOKED     complete() lets the waiter go on without a look whether
 *                                  it is known
 *   MUTATION_LOSER_COMPLETES       an event completes that has not decided
 *   MUTATION_READ_AFTER_COMPLETE   the offer is read after complete()
 *   MUTATION_DECIDED_BY_STORE      decide() is a load and a store
 *   MUTATION_ANNOUNCE_UNLOOKED     announce() does not look whether the wait is over
 *   MUTATION_ANNOUNCED_BY_STORE    announce() is a load and a store
 *   MUTATION_DECIDED_IS_OVER       whoever waits goes on when the decision is made
 *   MUTATION_OFFER_LEFT            the offer is not taken out of the list
 *   MUTATION_OFFER_UNLOCKED        it is taken out without the lock
 *   MUTATION_STOP_LEFT             end() does not wait for the stop callback
 *   MUTATION_TIMER_LEFT            end() does not remove the timer
 *   MUTATION_EXPIRY_LEFT           it does not wait for an expiry that is running
 *   MUTATION_EXPIRY_NOTED_LATE     the thread notes the expiry after it has given the
 *                                  lock back
 *   MUTATION_EXPIRED_UNWOKEN       the end of an expiry does not wake whoever waits for it
 *   MUTATION_TIMER_EARLY           a timer is due one tick early
 *   MUTATION_THREAD_NOT_WOKEN      an earlier timer does not wake the thread
 *   MUTATION_WAKES_READ_LATE       the thread reads its futex after it has given the lock
 *                                  back
 *   MUTATION_SLEEP_UNNOTED         the thread notes until when it sleeps after that
 *   MUTATION_END_UNWOKEN           the end does not wake the thread
 *   MUTATION_END_LOOKED_AT_FIRST   the thread looks for the end before it reads its futex
 */

#ifndef ROUNDS
#define ROUNDS 2
#endif

#define NONE  0
#define NEVER 100

mtype = { nobody, server, deadline, stop };

/* The decision, and the waiter of whoever waits. */
mtype decided = nobody;
bool complete, awaited;
byte woken;                     /* the number of the wait that goes on */

/* The object. */
bool object_locked;
bool listed;                    /* the offer is */
bool left;                      /* what was to be served, and nobody waited */

/* The timers. */
bool wheel_locked;
bool timer_listed;
byte due;
byte sleeps_until;              /* the thread looks again by itself at this tick */
byte wakes;                     /* a futex */
byte expiring;                  /* the number of the timer whose function runs */
bool end_is_awaited;
byte expired;                   /* a futex */
bool ends, thread_ended;
byte now;

/* The stop callback. */
byte registered, runs;          /* the number of its wait */

/* Ghosts: the number of the wait to which each belongs, or NONE if it is gone. */
byte decision_of, offer_of, timer_of, waiter_of, object;
byte begun;                     /* the number of the wait */
mtype part_done = nobody;       /* by the event that has decided */
byte server_done, round_over;

/* A section of whoever waits is one step: nobody else reads or writes what it does. */

inline decide(r, who, won)
{
#ifdef MUTATION_DECIDED_BY_STORE
    atomic { assert(decision_of == r); won = (decided == nobody) };
    if
    :: won -> decided = who
    :: else
    fi
#else
    atomic {
        assert(decision_of == r);
        won = (decided == nobody);
        if
        :: won -> decided = who
        :: else
        fi
    }
#endif
}

/* `was_awaited` is a variable of the caller. */
inline do_complete(r)
{
    atomic {
        assert(decision_of == r && decided != nobody && !complete);
        was_awaited = awaited;
        complete = true
    };
#ifdef MUTATION_COMPLETE_UNLOOKED
    was_awaited = true;
#endif
    if
    :: was_awaited ->
        atomic { assert(decision_of == r && waiter_of == r); was_awaited = false; woken = r }
    :: else
    fi
}

inline finish(r, who)
{
#ifdef MUTATION_COMPLETES_FIRST
    do_complete(r);
    part_done = who
#else
    part_done = who;
    do_complete(r)
#endif
}

/* ---- whoever waits ---- */

active proctype waits()
{
    byte seen_expired;
    bool has_to_wait;
    byte r;

    do
    :: r == ROUNDS -> break
    :: else ->
        r++;
        atomic {
            decided = nobody; complete = false; awaited = false;
            part_done = nobody;
            left = false;
            decision_of = r; object = r;
            begun = r
        };

        /* Operation::begin() */
        atomic {
            !object_locked;
            if
            :: left -> goto served
            :: else -> listed = true; offer_of = r
            fi
        };

        /* limited_wait::begin() */
        atomic {
            !wheel_locked;
            timer_listed = true;
            timer_of = r;
#ifdef MUTATION_TIMER_EARLY
            due = r - 1;
#else
            due = r;
#endif
            if
            :: due < sleeps_until ->
                sleeps_until = due;
#ifndef MUTATION_THREAD_NOT_WOKEN
                wakes++
#endif
            :: else
            fi
        };
        registered = r;

        /* decision::announce() */
#ifdef MUTATION_ANNOUNCED_BY_STORE
        atomic { waiter_of = r; has_to_wait = !complete };
        awaited = true;
#else
        atomic {
            waiter_of = r;
            awaited = true;
#ifdef MUTATION_ANNOUNCE_UNLOOKED
            has_to_wait = true
#elif defined(MUTATION_DECIDED_IS_OVER)
            has_to_wait = (decided == nobody)
#else
            has_to_wait = !complete
#endif
        };
#endif
        if
        :: has_to_wait ->
            atomic { woken != 0 -> assert(woken == r); woken = 0; waiter_of = NONE }
        :: else -> waiter_of = NONE
        fi;

        /* limited_wait::end() */
        registered = 0;
#ifndef MUTATION_STOP_LEFT
        runs == 0;
#endif
        atomic {
            !wheel_locked;
#ifndef MUTATION_TIMER_LEFT
            timer_listed = false
#endif
        };
#ifndef MUTATION_EXPIRY_LEFT
        do
        :: atomic { !wheel_locked && expiring != r -> break }
        :: atomic {
                !wheel_locked && expiring == r ->
                end_is_awaited = true;
                seen_expired = expired
            };
            expired != seen_expired
        od;
#endif
        timer_of = NONE;

        /* Operation::end() */
        atomic {
            assert(decided != nobody && part_done == decided);
            assert(decided != deadline || now >= r)
        };
        if
        :: decided == server -> goto served
        :: else
        fi;
        atomic {
#ifndef MUTATION_OFFER_UNLOCKED
            !object_locked;
#endif
#ifndef MUTATION_OFFER_LEFT
            listed = false;
#endif
            offer_of = NONE;
            decision_of = NONE
        };
        server_done >= r;       /* else it may still come to the object */
served:
        atomic { offer_of = NONE; decision_of = NONE; object = NONE; round_over = r }
    od;

    /* timers::end() */
    ends = true;
#ifndef MUTATION_END_UNWOKEN
    wakes++;
#endif
    thread_ended
}

/* ---- what ends the waits ---- */

active proctype serves()
{
    bool won, was_awaited;
    byte r;

    do
    :: r == ROUNDS -> break
    :: else ->
        r++;
        begun >= r;
        if
        :: skip ->              /* it never comes */
            server_done = r
        :: skip ->
            atomic { !object_locked -> assert(object == r); object_locked = true };
            if
            :: listed ->
                atomic { assert(offer_of == r); listed = false };
                decide(r, server, won)
            :: else -> won = false
            fi;
            if
            :: !won -> left = true
            :: else
            fi;
#ifdef MUTATION_COMPLETES_LOCKED
            if
            :: won -> finish(r, server)
            :: else
            fi;
#endif
            atomic { assert(object == r); object_locked = false };
#ifndef MUTATION_COMPLETES_LOCKED
#ifdef MUTATION_LOSER_COMPLETES
            if
            :: decision_of == r -> finish(r, server)
            :: else
            fi;
#else
            if
            :: won ->
                finish(r, server);
#ifdef MUTATION_READ_AFTER_COMPLETE
                assert(offer_of == r);
#endif
            :: else
            fi;
#endif
#endif
            server_done = r
        fi
    od
}

active proctype stops()
{
    bool won, was_awaited;
    byte r;

    do
    :: r == ROUNDS -> break
    :: else ->
        r++;
        if
        :: skip                 /* no stop is requested */
        :: skip ->
            if
            :: round_over >= r
            :: atomic { registered == r -> runs = r };
                decide(r, stop, won);
                if
                :: won -> finish(r, stop)
                :: else
                fi;
                runs = 0
            fi
        fi
    od
}

active proctype sleep_and_expire()
{
    bool won, was_awaited, is_due;
    byte seen, until, r;

    do
    ::
#ifdef MUTATION_END_LOOKED_AT_FIRST
        if
        :: ends -> break
        :: else
        fi;
#endif
        atomic { !wheel_locked -> wheel_locked = true };
#ifndef MUTATION_WAKES_READ_LATE
        seen = wakes;
#endif
#ifndef MUTATION_END_LOOKED_AT_FIRST
        if
        :: ends -> wheel_locked = false; break
        :: else
        fi;
#endif
        is_due = false;
        won = false;
        if
        :: timer_listed && due <= now ->
            atomic {
                assert(timer_of != NONE);
                is_due = true;
                r = timer_of;
                timer_listed = false
            };
#ifndef MUTATION_EXPIRY_NOTED_LATE
            expiring = r
#endif
        :: else
        fi;
        atomic {
            if
            :: timer_listed -> until = due
            :: else -> until = NEVER
            fi;
#ifndef MUTATION_SLEEP_UNNOTED
            sleeps_until = until
#endif
        };
        wheel_locked = false;
#ifdef MUTATION_SLEEP_UNNOTED
        sleeps_until = until;
#endif
#ifdef MUTATION_WAKES_READ_LATE
        seen = wakes;
#endif
        if
        :: is_due ->            /* expire_one() */
#ifdef MUTATION_EXPIRY_NOTED_LATE
            expiring = r;
#endif
            assert(timer_of == r);
            decide(r, deadline, won);
            if
            :: won -> finish(r, deadline)
            :: else
            fi;
            atomic {
                !wheel_locked;
                expiring = 0;
                if
                :: end_is_awaited ->
                    end_is_awaited = false;
#ifndef MUTATION_EXPIRED_UNWOKEN
                    expired++
#endif
                :: else
                fi
            }
        :: else ->              /* futex_wait_until() */
            wakes != seen || now >= until
        fi
    od;
    thread_ended = true
}

active proctype time()
{
    do
    :: now == ROUNDS -> break
    :: else -> now++
    od
}
