/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A strand or thread that waits for one event.
 * Implemented in src/wait/waiter.cpp, and for the end of a scheduler in
 * src/scheduler/scheduler.cpp (close, finished) and
 * src/runtime/owned_scheduler.cpp.
 *
 * Modelled: a thread that is no worker. It submits a call to a scheduler and waits
 * for its end; then it closes the scheduler, waits until nothing is in flight
 * there, ends the workers, and destroys the scheduler. Its two waiters lie at the
 * same address. The call is a strand that waits ROUNDS times, each time for an
 * event of its own, which one of two other threads sets. Whoever lets the strand
 * go on submits it, and counts as in flight for as long.
 *
 * Abstracted: inboxes and the sleep of workers (idle.pml); a waiter that a worker
 * goes on with itself (countdown.pml); memory is sequentially consistent.
 *
 * Checked: whoever waits goes on once for each event, and not before it; the
 * strand is resumed with its context saved, while nobody runs on its stack or
 * trims it; nobody touches a waiter, an event or a scheduler that is gone; all
 * come to their end (else an invalid end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_WAKES_FIRST            the futex is woken, and the word set then
 *   MUTATION_SLEEPS_UNLOOKED        the futex does not compare the word
 *   MUTATION_GOES_ON_ANYHOW         a thread that is woken does not look again
 *   MUTATION_READ_AFTER_STORE       the waiter of a thread is read after its word
 *                                   has been set
 *   MUTATION_ANNOUNCED_BEFORE_SAVE  announced before the context is saved
 *   MUTATION_ANNOUNCED_ON_STACK     announced before the stack is left
 *   MUTATION_ANNOUNCED_BEFORE_TRIM  announced before stale pages are given back
 *   MUTATION_READ_AFTER_ANNOUNCED   the announcement reads the waiter of a strand
 *                                   when that is known
 *   MUTATION_WAITS_IN_VAIN          a strand waits although the event was there
 *   MUTATION_ENDS_IN_VAIN           a thread waits although nothing was in flight
 *   MUTATION_NOT_COUNTED            a submission does not count as in flight
 *   MUTATION_CLOSED_FIRST           closed, and then the waiter is written
 *   MUTATION_CLOSED_BY_STORE        closed by a load and a store
 *   MUTATION_WAITS_FOR_COUNT        the end waits for the count and not to be told
 */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

#define NONE 255
#define CLOSED 100

mtype = { unset, set, awaited };

/* The waiter of the thread. */
bool woken;                     /* the word, a futex */
bool asleep;                    /* whether the thread sleeps at its address */

/* The scheduler. */
byte in_flight;
bool end_is_awaited;            /* the waiter to tell of the end is written */
bool call_queued, strand_queued;
bool stopping;
byte retired;

/* The strand, its waiter, and its event. */
byte user = NONE;               /* the worker that runs on its stack */
bool saved, trimming;
mtype event = unset;

/* Ghosts. */
byte waiter;                    /* the number of the thread's wait; 0: its waiter is gone */
bool happened[3];               /* what it waits for has happened */
byte round;                     /* the number of the strand's wait */
bool strand_waits;
bool gone;                      /* the scheduler */

inline go_on_thread(n)
{
#ifdef MUTATION_WAKES_FIRST
    atomic { assert(waiter == n); asleep = false };
    woken = true
#else
    atomic { assert(waiter == n); woken = true };
#ifdef MUTATION_READ_AFTER_STORE
    assert(waiter == n);
#endif
    asleep = false              /* the thread, or whoever sleeps at that address by now */
#endif
}

inline sleep(n)
{
    do
    :: atomic { woken -> break }
    :: atomic { !woken ->       /* and then the futex, which looks again */
            skip
        };
        atomic {
#ifdef MUTATION_SLEEPS_UNLOOKED
            asleep = true
#else
            if
            :: !woken -> asleep = true
            :: else
            fi
#endif
        };
        !asleep;
#ifdef MUTATION_GOES_ON_ANYHOW
        break
#endif
    od;
    atomic { assert(happened[n]); waiter = 0 }
}

inline started()
{
    atomic { assert(!gone); in_flight++ }
}

inline finished()
{
    atomic {
        assert(!gone && in_flight != 0 && in_flight != CLOSED);
        in_flight--;
        is_last = (in_flight == CLOSED);
        if
        :: is_last -> happened[2] = true
        :: else
        fi
    };
    if
    :: is_last ->
        atomic { assert(!gone && end_is_awaited); is_last = false };
        go_on_thread(2)
    :: else
    fi
}

inline submit(queued)
{
#ifndef MUTATION_NOT_COUNTED
    started();
#endif
    atomic { assert(!gone && !queued); queued = true };
    assert(!gone);              /* work_submitted() */
#ifndef MUTATION_NOT_COUNTED
    finished()
#endif
}

proctype thread()
{
    bool is_last;
    byte before;

    /* run_on() */
    started();
    atomic { woken = false; waiter = 1 };
    submit(call_queued);
    sleep(1);

    /* owned_scheduler::end() */
    atomic { woken = false; waiter = 2 };
#ifdef MUTATION_CLOSED_FIRST
    atomic { before = in_flight; in_flight = in_flight + CLOSED };
    end_is_awaited = true;
#elif defined(MUTATION_CLOSED_BY_STORE)
    atomic { end_is_awaited = true; before = in_flight };
    in_flight = before + CLOSED;
#else
    end_is_awaited = true;
    atomic { before = in_flight; in_flight = in_flight + CLOSED };
#endif
#ifdef MUTATION_WAITS_FOR_COUNT
    in_flight == CLOSED;
    waiter = 0;
#else
    if
#ifndef MUTATION_ENDS_IN_VAIN
    :: before == 0 -> waiter = 0
    :: before != 0 -> sleep(2)
#else
    :: sleep(2)
#endif
    fi;
#endif
    stopping = true;
    retired == WORKERS;
    gone = true
}

/* Sets the events of each second round. */
proctype setter(byte first)
{
    bool is_last;
    mtype before;
    byte r = first;

    do
    :: r > ROUNDS -> break
    :: r <= ROUNDS ->
        round >= r;
        atomic { assert(round == r); before = event; event = set };
        if
        :: before == awaited ->
            atomic { assert(strand_waits && round == r) };
            submit(strand_queued)
        :: else
        fi;
        r = r + 2
    od
}

inline announce()
{
    atomic {
        if
        :: event == unset -> event = awaited; has_to_wait = true
        :: else -> has_to_wait = false
        fi
    };
#ifdef MUTATION_READ_AFTER_ANNOUNCED
    assert(strand_waits && round == mine);
#endif
#ifdef MUTATION_WAITS_IN_VAIN
    has_to_wait = true
#endif
}

proctype worker(byte me)
{
    bool is_last, has_to_wait;
    byte mine;

search:
    atomic {
        mine = 0; has_to_wait = false;
        if
        :: call_queued -> call_queued = false; user = me; goto next_wait
        :: strand_queued -> strand_queued = false
        :: stopping && !call_queued && !strand_queued -> goto retire
        fi
    };

resume:
    atomic {
        assert(strand_waits && saved && user == NONE && !trimming);
        saved = false;
        user = me
    };
    atomic { assert(user == me && event == set); strand_waits = false };

next_wait:
    atomic {
        assert(user == me);
        if
        :: round == ROUNDS -> goto ends
        :: else
        fi;
        event = unset;
        strand_waits = true;
        round++;
        mine = round
    };
    /* It switches to the scheduler stack, and that announces. */
#ifdef MUTATION_ANNOUNCED_BEFORE_SAVE
    announce();
#endif
    atomic { assert(user == me && !saved); saved = true };
#ifdef MUTATION_ANNOUNCED_ON_STACK
    announce();
#endif
    atomic { assert(user == me); user = NONE };
#ifdef MUTATION_ANNOUNCED_BEFORE_TRIM
    announce();
#endif
    atomic { assert(user == NONE); trimming = true };
    atomic { assert(user == NONE); trimming = false };
#if !defined(MUTATION_ANNOUNCED_BEFORE_SAVE) && !defined(MUTATION_ANNOUNCED_ON_STACK) && \
    !defined(MUTATION_ANNOUNCED_BEFORE_TRIM)
    announce();
#endif
    if
    :: has_to_wait -> goto search
    :: !has_to_wait -> goto resume
    fi;

ends:                           /* it leaves its stack for good, and then announces its end */
    atomic { assert(user == me); user = NONE; happened[1] = true };
    go_on_thread(1);
    finished();
    goto search;

retire:
    atomic { assert(!gone); retired++ }
}

init
{
    atomic {
        byte w;
        run thread();
        run setter(1);
        run setter(2);
        for (w : 0 .. WORKERS - 1) { run worker(w) }
    }
}
