/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A countdown: many signals, one strand that waits, and the last act of a strand.
 * Implemented in include/nopal/async/countdown.hpp, src/async/ and
 * src/scheduler/submission.cpp (last_act) and run.cpp (hand_over, settle).
 *
 * Modelled: one countdown with its word {signals to come, somebody waits} and its
 * pointer to the decision of the wait; a strand that waits ROUNDS times and then
 * destroys the countdown. With LIMITS=1 a limit ends its first wait at any moment, or
 * never, and then it waits once more for the same signals. In each round SIGNALLERS
 * strands signal. Signaller 0 adds a signal, makes both as its last acts, and then may
 * ask for an act of another countdown; each of the others makes one signal, by signal()
 * or by signal_and_end(). When a signaller has left its stack it may have been the last
 * to arrive at its own join, and then its worker can go on with the strand behind that.
 * The last worker is of another runtime than the strand that waits.
 *
 * The decision is {complete, announced}: the strand lists it in the countdown on its own
 * stack, and announces its waiter to it when it has left the stack.
 *
 * Abstracted: how signallers come to workers, and the joins (join_two_way.pml);
 * inboxes are one atomic step; memory is sequentially consistent: what signals
 * tell goes through the one word, by acquire and release.
 *
 * Checked: the strand goes on once for each wait, after all signals, and after all
 * strands that signalled by a last act have left their stacks; it is resumed with
 * its context saved, while nobody runs on its stack or trims it, and by a worker
 * of its own runtime; nobody reads a waiter that is not written or is over, and
 * nobody touches the countdown when it is gone; every strand that a worker can go
 * on with goes on once; the strand goes on in the end (else an invalid end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_FLAG_BEFORE_WAITER     the word says that somebody waits, then who
 *   MUTATION_LIMIT_UNASKED          (LIMITS) a limit leaves the word as it is
 *   MUTATION_LIMIT_AFTER_LAST       (LIMITS) it withdraws after the last signal
 *   MUTATION_LIMIT_BY_STORE         (LIMITS) it is a load and a store
 *   MUTATION_LIMIT_LEFT             (LIMITS) the wait does not take it back
 *   MUTATION_ANNOUNCED_BEFORE_SAVE  announced before the context is saved
 *   MUTATION_ANNOUNCED_ON_STACK     announced before the stack is left
 *   MUTATION_ANNOUNCED_BEFORE_TRIM  announced before stale pages are given back
 *   MUTATION_ANNOUNCED_BY_STORE     listed by a load and a store
 *   MUTATION_WAITS_IN_VAIN          waits although all signals have come
 *   MUTATION_SIGNAL_BY_STORE        a signal is a load and a store
 *   MUTATION_WORD_READ_AGAIN        a signal looks at the word after its change
 *   MUTATION_EACH_LETS_GO_ON        each signal that finds a waiter lets it go on
 *   MUTATION_FLAG_KEPT              after a wait the word still says that somebody
 *                                   waits
 *   MUTATION_ACT_ON_STACK           the last act is done on the strand's stack
 *   MUTATION_ACT_BEFORE_ARRIVAL     it is done before the strand's own arrival
 *   MUTATION_ACT_FORGOTTEN          a second last act takes the place of the first
 *   MUTATION_HANDED_ON_STACK        an act done on a strand's stack hands over
 *   MUTATION_HANDED_OVER            what a worker goes on with is replaced
 *   MUTATION_HANDED_ABROAD          a worker of another runtime is handed over
 */

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef SIGNALLERS
#define SIGNALLERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef LIMITS
#define LIMITS 0
#endif

#define NONE 255
#define WAITING 254             /* the strand that waits; the others are signallers' */
#define is_abroad(w) ((w) == WORKERS - 1)

/* The countdown. */
byte word;                      /* somebody waits, and twice the signals to come */
byte waiter = NONE;             /* the number of the wait that is listed */
bool gone;

/* The decision. */
bool complete, announced;
bool limited;                   /* a limit may end the wait */
bool limit_runs, timed_out, limit_came;

/* The strand that waits. */
byte user = NONE;               /* the worker that runs on its stack */
bool saved, trimming;
bool submitted;                 /* to an inbox of its runtime */

/* The signallers. */
bool queued[SIGNALLERS];

/* Ghosts. */
byte wait;                      /* its number */
bool waits;
byte missing;                   /* signals that are not made yet */
byte asking;                    /* strands that have asked for a last act, on their stacks */
byte behind_join[SIGNALLERS];   /* how many strands have yet to go on behind the join */
bool finished;
byte retired;

inline submit()
{
    atomic { assert(waits && waiter == wait && !submitted); submitted = true }
}

/* One signal, by a worker on a strand's stack or on its scheduler stack. */
inline signal(hands_over)
{
#ifdef MUTATION_SIGNAL_BY_STORE
    atomic { assert(!gone); before = word };
    atomic { assert(!gone); word = before - 2; missing-- };
#else
    atomic { assert(!gone && word >= 2); before = word; word = word - 2; missing-- };
#endif
#ifdef MUTATION_WORD_READ_AGAIN
    atomic { assert(!gone); before = word + 2 };
#endif
#ifdef MUTATION_EACH_LETS_GO_ON
    before = (before % 2 == 1 -> 3 : 0);
#endif
    if
    :: before == 3 ->
        atomic { assert(!gone && waiter == wait && !complete); complete = true; goes = announced };
        if
        :: !goes
#ifdef MUTATION_HANDED_OVER
        :: goes && hands_over && !is_abroad(me) -> handed = WAITING
        :: goes && !(hands_over && !is_abroad(me)) -> submit()
#elif defined(MUTATION_HANDED_ABROAD)
        :: goes && hands_over && handed == NONE -> handed = WAITING
        :: goes && !(hands_over && handed == NONE) -> submit()
#else
        :: goes && hands_over && handed == NONE && !is_abroad(me) -> handed = WAITING
        :: goes && !(hands_over && handed == NONE && !is_abroad(me)) -> submit()
#endif
        fi
    :: else
    fi;
    atomic { before = 0; goes = false }
}

/* A limit of the first wait. */
proctype limit()
{
    byte seen;
    bool won;

    if
    :: atomic { limited -> limited = false; limit_runs = true };
#ifdef MUTATION_LIMIT_UNASKED
        won = true;
#elif defined(MUTATION_LIMIT_BY_STORE)
        atomic { assert(!gone); seen = word; won = (seen % 2 == 1 && seen > 1) };
        if
        :: won -> word = seen - 1
        :: else
        fi;
#elif defined(MUTATION_LIMIT_AFTER_LAST)
        atomic { assert(!gone); won = (word % 2 == 1); word = (won -> word - 1 : word) };
#else
        atomic {
            assert(!gone);
            won = (word % 2 == 1 && word > 1);
            word = (won -> word - 1 : word)
        };
#endif
        if
        :: won ->
            atomic { assert(waiter == wait && waits && !complete); timed_out = true; complete = true;
                if
                :: announced -> assert(!submitted); submitted = true
                :: else
                fi
            }
        :: else
        fi;
        limit_runs = false
    :: finished
    fi
}

/* The strand that waits has switched to the scheduler stack. */
inline leave_and_save()
{
#ifndef MUTATION_ANNOUNCED_BEFORE_SAVE
    atomic { assert(user == me && !saved); saved = true };
#endif
#ifndef MUTATION_ANNOUNCED_ON_STACK
    atomic { assert(user == me); user = NONE };
#ifndef MUTATION_ANNOUNCED_BEFORE_TRIM
    trim()
#endif
#endif
}

inline trim()
{
    atomic { assert(user == NONE); trimming = true };
    atomic { assert(user == NONE); trimming = false }
}

/* Lists the decision in the countdown. `before` is 0 if there is nothing to wait for. */
inline list()
{
#ifdef MUTATION_FLAG_BEFORE_WAITER
    atomic { assert(word % 2 == 0); before = word; word++ };
    waiter = wait;
#elif defined(MUTATION_ANNOUNCED_BY_STORE)
    atomic { waiter = wait; before = word };
    word = before + 1;
#else
    waiter = wait;
    atomic { assert(word % 2 == 0); before = word; word++ };
#endif
#ifdef MUTATION_WAITS_IN_VAIN
    before = 2;
#endif
}

/* Announces the waiter to the decision. */
inline announce()
{
    atomic { goes = complete; announced = true };
#ifdef MUTATION_ANNOUNCED_BEFORE_SAVE
    saved = true;
#endif
#ifdef MUTATION_ANNOUNCED_ON_STACK
    atomic { assert(user == me); user = NONE };
#endif
#ifdef MUTATION_ANNOUNCED_BEFORE_TRIM
    trim()
#endif
}

proctype worker(byte me)
{
    byte s = NONE;              /* the signaller that runs here */
    byte i;
    byte before;
    byte handed = NONE;         /* what this worker goes on with */
    bool goes;                  /* the strand that waits is to go on */
    bool act;                   /* the strand that runs here has asked for a last act */

    if
    :: me == 0 -> atomic { user = 0; goto next_wait }
    :: else
    fi;

search:
    atomic {
        assert(handed == NONE && !act);
        s = NONE; before = 0; goes = false;
        if
        :: submitted && !is_abroad(me) -> submitted = false; goto go_on_with_waiting
        :: queued[0] -> s = 0
        :: SIGNALLERS > 1 && queued[1] -> s = 1
        :: SIGNALLERS > 2 && queued[SIGNALLERS - 1] -> s = SIGNALLERS - 1
        :: finished -> goto retire
        fi;
        queued[s] = false
    };
    if
    :: s == 0 -> goto signals_twice
    :: s != 0 -> goto signals
    :: s != 0 -> goto asks
    fi;

signals:                        /* signal() */
    signal(false);
    goto leaves;

signals_twice:                  /* two last acts, of which the first is done at the second call */
    atomic { assert(!gone); word = word + 2; missing++ };
#ifndef MUTATION_ACT_FORGOTTEN
    signal(false);
#endif

asks:                           /* signal_and_end() */
    atomic { asking++; act = true };
#ifdef MUTATION_ACT_ON_STACK
    signal(false);
    atomic { asking--; act = false };
#endif
    if
    :: s == 0 && act ->         /* and for one of another countdown, which replaces this one */
        atomic { asking--; act = false };
#ifdef MUTATION_HANDED_ON_STACK
        signal(true)
#else
        signal(false)
#endif
    :: true
    fi;

leaves:                         /* signaller s has left its stack: settle() */
    atomic { asking = asking - (act -> 1 : 0) };
#ifdef MUTATION_ACT_BEFORE_ARRIVAL
    if
    :: act -> act = false; signal(true)
    :: else
    fi;
#endif
    /* Its arrival is the last one of its join, or not. */
    if
    :: atomic { behind_join[s]++; handed = s }
    :: true
    fi;
    if
    :: act -> act = false; signal(true)
    :: else
    fi;
    if
    :: atomic { handed == NONE -> goto search }
    :: atomic { handed == WAITING -> handed = NONE; goto go_on_with_waiting }
    :: atomic { handed < SIGNALLERS ->
            assert(behind_join[handed] > 0);
            behind_join[handed]--;
            handed = NONE;
            goto search
        }
    fi;

go_on_with_waiting:
    atomic {
        assert(waits && saved && user == NONE && !trimming && !is_abroad(me));
        saved = false;
        user = me
    };

    if
    :: atomic { timed_out && !limit_runs ->
            timed_out = false; complete = false; announced = false; waiter = NONE; goto wait_again
        }
    :: !timed_out
    fi;

goes_on:                        /* wait() returns, after begin_again() */
    atomic {
#ifndef MUTATION_LIMIT_LEFT
        !limit_runs ->
        limited = false;
#endif
        assert(user == me && missing == 0 && asking == 0 && waits);
        waits = false;
        waiter = NONE;          /* the decision lay on its stack */
        complete = false; announced = false;
        assert(word < 2);
        before = 0; goes = false;
#ifndef MUTATION_FLAG_KEPT
        word = 0
#endif
    };

next_wait:
    atomic {
        assert(user == me);
        if
        :: wait == ROUNDS ->
            gone = true;
            user = NONE;
            finished = true;
            goto search
        :: else
        fi;
        wait++;
        waits = true;
        word = word + 2 * SIGNALLERS;   /* add() */
        missing = SIGNALLERS
    };
    atomic {
        for (i : 0 .. SIGNALLERS - 1) { queued[i] = true };
        i = 0
    };
wait_again:
    if
    :: word < 2 -> goto goes_on         /* done(): without switching */
    :: else
    fi;
    list();
    if
    :: before == 0 -> goto goes_on
    :: else -> before = 0
    fi;
    limited = (LIMITS > 0 && wait == 1 && !limit_came);
    atomic { limit_came = limited || limit_came };
    leave_and_save();
    announce();
    if
    :: atomic { goes -> goes = false; goto go_on_with_waiting }
    :: atomic { !goes -> goto search }
    fi;

retire:
    atomic {
        retired++;
        if
        :: retired == WORKERS ->
            for (i : 0 .. SIGNALLERS - 1) {
                assert(!queued[i] && behind_join[i] == 0)
            };
            assert(!submitted && asking == 0)
        :: else
        fi
    }
}

init
{
    atomic {
        byte w;
        for (w : 0 .. WORKERS - 1) { run worker(w) };
        if
        :: LIMITS > 0 -> run limit()
        :: else
        fi
    }
}
