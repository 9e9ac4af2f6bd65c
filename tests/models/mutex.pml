/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mutex.
 * Implemented in include/nopal/sync/mutex.hpp and src/sync/mutex.cpp.
 *
 * Modelled: three that lock: a strand and a task, to which the mutex is handed over,
 * ROUNDS times each, and TIMED_ROUNDS times a strand with a deadline, which comes at any
 * moment, or never; the strand then locks without one. Whoever sees in its last section that all others have had theirs
 * destroys the mutex as soon as it has unlocked. A loop around a compare-and-exchange is
 * one step: that of the exchange that succeeds.
 *
 * Abstracted: how a decision is made and announced (decision.pml), the lock of the list
 * (brief_lock.pml); whoever begins to wait tries to lock once more, or not at all; memory
 * is sequentially consistent.
 *
 * Checked: one has the mutex at a time; nobody touches it when it is gone; others lock
 * before the one that has waited longest MOST_OVERTAKES times at most; one at most has
 * been woken; all lock as often as they want (else an invalid end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_WOKEN_UNMARKED        whoever unlocks does not mark that it has woken
 *   MUTATION_WOKEN_KEPT            the one that is woken in vain leaves the mark
 *   MUTATION_AWAITED_LOST          the one that is woken forgets those that wait behind it
 *   MUTATION_COUNT_KEPT            it does not set the count of overtakes back
 *   MUTATION_PUSHED_BACK           the one that is woken in vain waits behind all others
 *   MUTATION_OVERTAKES_UNCOUNTED   overtakes are not counted
 *   MUTATION_OVERTAKES_UNLIMITED   nobody looks at the count
 *   MUTATION_HANDED_OVER_FREE      the mutex is free when it is handed over
 *   MUTATION_HANDED_OVER_FORGETS   it is handed over without those that wait behind
 *   MUTATION_UNLOCKED_IN_LIST      the mutex is unlocked under the lock of its list, where
 *                                  all that waited have ended
 *   MUTATION_COMPLETES_LOCKED      the next one goes on while the list is locked
 *   MUTATION_AWAITED_FIRST         whoever begins to wait says so before it locks the list
 *   MUTATION_AWAITED_BY_STORE      it says so by a load and a store
 *   MUTATION_NOT_DECIDED           whoever unlocks does not decide for the one that it takes
 *   MUTATION_LEAVES_LISTED         one that its deadline ends stays listed
 *   MUTATION_LEAVES_ALONE          it takes back what others need, that still wait
 *   MUTATION_LEAVES_WOKEN          it takes back the mark of one that has been woken
 */

#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef TIMED_ROUNDS
#define TIMED_ROUNDS 1
#endif
#ifndef MOST_OVERTAKES
#define MOST_OVERTAKES 1
#endif

#define LOCKERS 3
#define NOBODY  9

#define PLAIN 0
#define TIMED 1
#define TASK  2

mtype = { none, served, timed_out };

/* The word. */
bool locked, awaited, woken;
byte overtakes;

/* The list, and its lock. */
bool list_locked;
byte waiting[LOCKERS];
byte length;

/* The decisions. */
mtype decided[LOCKERS] = none;
bool complete[LOCKERS];
bool timer_is_set;

/* Ghosts. */
byte holder = NOBODY;
byte oldest = NOBODY;           /* the one that has waited longest */
byte passed;                    /* how many have locked before it since it is the oldest */
byte users = LOCKERS;
bool gone;

inline lock_list()
{
    atomic { !list_locked -> assert(!gone); list_locked = true }
}
inline unlock_list()
{
    atomic { assert(!gone); list_locked = false }
}

#ifdef MUTATION_OVERTAKES_UNLIMITED
#define may_overtake (!locked)
#else
#define may_overtake (!locked && overtakes < MOST_OVERTAKES)
#endif

/* The ghosts of one that locks. These are parts of atomic steps. */
inline next_oldest()
{
    passed = 0;
    oldest = NOBODY;
    i = 0;
    do
    :: i == length || oldest != NOBODY -> break
    :: else ->
        if
        :: decided[waiting[i]] == none -> oldest = waiting[i]
        :: else
        fi;
        i++
    od;
    i = 0
}
inline now_holds(who)
{
    assert(holder == NOBODY);
    holder = who;
    if
    :: oldest == who -> next_oldest()
    :: oldest != who && oldest != NOBODY ->
        passed++;
        assert(passed <= MOST_OVERTAKES)
    :: else
    fi
}

inline overtake()
{
    locked = true;
#ifndef MUTATION_OVERTAKES_UNCOUNTED
    if
    :: awaited -> overtakes++
    :: else
    fi;
#endif
    now_holds(me)
}

inline unlist(who)
{
    i = 0;
    do
    :: i == length -> break
    :: i < length && waiting[i] == who ->
        do
        :: i + 1 < length -> waiting[i] = waiting[i + 1]; i++
        :: else -> break
        od;
        length--;
        waiting[length] = 0;
        i = length
    :: else -> i++
    od;
    i = 0
}

/* mutex_operation::begin(). Leaves `locks`. */
inline begin()
{
    locks = false;
    if
    :: !is_next ->
        atomic {
            assert(!gone);
            if
            :: may_overtake -> overtake(); locks = true
            :: else
            fi
        }
    :: skip
    fi;
    if
    :: locks
    :: else ->
#ifdef MUTATION_AWAITED_FIRST
        if
        :: !is_next ->
            atomic { assert(!gone); if :: locked -> awaited = true :: else fi }
        :: else
        fi;
#endif
        lock_list();
#ifdef MUTATION_AWAITED_BY_STORE
        was_locked = locked;
        was_woken = woken;
#endif
        atomic {
            assert(!gone);
            if
            :: is_next ->
                assert(woken);
                if
                :: !locked ->
                    locked = true;
                    woken = false;
#ifdef MUTATION_AWAITED_LOST
                    awaited = false;
#else
                    awaited = (length != 0);
#endif
#ifndef MUTATION_COUNT_KEPT
                    overtakes = 0;
#endif
                    now_holds(me);
                    locks = true
                :: else ->
#ifndef MUTATION_WOKEN_KEPT
                    woken = false;
#endif
                    awaited = true
                fi
            :: !is_next && may_overtake -> overtake(); locks = true
            :: else ->
#ifdef MUTATION_AWAITED_BY_STORE
                locked = was_locked;
                woken = was_woken;
#endif
#ifndef MUTATION_AWAITED_FIRST
                awaited = true
#else
                skip
#endif
            fi
        };
        if
        :: locks
        :: else ->
            atomic {
                decided[me] = none;
                complete[me] = false;
                i = length;
                if
#ifndef MUTATION_PUSHED_BACK
                :: is_next ->
                    do
                    :: i == 0 -> break
                    :: else -> waiting[i] = waiting[i - 1]; i--
                    od
#endif
                :: else
                fi;
                waiting[i] = me;
                length++;
                i = 0;
                if
                :: oldest == NOBODY -> oldest = me; passed = 0
                :: else
                fi
            }
        fi;
        atomic { is_next = false };
        unlock_list()
    fi
}

/* Waits until one of the two has ended the wait. Leaves `number`. */
inline wait()
{
    if
    :: is_limited -> timer_is_set = true
    :: else
    fi;
    atomic {
        complete[me] ->
        complete[me] = false;
        number = decided[me]
    };
    if
    :: is_limited -> atomic { timer_is_set = false }
    :: else
    fi
}

/* mutex_operation::end(), after the deadline */
inline leave()
{
    lock_list();
    atomic {
#ifndef MUTATION_LEAVES_LISTED
        unlist(me);
#endif
        skip
    };
    atomic {
        assert(!gone);
        if
#ifdef MUTATION_LEAVES_ALONE
        :: !woken
#elif defined(MUTATION_LEAVES_WOKEN)
        :: length == 0
#else
        :: length == 0 && !woken
#endif
            -> awaited = false; woken = false; overtakes = 0
        :: else
        fi
    };
    unlock_list()
}

/* mutex::unlock() */
inline unlock()
{
    next = NOBODY;
again:
    atomic {
        assert(!gone && locked && holder == me);
        if
        :: !awaited || woken -> locked = false; holder = NOBODY; goto unlocked
        :: else
        fi
    };
    lock_list();
    atomic {
        do
        :: length == 0 || next != NOBODY -> break
        :: else ->
            next = waiting[0];
            unlist(next);
            if
#ifdef MUTATION_NOT_DECIDED
            :: true
#else
            :: decided[next] == none
#endif
                -> decided[next] = served
            :: else -> next = NOBODY
            fi
        od
    };
    atomic { was_locked = locked; was_awaited = awaited; was_woken = woken; count = overtakes };
    if
    :: next == NOBODY ->
#ifdef MUTATION_UNLOCKED_IN_LIST
        atomic {
            assert(!gone);
            locked = false; awaited = false; woken = false; overtakes = 0;
            holder = NOBODY
        };
        unlock_list();
        goto unlocked
#else
        atomic { assert(!gone); locked = true; awaited = false; woken = false; overtakes = 0 };
        unlock_list();
        goto again
#endif
    :: else
    fi;
    atomic {
        assert(!gone);
        assert(was_locked == locked && was_woken == woken && count == overtakes);
        holder = NOBODY;
        if
        :: next == TASK ->
#ifdef MUTATION_HANDED_OVER_FREE
            locked = false;
#endif
#ifdef MUTATION_HANDED_OVER_FORGETS
            awaited = false;
#else
            awaited = (length != 0);
#endif
            overtakes = 0;
            now_holds(next)
        :: else ->
            locked = false;
            awaited = true;
#ifndef MUTATION_WOKEN_UNMARKED
            woken = true
#endif
        fi
    };
#ifdef MUTATION_COMPLETES_LOCKED
    complete[next] = true;
    unlock_list();
#else
    unlock_list();
    complete[next] = true;
#endif
unlocked:
    skip
}

proctype locker(byte me, last_round)
{
    bool is_next, locks, is_limited, is_last;
    bool was_locked, was_awaited, was_woken;
    byte next, count, i, round;
    mtype number;

    do
    :: round == last_round -> break
    :: else ->
        atomic { round++; is_limited = (me == TIMED) };
        /* try_lock(), of free */
        atomic {
            assert(!gone);
            if
            :: !locked && !awaited && !woken && overtakes == 0 ->
                locked = true;
                now_holds(me);
                goto section
            :: else
            fi
        };
wait_until_done:
        begin();
        if
        :: locks -> goto section
        :: else
        fi;
        wait();
        if
        :: number == served && me == TASK -> goto section
        :: number == served && me != TASK ->
            atomic { is_next = true; goto wait_until_done }
        :: number == timed_out ->
            leave();
            atomic { is_limited = false; goto wait_until_done }
        fi;
section:
        atomic {
            assert(holder == me);
            number = none; locks = false;
            if
            :: round == last_round -> users--; is_last = (users == 0)
            :: else
            fi
        };
        unlock()
    od;
    if
    :: is_last -> gone = true
    :: else
    fi
}

/* The timer: at most once in each call. */
proctype deadline()
{
    byte i;

end_of_deadline:
    do
    :: atomic {
            timer_is_set && decided[TIMED] == none ->
            decided[TIMED] = timed_out;
            if
            :: oldest == TIMED -> next_oldest()
            :: else
            fi
        };
        complete[TIMED] = true
    :: true -> break            /* it never comes */
    od
}

init
{
    atomic {
        run locker(PLAIN, ROUNDS);
        run locker(TIMED, TIMED_ROUNDS);
        run locker(TASK, ROUNDS);
        run deadline()
    }
}
