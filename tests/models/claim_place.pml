/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims by place: workers that a claim owns, and that are called to it.
 * Implemented in src/scheduler/claims/claims.cpp and grow.cpp; is_to_leave() in
 * src/scheduler/scheduler.hpp, and search.cpp.
 *
 * Modelled: the books of a runtime (R) with a claim of any place (ANY) and one
 * by place (PLACE), and WORKERS threads that search, sleep, and go where the
 * books send them. A manager claims two workers for ANY, shrinks it by one, and
 * claims one for PLACE, whichever have arrived by then. It may wait until PLACE
 * has the worker that it owns and ANY has one as well. It closes both in either
 * order, may wait between for ANY to have one, and does so ROUNDS times.
 *
 * Abstracted: work, and with it the idle protocol: a worker that searches may
 * go to sleep at any time, as long as nothing in the books keeps it awake.
 * What a worker leaves behind is in claim.pml. Memory is sequentially
 * consistent: the flags and the epochs are accessed so.
 *
 * Checked: the workers wanted are as many as there are, and so are the members;
 * the runtime always has one; whenever nobody has the lock, no worker sleeps
 * that is called, nor where there is a surplus; and the manager comes to its
 * end.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_UNSEEN      a worker goes to sleep although it is called
 *   MUTATION_NOT_WOKEN   a worker that sleeps is called, and not woken
 *   MUTATION_CALLER_WAKES  whoever claims wakes the runtime, and whoever gives up
 *                        a claim wakes that, but nobody else who has a surplus now
 *   MUTATION_LAST_GOES   the last worker of the runtime is called away
 *   MUTATION_OWNED_LENT  a claim of any place keeps a worker that is owned
 */

#define WORKERS 3
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define R 0
#define ANY 1
#define PLACE 2
#define NONE 0

/* The books, which the lock guards. */
bool lock;
byte wanted[3];
byte members[3];
byte threads[3];
byte at[WORKERS];
byte owner[WORKERS];            /* NONE or PLACE */

/* What searchers poll. */
byte surplus[3];
bool called[WORKERS];

/* Sleep. */
bool key_present[WORKERS];
bool asleep[WORKERS];
bool to_wake[3];
bool risen[3];

byte where[WORKERS];
bool over;

byte in_called[3];
byte may_go;
byte stay;
byte before;
byte n;

inline acquire() { atomic { !lock -> lock = true } }

inline wake_all(s)
{
    d_step {
        for (n : 0 .. WORKERS - 1) {
            if
            :: where[n] == s -> key_present[n] = false; asleep[n] = false
            :: else
            fi
        }
        n = 0
    }
}

/* tell() of claims.cpp, except for the wake-up. */
#define tell(s, number) \
    before = surplus[s]; \
    surplus[s] = number; \
    risen[s] = (surplus[s] > before || risen[s]); \
    before = 0

/* Publishes the books: tell_all() of claims.cpp, except for the wake-ups. */
inline tell_all()
{
    d_step {
        may_go = members[R] - 1;
        in_called[R] = 0; in_called[ANY] = 0; in_called[PLACE] = 0;
        for (n : 0 .. WORKERS - 1) {
            if
#ifdef MUTATION_OWNED_LENT
            :: at[n] == ANY -> called[n] = false
#endif
            :: owner[n] == PLACE && at[n] == PLACE -> called[n] = false
            :: owner[n] == NONE && at[n] != PLACE -> called[n] = false
#ifndef MUTATION_LAST_GOES
            :: owner[n] == PLACE && at[n] == R && may_go == 0 -> called[n] = false
#endif
            :: else ->
                in_called[at[n]]++;
                if
                :: at[n] == R && may_go > 0 -> may_go--
                :: else
                fi;
                if
                :: !called[n] -> to_wake[at[n]] = true
                :: else
                fi;
                called[n] = true
            fi
        }
        n = 0;
        stay = members[ANY] - in_called[ANY];
        if
        :: stay > wanted[ANY] -> tell(ANY, stay - wanted[ANY])
        :: else -> tell(ANY, 0)
        fi;
        if
        :: wanted[ANY] > stay ->
            tell(R, (wanted[ANY] - stay < may_go -> wanted[ANY] - stay : may_go))
        :: else -> tell(R, 0)
        fi;
        in_called[R] = 0; in_called[ANY] = 0; in_called[PLACE] = 0; may_go = 0; stay = 0;
        assert(wanted[R] + wanted[ANY] + wanted[PLACE] == WORKERS);
        assert(members[R] + members[ANY] + members[PLACE] == WORKERS);
        assert(wanted[R] >= 1 && members[R] >= 1)
    }
}

