/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of short sections.
 * Implemented in include/nopal/detail/wait/brief_lock.hpp and
 * src/wait/brief_lock.cpp.
 *
 * Modelled: THREADS that lock once each. Whoever sees in its section that all others have
 * had theirs destroys the object of the lock as soon as it has unlocked.
 *
 * Abstracted: the thread looks at the word once before it goes to sleep; memory is
 * sequentially consistent.
 *
 * Checked: one has the lock at a time; nobody touches it when it is gone, but to wake its
 * address; all come to their end (else an invalid end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_FREE_BY_STORE          unlock() is a load and a store
 *   MUTATION_READ_AFTER_FREE        unlock() looks whether the lock is awaited after that
 *   MUTATION_LOCKED_UNAWAITED       one that has slept forgets that others may sleep
 *   MUTATION_SLEEPS_UNLOOKED        the futex does not compare the word
 *   MUTATION_SLEEPS_UNMARKED        whoever sleeps does not say so
 */

#ifndef THREADS
#define THREADS 3
#endif

#define FREE    0
#define LOCKED  1
#define AWAITED 2

byte word = FREE;
bool asleep[THREADS];

/* Ghosts. */
byte inside;
byte users = THREADS;
bool gone;

proctype thread(byte me)
{
    bool is_last;
    byte before;

    /* lock() */
    atomic {
        assert(!gone);
        if
        :: word == FREE -> word = LOCKED; goto section
        :: else
        fi
    };
    do
    :: atomic {
            assert(!gone);
            before = word;
#ifdef MUTATION_SLEEPS_UNMARKED
            if
            :: word == FREE -> word = LOCKED
            :: else
            fi
#elif defined(MUTATION_LOCKED_UNAWAITED)
            if
            :: word == FREE -> word = LOCKED
            :: else -> word = AWAITED
            fi
#else
            word = AWAITED
#endif
        };
        if
        :: before == FREE -> break
        :: else
        fi;
        atomic {
            if
#ifdef MUTATION_SLEEPS_UNLOOKED
            :: true -> asleep[me] = true
#elif defined(MUTATION_SLEEPS_UNMARKED)
            :: word == LOCKED -> asleep[me] = true
            :: else
#else
            :: word == AWAITED -> asleep[me] = true
            :: else
#endif
            fi
        };
        !asleep[me]
    od;
section:
    atomic {
        assert(inside == 0);
        inside++;
        users--;
        is_last = (users == 0)
    };
    inside--;

    /* unlock() */
#ifdef MUTATION_FREE_BY_STORE
    atomic { assert(!gone); before = word };
    atomic { assert(!gone); word = FREE };
#else
    atomic { assert(!gone); before = word; word = FREE };
#endif
#ifdef MUTATION_READ_AFTER_FREE
    assert(!gone);
#endif
    if
    :: before == AWAITED ->
        atomic {                /* it wakes one of those that sleep, if there is any */
            if
            :: asleep[0] -> asleep[0] = false
            :: asleep[1] -> asleep[1] = false
            :: asleep[THREADS - 1] -> asleep[THREADS - 1] = false
            :: else
            fi
        }
    :: else
    fi;
    if
    :: is_last -> gone = true
    :: else
    fi
}

init
{
    atomic {
        byte t;
        for (t : 0 .. THREADS - 1) { run thread(t) }
    }
}
