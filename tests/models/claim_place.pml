/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims by place: workers that a claim owns, and that are called to it.
 * Implemented in src/scheduler/claims/claims.cpp and grow.cpp; is_to_leave() in
 * src/scheduler/scheduler.hpp, and search.cpp.
 *
 * Modelled: the books of a runtime (R) with a claim of any place (ANY) and one
 * by place (PLACE), and WORKERS threads that search, sleep, and go where the
 * books send them. A manager claims two workers for ANY, shrinks it by one, and
 * claims one for PLACE, whichever have arrived by then. It waits until PLACE
 * has the worker that it owns and ANY has one as well, closes both in either
 * order, and does so ROUNDS times.
 *
 * Abstracted: work, and with it the idle protocol: a worker that searches may
 * go to sleep at any time, as long as nothing in the books keeps it awake.
 * What a worker leaves behind is in claim.pml. Memory is sequentially
 * consistent: the flags and the epochs are accessed so.
 *
 * Checked: the workers wanted are as many as there are, and so are the members;
 * the runtime always has one; whenever nobody has the lock, no worker sleeps
 * that is called; and the manager comes to its end, which it could not if a
 * worker slept beside a surplus.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_UNSEEN      a worker goes to sleep although it is called
 *   MUTATION_NOT_WOKEN   a worker that sleeps is called, and not woken
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

byte where[WORKERS];
bool over;

byte in_called[3];
byte may_go;
byte stay;
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

/* Publishes the books: tell_all() of claims.cpp, except for the wake-ups of call(). */
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
        :: stay > wanted[ANY] -> surplus[ANY] = stay - wanted[ANY]
        :: else -> surplus[ANY] = 0
        fi;
        if
        :: wanted[ANY] > stay ->
            surplus[R] = (wanted[ANY] - stay < may_go -> wanted[ANY] - stay : may_go)
        :: else -> surplus[R] = 0
        fi;
        in_called[R] = 0; in_called[ANY] = 0; in_called[PLACE] = 0; may_go = 0; stay = 0;
        assert(wanted[R] + wanted[ANY] + wanted[PLACE] == WORKERS);
        assert(members[R] + members[ANY] + members[PLACE] == WORKERS);
        assert(wanted[R] >= 1 && members[R] >= 1)
    }
}

inline wake_called()
{
#ifdef MUTATION_NOT_WOKEN
    to_wake[R] = false; to_wake[ANY] = false; to_wake[PLACE] = false;
#endif
    if
    :: to_wake[R] -> to_wake[R] = false; wake_all(R)
    :: else
    fi;
    if
    :: to_wake[ANY] -> to_wake[ANY] = false; wake_all(ANY)
    :: else
    fi;
    if
    :: to_wake[PLACE] -> to_wake[PLACE] = false; wake_all(PLACE)
    :: else
    fi
}

/* The one that has the lock gives it back; whoever is called by now does not sleep. */
inline release()
{
    atomic {
        for (n : 0 .. WORKERS - 1) {
            assert(!(asleep[n] && called[n]))
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
    :: goes -> tell_all(); wake_called()
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
        tell_all(); wake_called(); release(); wake_all(R);
        if
        :: any_is_there()       /* PLACE may own that one, or another */
        :: members[ANY] == 2    /* one is left in R, which PLACE may own */
        :: true
        fi;
        acquire();
        wanted[R]++; wanted[ANY]--;
        tell_all(); wake_called(); wake_all(ANY); release();
        acquire();
        if
        :: w = 0
        :: w = 1
        :: w = 2
        fi;
        d_step { owner[w] = PLACE; wanted[R]--; wanted[PLACE]++ };
        tell_all(); wake_called(); release(); wake_all(R);
        where[w] == PLACE;
        any_is_there();
        if
        :: true ->
            acquire();
            d_step { owner[w] = NONE; wanted[R]++; wanted[PLACE]-- };
            tell_all(); wake_called(); wake_all(PLACE); release();
            threads[PLACE] == 0;
            acquire();
            wanted[R]++; wanted[ANY]--;
            tell_all(); wake_called(); wake_all(ANY); release();
            threads[ANY] == 0
        :: true ->
            acquire();
            wanted[R]++; wanted[ANY]--;
            tell_all(); wake_called(); wake_all(ANY); release();
            threads[ANY] == 0;
            acquire();
            d_step { owner[w] = NONE; wanted[R]++; wanted[PLACE]-- };
            tell_all(); wake_called(); wake_all(PLACE); release();
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
