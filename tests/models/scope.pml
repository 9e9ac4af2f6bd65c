/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spawned functions: how they are counted, who lets the joiner go on, who frees a hinted one.
 * Implemented in include/nopal/detail/async/spawned_function.hpp and near_call.hpp, and in
 * src/async/spawned_function.cpp and scope.cpp; the end in src/scheduler/search.cpp.
 *
 * Modelled: a joiner spawns functions 0 and 1 in scope 0 and joins it, spawns 2 in it, and
 * one in scope 1, and joins and destroys both. Another thread spawns the last function in
 * scope 0 meanwhile. With LIMITS=1 a limit may end one wait of the joiner, which then joins
 * again. Function 0 and, with HINTS=2, the last one are hinted: a second way
 * leads to them, through the inbox of worker 0. WORKERS workers take functions from a common
 * queue and run several in a row on one stack; functions 1 and 4 may throw. When both
 * scopes are gone the runtime ends.
 *
 * A scope has one atomic word, {number, joining}. Each change of it, and of the state of a
 * hinted function, is one atomic operation: a compare-and-swap that fails is tried again.
 *
 * Abstracted: queues and inboxes are exact, and their order is arbitrary; memory is
 * sequentially consistent; the joiner waits as a process of its own; a limit withdraws
 * as in countdown.pml, and does not run on beside the joiner.
 *
 * Checked: no scope and no function is touched when it is gone; a function runs once; a join
 * returns when all that the joiner has spawned has ended; the joiner is let go on once for
 * each wait, and handed a worker only by one that has left its stack; nobody reads the
 * exception of a scope while it is written; at the end every function is freed.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_JOINER_LEFT         the last signal leaves the joiner in the word, who takes
 *                                itself off when it goes on
 *   MUTATION_JOINS_ANYHOW        the joiner announces itself even if the number is 0
 *   MUTATION_LIMIT_UNASKED       (LIMITS) a limit leaves the joiner in the word
 *   MUTATION_COUNTED_LATE        a function is counted when it is queued already
 *   MUTATION_SIGNALLED_EARLY     a function is signalled when it begins
 *   MUTATION_LAST_ON_STACK       the last signal of a row comes before the stack is left
 *   MUTATION_LAST_SIGNALLED_TWICE the batch at the end of a row has the last one as well
 *   MUTATION_OTHER_SCOPE         a row goes on with another scope and signals later
 *   MUTATION_HINT_BY_STORE       the ways to a hinted function look, and then store
 *   MUTATION_FREED_BY_RUNNER     whoever has run a hinted function frees it
 *   MUTATION_FREED_BY_SECOND     whoever comes second frees it
 *   MUTATION_SECOND_LEAVES       whoever comes second never frees it
 *   MUTATION_SECOND_READS_SCOPE  whoever comes second looks at the function's scope
 *   MUTATION_FLAG_FIRST          the joiner says that no exception is there, and then takes it
 *   MUTATION_NOTED_AT_ONCE       whoever notes an exception says so before it is there
 *   MUTATION_STOP_READ_LATE      a worker sees nothing queued, then that the runtime ends
 */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef HINTS
#define HINTS 1
#endif
#ifndef LIMITS
#define LIMITS 0
#endif
#define FUNCTIONS 5
#define NONE 9
#define scope_of(f) ((f) == 3 -> 1 : 0)
#define hinted(f) ((f) == 0 || (HINTS > 1 && (f) == 4))
#define may_throw(f) ((f) == 1 || (f) == 4)

/* The word of each scope. */
byte number[2];
bool joining[2];
bool scope_gone[2];

/* The functions. */
bool queued[FUNCTIONS];
bool in_inbox[FUNCTIONS];       /* of worker 0: the way of the hint */
byte state[FUNCTIONS];          /* of a hinted one: the sum of what has happened */
#define arrival 1
#define function_ended 4
bool made[FUNCTIONS];
bool freed[FUNCTIONS];
bool has_run[FUNCTIONS];
bool has_ended[FUNCTIONS];

