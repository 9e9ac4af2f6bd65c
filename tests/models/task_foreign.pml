/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task that awaits what is not of nopal: a handle that others resume or destroy.
 * Implemented in include/nopal/detail/task/foreign/foreign_awaiter.hpp and
 * src/task/foreign_awaiter.cpp.
 *
 * Modelled: a task awaits ROUNDS times. Each time the awaitable's await_suspend()
 * gives the handle to another thread, or resumes or destroys it itself, and then
 * still reads the awaiter, which lies in the task. The other thread resumes or
 * destroys. Whoever lets the task go on submits it, and another worker takes it.
 * The waits lie at the same address, one after the other.
 *
 * Abstracted: inboxes and the sleep of workers (wait.pml, idle.pml); what the
 * coroutine does in between; memory is sequentially consistent.
 *
 * Checked: the task goes on once for each await, after it was resumed or destroyed,
 * and knows which; when it goes on, its views are there and no code of the awaitable
 * runs; nobody touches a wait that has ended; all come to their end (else an invalid
 * end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_ANNOUNCED_FIRST      announced before await_suspend() has returned
 *   MUTATION_ANNOUNCED_BY_STORE   announced without a look at what came before
 *   MUTATION_RESUMED_BY_STORE     resumed by a load and a store
 *   MUTATION_WAITS_IN_VAIN        waits although it was resumed already
 *   MUTATION_READ_AFTER_ANNOUNCED the word is read when the task is announced
 *   MUTATION_WAITER_READ_LATE     whoever resumes reads the wait after the submission
 *   MUTATION_END_WRITTEN_LATE     says how the wait ended after the exchange
 *   MUTATION_DESTROYED_IN_VAIN    a handle that is destroyed lets nobody go on
 *   MUTATION_VIEWS_LATE           the views are put aside after the announcement
 */

#ifndef ROUNDS
#define ROUNDS 2
#endif

mtype = { pending, awaited, resumed, destroyed };

mtype word = pending;
bool views_aside;               /* the views of the task are in its waiter */
bool queued;                    /* in an inbox */
byte given;                     /* the round for which another thread has the handle; 0: none */

/* Ghosts. */
byte wait_of;                   /* the number of the wait that lies there; 0: none */
mtype ended;                    /* what whoever had the handle did with it */
bool in_awaitable;              /* await_suspend() runs */
bool suspended;
bool finished;

inline submit(round)
{
    atomic { assert(!queued && suspended); queued = true };
#ifdef MUTATION_WAITER_READ_LATE
    assert(wait_of == round);
#endif
}

/* Resumes or destroys the handle of the wait with this number. */
inline comes_to(round)
{
    if
    :: how = resumed
    :: how = destroyed
    fi;
    ended = how;
#ifdef MUTATION_RESUMED_BY_STORE
    atomic { assert(wait_of == round); before = word };
    atomic { assert(wait_of == round); word = how };
#elif defined(MUTATION_END_WRITTEN_LATE)
    atomic { assert(wait_of == round); before = word; word = resumed };
    atomic { assert(wait_of == round); word = how };
#elif defined(MUTATION_DESTROYED_IN_VAIN)
    atomic {
        assert(wait_of == round);
        if
        :: how == destroyed -> before = pending
        :: else -> before = word; word = how
        fi
    };
#else
    atomic { assert(wait_of == round); before = word; word = how };
#endif
    assert(before == pending || before == awaited);
    if
    :: before == awaited -> submit(round)
    :: else
    fi;
    how = pending;
    before = pending
}

inline announce(round)
{
#ifndef MUTATION_VIEWS_LATE
    atomic { assert(wait_of == round && !views_aside); views_aside = true };
#endif
    atomic {
        assert(wait_of == round);
#ifdef MUTATION_ANNOUNCED_BY_STORE
        word = awaited; has_to_wait = true
#else
        if
        :: word == pending -> word = awaited; has_to_wait = true
        :: else -> has_to_wait = false
        fi
#endif
    };
#ifdef MUTATION_WAITS_IN_VAIN
    has_to_wait = true;
#endif
#ifdef MUTATION_READ_AFTER_ANNOUNCED
    assert(wait_of == round);
#endif
#ifdef MUTATION_VIEWS_LATE
    atomic { assert(wait_of == round && !views_aside); views_aside = true };
#endif
}

proctype worker(bool begins)
{
    mtype how = pending;
    mtype before = pending;
    bool has_to_wait;
    byte round;

    if
    :: begins -> goto next_await
    :: else
    fi;

search:
    has_to_wait = false;
    if
    :: atomic { queued -> queued = false }
    :: finished -> goto end_worker
    fi;
    round = wait_of;

goes_on:
    atomic {
        assert(suspended && !in_awaitable && views_aside && wait_of == round);
        assert(word == ended && (word == resumed || word == destroyed));
        suspended = false;
        views_aside = false;
        wait_of = 0
    };

next_await:
    atomic {
        assert(!suspended);
        word = pending; ended = pending;
        if
        :: round == ROUNDS -> finished = true; goto search
        :: else
        fi;
        round++;
        wait_of = round;
        suspended = true
    };
#ifdef MUTATION_ANNOUNCED_FIRST
    announce(round);
#endif
    in_awaitable = true;
    if
    :: given = round
    :: comes_to(round)
    fi;
    /* It still uses the awaiter. */
    atomic { assert(wait_of == round); in_awaitable = false };
#ifndef MUTATION_ANNOUNCED_FIRST
    announce(round);
#endif
    if
    :: has_to_wait -> goto search
    :: else -> goto goes_on
    fi;

end_worker:
    skip
}

proctype other()
{
    mtype how = pending;
    mtype before = pending;
    byte round;

    do
    :: atomic { given != 0 -> round = given; given = 0 };
       comes_to(round)
    :: finished -> break
    od
}

init
{
    atomic {
        run worker(true);
        run worker(false);
        run other()
    }
}
