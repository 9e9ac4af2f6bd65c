/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool: consumers that wait for an element, and who wakes them.
 * Implemented in include/nopal/detail/pool/sleepers.hpp, wait_operation.hpp and gate.hpp,
 * and src/pool/sleepers.cpp.
 *
 * Modelled: CONSUMERS consumers, which wait again and again until the pool is over; each but
 * the first may leave with an element, and LIMITS of them may have one wait ended by a limit,
 * at any moment. PRODUCERS producers put PUTS elements in all, one after another. Somebody
 * closes the pool when
 * all elements but the last have been put and the pool is empty, so that the last put may
 * be inside, or is refused. Each consumer has a bit, which says that its decision is to be
 * served, and there is one word by which producers see that somebody is to be woken.
 *
 * Abstracted: the pool is a number, and a consumer finds an element in one step
 * (pool_steal.pml, pool_empty.pml); a decision is complete or not (decision.pml); memory is
 * sequentially consistent, as the heavy fence of a consumer makes it seem.
 *
 * Checked: nobody sleeps beside an element for ever, and all are told when the pool is over
 * (else an invalid end state); who is told so leaves no element behind; a decision is
 * served once, and not when its wait has ended.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_LOOKED_FIRST       a consumer looks, and then sets the word
 *   MUTATION_LISTED_LATE        it sets the word, and then its bit
 *   MUTATION_NOT_PASSED_ON      one that was woken and leaves does not wake the next
 *   MUTATION_AGAIN_UNANNOUNCED  one that was woken in vain does not set the word again
 *   MUTATION_TAKEN_BY_STORE     a bit is cleared by a load and a store
 *   MUTATION_LIMIT_UNASKED      a limit does not take the bit back first
 *   MUTATION_SERVER_LEFT        a consumer with an element does not wait for its server
 *   MUTATION_GATE_ASKED_LATE    a consumer looks, and then asks whether the pool is over
 *   MUTATION_CLOSE_UNWOKEN      close() wakes nobody
 *   MUTATION_REFUSED_SILENTLY   a put that is refused wakes nobody
 */

#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef LIMITS
#define LIMITS (CONSUMERS - 1)
#endif
#ifndef PUTS
#define PUTS 2
#endif

byte elements;
bool wanted;
bool bit_of[CONSUMERS];
bool complete[CONSUMERS];
bool may_end[CONSUMERS];        /* a limit may end the wait that goes on */
bool expires[CONSUMERS];        /* a limit has taken the bit, and completes now */

bool closed;
byte inside;                    /* puts */
byte begun, put;

/* Ghosts. */
bool waits[CONSUMERS];          /* the decision is there */
byte ended;

/* Serves the decision of `c`, which the caller has taken. */
inline serve(c)
{
    atomic { assert(waits[c] && !complete[c]); complete[c] = true }
}

/* `i` and `had` are variables of the caller. */
inline wake_one()
{
    do
#ifdef MUTATION_TAKEN_BY_STORE
    :: i < CONSUMERS ->
        had = bit_of[i];
        atomic { bit_of[i] = false; i = (had -> i : i + 1) };
#else
    :: atomic { i < CONSUMERS -> had = bit_of[i]; bit_of[i] = false; i = (had -> i : i + 1) };
#endif
        if
        :: had -> break
        :: else
        fi
    :: else -> break
    od;
    if
    :: had -> serve(i)
    :: else
    fi;
    atomic { i = 0; had = false }
}

inline notify()
{
    if
    :: wanted ->
        if
        :: atomic { wanted -> wanted = false }; wake_one()
        :: else
        fi
    :: else
    fi
}

proctype producer()
{
    byte i;
    bool had;

    do
    :: atomic { begun < PUTS -> begun++; inside++ };
        if
        :: closed -> inside--;
#ifndef MUTATION_REFUSED_SILENTLY
            notify()
#endif
        :: else -> atomic { elements++; put++ };
            inside--;
            notify()
        fi
    :: atomic { begun == PUTS -> break }
    od;
    atomic { ended++ }
}

proctype closer()
{
    bool all[CONSUMERS];
    byte i;

    atomic { put >= PUTS - 1 && elements == 0 -> closed = true };
#ifndef MUTATION_CLOSE_UNWOKEN
    atomic {
        for (i : 0 .. CONSUMERS - 1) { all[i] = bit_of[i]; bit_of[i] = false };
        i = 0
    };
    do
    :: i < CONSUMERS ->
        if
        :: all[i] -> serve(i)
        :: else
        fi;
        i++
    :: else -> break
    od;
#endif
    atomic { ended++ }
}

/* A deadline or a stop of consumer `c`. */
proctype limit(byte c)
{
    if
#ifdef MUTATION_LIMIT_UNASKED
    :: atomic { may_end[c] && waits[c] && !complete[c] -> may_end[c] = false; expires[c] = true }
#else
    :: atomic { may_end[c] && bit_of[c] ->
            may_end[c] = false; bit_of[c] = false; expires[c] = true
        }
#endif
        serve(c)
    :: ended == PRODUCERS + 1 + CONSUMERS
    fi
}

proctype consumer(byte me)
{
    byte i;
    bool had, over, found, woken;
    bool has_limit = (me != 0 && me <= LIMITS);

next_wait:
    atomic { woken = false; over = false; found = false };
begin:
#ifdef MUTATION_LISTED_LATE
    wanted = true;
#endif
    atomic {
        assert(!waits[me] && !bit_of[me]);
        waits[me] = true;
        complete[me] = false;
        bit_of[me] = true
    };
#ifndef MUTATION_LISTED_LATE
#ifdef MUTATION_AGAIN_UNANNOUNCED
    if
    :: woken
    :: else -> wanted = true
    fi;
#elif !defined(MUTATION_LOOKED_FIRST)
    wanted = true;
#endif
#endif
#ifndef MUTATION_GATE_ASKED_LATE
    over = closed;
    atomic { over = over && inside == 0 };
#endif
    atomic { found = (elements > 0); elements = (found -> elements - 1 : elements) };
#ifdef MUTATION_GATE_ASKED_LATE
    over = closed;
    atomic { over = over && inside == 0 };
#endif
#ifdef MUTATION_LOOKED_FIRST
    wanted = true;
#endif
    if
    :: found || over ->
        if
        :: atomic { bit_of[me] -> bit_of[me] = false; waits[me] = false; goto leave }
        :: else
        fi;
#ifdef MUTATION_SERVER_LEFT
        atomic { waits[me] = false };
        woken = true;
        goto leave
#endif
    :: atomic { else -> woken = false; may_end[me] = has_limit }
    fi;

    atomic {
        complete[me] -> assert(waits[me]);
        waits[me] = false;
        may_end[me] = false;
        if
        :: expires[me] -> expires[me] = false; has_limit = false; goto next_wait
        :: else
        fi;
        woken = true;
        if
        :: found || over
        :: else -> goto begin
        fi
    };

leave:
    if
    :: woken ->
#ifndef MUTATION_NOT_PASSED_ON
        wake_one()
#else
        skip
#endif
    :: else
    fi;
    if
    :: found -> goto next_wait
    :: found && me != 0 -> atomic { ended++ }
    :: else -> atomic { assert(over && elements == 0); ended++ }
    fi
}

init
{
    atomic {
        byte c;
        for (c : 1 .. PRODUCERS) { run producer() };
        run closer();
        for (c : 0 .. CONSUMERS - 1) { run consumer(c) };
        for (c : 0 .. LIMITS) {
            if
            :: c > 0 -> run limit(c)
            :: else
            fi
        }
    }
}