/* The exception of scope 0 and who touches it. */
mtype = { none, being_noted, noted };
mtype exception = none;
byte touching;

/* The joiner. */
bool waits;
bool may_go_on;
bool others_spawn = true;
bool limit_came;

bool on_stack[WORKERS];
bool stopping;
byte ended_workers;

#define something_queued (queued[0] || queued[1] || queued[2] || queued[3] || queued[4])
#define something_in_inbox (in_inbox[0] || in_inbox[4])
#define nothing_for(w) (!something_queued && !(w == 0 && something_in_inbox))

inline free(f)
{
    atomic { assert(!freed[f]); freed[f] = true }
}

/* One of two ways has led here. */
inline arrive(f)
{
    first = true;
    if
    :: hinted(f) ->
        assert(!freed[f]);
#ifdef MUTATION_HINT_BY_STORE
        before = state[f];
        state[f] = before + arrival;
#else
        atomic { before = state[f]; state[f] = before + arrival };
#endif
        first = (before == 0);
#ifdef MUTATION_SECOND_READS_SCOPE
        assert(!scope_gone[scope_of(f)]);
#endif
        if
#ifdef MUTATION_FREED_BY_SECOND
        :: before != 0 -> free(f)
#elif !defined(MUTATION_SECOND_LEAVES)
        :: before == arrival + function_ended -> free(f)
#endif
        :: else
        fi
    :: else
    fi;
    before = 0
}

inline signal(s, n)
{
    atomic {
        assert(!scope_gone[s] && number[s] >= (n));
        number[s] = number[s] - (n);
        wakes = (number[s] == 0 && joining[s]);
#ifndef MUTATION_JOINER_LEFT
        if
        :: wakes -> joining[s] = false
        :: else
        fi
#endif
    };
    if
    :: wakes -> atomic { assert(waits && !may_go_on); may_go_on = true; wakes = false }
    :: else
    fi
}

inline note()
{
    atomic {
        first = (exception == none);
        if
#ifdef MUTATION_NOTED_AT_ONCE
        :: first -> exception = noted
#else
        :: first -> exception = being_noted
#endif
        :: else
        fi
    };
    if
    :: first ->
        atomic { assert(touching == 0); touching++ };
        touching--;
#ifndef MUTATION_NOTED_AT_ONCE
        exception = noted
#endif
    :: else
    fi
}

/* Takes any function that is queued. */
inline take()
{
    if
    :: queued[0] -> queued[0] = false; f = 0
    :: queued[1] -> queued[1] = false; f = 1
    :: queued[2] -> queued[2] = false; f = 2
    :: queued[3] -> queued[3] = false; f = 3
    :: queued[4] -> queued[4] = false; f = 4
    fi
}