/* The wake-ups of call() and tell(). */
inline wake_told()
{
#ifdef MUTATION_NOT_WOKEN
    to_wake[R] = false; to_wake[ANY] = false; to_wake[PLACE] = false;
#endif
#ifdef MUTATION_CALLER_WAKES
    risen[R] = false; risen[ANY] = false;
#endif
    if
    :: to_wake[R] || risen[R] -> d_step { to_wake[R] = false; risen[R] = false }; wake_all(R)
    :: else
    fi;
    if
    :: to_wake[ANY] || risen[ANY] ->
        d_step { to_wake[ANY] = false; risen[ANY] = false }; wake_all(ANY)
    :: else
    fi;
    if
    :: to_wake[PLACE] -> to_wake[PLACE] = false; wake_all(PLACE)
    :: else
    fi
}

#ifdef MUTATION_CALLER_WAKES
#define caller_wakes(s) wake_all(s)
#else
#define caller_wakes(s) skip
#endif

/* The one that has the lock gives it back; whoever is to leave does not sleep by now. */
inline release()
{
    atomic {
        for (n : 0 .. WORKERS - 1) {
            assert(!(asleep[n] && called[n]));
            assert(!(asleep[n] && surplus[where[n]] > 0))
        }
        n = 0;
        lock = false
    }
}

proctype worker(byte me)
{
    byte to;
    bool goes;

search:
    if
    :: over -> goto end_worker
    :: !over && (called[me] || surplus[where[me]] > 0) -> goto leave
    :: !over && !(called[me] || surplus[where[me]] > 0) -> goto announce_sleep
    fi;

announce_sleep:
    key_present[me] = true;
#ifndef MUTATION_UNSEEN
    if
    :: called[me] -> goto cancel
    :: else
    fi;
#endif
    if
    :: surplus[where[me]] > 0 || over -> goto cancel
    :: else
    fi;
    atomic {
        if
        :: key_present[me] -> key_present[me] = false; asleep[me] = true
        :: else -> goto search
        fi
    };
    !asleep[me];
    goto search;
cancel:
    key_present[me] = false;
    goto search;

leave:
    acquire();
    d_step {
        goes = true;
        if
        :: where[me] == R && called[me] -> to = PLACE
        :: where[me] == R && !called[me] && surplus[R] > 0 -> to = ANY
        :: where[me] != R && (called[me] || surplus[where[me]] > 0) -> to = R
        :: else -> goes = false
        fi;
        if
        :: goes ->
            assert(at[me] == where[me]);
            members[where[me]]--; members[to]++; at[me] = to;
            if
            :: to != R -> threads[to]++
            :: else
            fi
        :: else
        fi
    };
    if
    :: goes -> tell_all(); wake_told()
    :: else
    fi;
    release();
    if
    :: !goes -> goto search
    :: else
    fi;
    atomic {                    /* left() */
        if
        :: where[me] != R -> threads[where[me]]--
        :: else
        fi;
        where[me] = to; to = 0; goes = false
    };
    goto search;
end_worker:
    skip
}

#define any_is_there() (where[0] == ANY || where[1] == ANY || where[2] == ANY)

active proctype manager()
{
    byte w;
    byte round;

    d_step {
        wanted[R] = WORKERS; members[R] = WORKERS;
        for (n : 0 .. WORKERS - 1) { at[n] = R; where[n] = R; owner[n] = NONE }
        n = 0
    };
    atomic { run worker(0); run worker(1); run worker(2) };
    do
    :: round < ROUNDS ->
        acquire();
        wanted[R] = wanted[R] - 2; wanted[ANY] = wanted[ANY] + 2;
        tell_all(); wake_told(); caller_wakes(R); release();
        if
        :: any_is_there()       /* PLACE may own that one, or another */
        :: members[ANY] == 2    /* one is left in R, which PLACE may own */
        :: true
        fi;
        acquire();
        wanted[R]++; wanted[ANY]--;
        tell_all(); wake_told(); caller_wakes(ANY); release();
        acquire();
        if
        :: w = 0
        :: w = 1
        :: w = 2
        fi;
        d_step { owner[w] = PLACE; wanted[R]--; wanted[PLACE]++ };
        tell_all(); wake_told(); caller_wakes(R); release();
        if
        :: true -> where[w] == PLACE; any_is_there()
        :: true
        fi;
        if
        :: true ->
            acquire();
            d_step { owner[w] = NONE; wanted[R]++; wanted[PLACE]-- };
            tell_all(); wake_told(); caller_wakes(PLACE); release();
            threads[PLACE] == 0;
            if
            :: true -> any_is_there()
            :: true
            fi;
            acquire();
            wanted[R]++; wanted[ANY]--;
            tell_all(); wake_told(); caller_wakes(ANY); release();
            threads[ANY] == 0
        :: true ->
            acquire();
            wanted[R]++; wanted[ANY]--;
            tell_all(); wake_told(); caller_wakes(ANY); release();
            threads[ANY] == 0;
            acquire();
            d_step { owner[w] = NONE; wanted[R]++; wanted[PLACE]-- };
            tell_all(); wake_told(); caller_wakes(PLACE); release();
            threads[PLACE] == 0
        fi;
        w = 0;
        round++
    :: else -> break
    od;
    assert(members[R] == WORKERS);
    over = true;
    wake_all(R)
}