proctype worker(byte me)
{
    byte f = NONE;
    byte row_of = NONE;             /* the scope of those that have ended in this row */
    byte ended = 0;             /* and their number, not signalled yet */
    byte before;
    bool first;
    bool wakes;

search:
    atomic { f = NONE; row_of = NONE; ended = 0; first = false };
    if
    :: atomic { something_queued -> take() }
    :: atomic { me == 0 && in_inbox[0] -> in_inbox[0] = false; f = 0 }
    :: atomic { me == 0 && in_inbox[4] -> in_inbox[4] = false; f = 4 }
#ifdef MUTATION_STOP_READ_LATE
    :: nothing_for(me) ->
        if
        :: stopping -> goto end
        :: else -> goto search
        fi
#else
    :: stopping ->
        if
        :: nothing_for(me) -> goto end
        :: else -> goto search
        fi
#endif
    fi;
    arrive(f);
    if
    :: !first -> goto search
    :: else
    fi;
    on_stack[me] = true;

row:
    atomic { assert(!has_run[f] && !freed[f] && !scope_gone[scope_of(f)]); has_run[f] = true };
#ifdef MUTATION_SIGNALLED_EARLY
    signal(scope_of(f), 1);
#endif
    if
    :: may_throw(f) -> note()
    :: true
    fi;
    atomic { assert(!freed[f]); has_ended[f] = true };
    if
#ifndef MUTATION_FREED_BY_RUNNER
    :: hinted(f) ->
        atomic { before = state[f]; state[f] = before + function_ended };
        if
        :: before == 2 * arrival -> free(f)
        :: else
        fi
#endif
    :: else -> free(f)
    fi;
#ifndef MUTATION_SIGNALLED_EARLY
    atomic { row_of = scope_of(f); ended++; f = NONE; before = 0 };
#endif

next:                           /* in the row, or its end */
    if
    :: atomic { something_queued -> take() }
    :: true -> goto end_of_row
    fi;
    arrive(f);
    if
    :: !first -> f = NONE; goto next
    :: else
    fi;
#ifndef MUTATION_OTHER_SCOPE
    if
    :: row_of != scope_of(f) && ended > 0 -> signal(row_of, ended); ended = 0
    :: else
    fi;
#endif
    goto row;

end_of_row:
#ifdef MUTATION_LAST_SIGNALLED_TWICE
    signal(row_of, ended);
    ended = 1;
#else
    if
    :: ended > 1 -> signal(row_of, ended - 1); ended = 1
    :: else
    fi;
#endif
#ifndef MUTATION_LAST_ON_STACK
    on_stack[me] = false;
#endif
    if
    :: ended > 0 ->
        assert(!on_stack[me]);  /* the joiner is handed this worker */
        signal(row_of, ended)
    :: else
    fi;
    on_stack[me] = false;
    goto search;

end:
    ended_workers++
}

inline spawn(f)
{
#ifndef MUTATION_COUNTED_LATE
    atomic { assert(!scope_gone[scope_of(f)]); number[scope_of(f)]++; made[f] = true };
#endif
    queued[f] = true;
#ifdef MUTATION_COUNTED_LATE
    atomic { assert(!scope_gone[scope_of(f)]); number[scope_of(f)]++; made[f] = true };
#endif
    if
    :: hinted(f) -> atomic { assert(!freed[f]); in_inbox[f] = true }
    :: else
    fi
}

inline join(s)
{
    do
    :: number[s] == 0 -> break
    :: else ->
        waits = true;
        atomic {                /* the strand has left its stack */
            if
#ifndef MUTATION_JOINS_ANYHOW
            :: number[s] == 0 -> waits = false
#endif
            :: else -> joining[s] = true
            fi
        };
        if
        :: waits ->
            if
            :: atomic { may_go_on -> may_go_on = false; waits = false };
#ifdef MUTATION_JOINER_LEFT
                atomic { number[s] = 0; joining[s] = false };
#endif
                break
            :: atomic { LIMITS > 0 && !limit_came && joining[s] ->
                    limit_came = true;
#ifndef MUTATION_LIMIT_UNASKED
                    joining[s] = false;
#endif
                    waits = false
                }
            fi
        :: else -> break
        fi
    od;
    atomic {
        for (i : 0 .. 3) {
            assert(!made[i] || scope_of(i) != s || has_ended[i])
        }
        i = 0
    }
}

inline take_exception()
{
#ifdef MUTATION_FLAG_FIRST
    atomic { first = (exception == noted); exception = none };
#else
    first = (exception == noted);
#endif
    if
    :: first ->
        atomic { assert(touching == 0); touching++ };
        touching--;
#ifndef MUTATION_FLAG_FIRST
        exception = none
#endif
    :: else
    fi;
    first = false
}

proctype joiner()
{
    byte i;
    bool first;

    spawn(0);
    spawn(1);
    join(0);
    take_exception();
    spawn(2);
    spawn(3);
    join(1);
    scope_gone[1] = true;
    !others_spawn;
    join(0);
    take_exception();
    scope_gone[0] = true;
    stopping = true;
    ended_workers == WORKERS;
    for (i : 0 .. FUNCTIONS - 1) {
        assert(freed[i])
    }
}

proctype other()
{
    spawn(4);
    others_spawn = false
}

init
{
    atomic {
        byte w;
        for (w : 0 .. WORKERS - 1) {
            run worker(w)
        }
        run joiner();
        run other()
    }
}
