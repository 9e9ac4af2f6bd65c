/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two-way join of parallel_invoke(f, g), and how stacks change hands.
 * Implemented in include/nopal/detail/join/two_way_join.hpp and src/join/two_way_join.cpp.
 *
 * Modelled: a binary tree of two levels of parallel_invoke (three joins, four
 * leaves), run ROUNDS times by three workers. Each join is one atomic word,
 * by which a thief, some time after the steal, also knows what it is to run.
 * Between f and g there may be a third closure, a leaf, for which the owner
 * pushes the join once more as it is.
 * Each stack has at every moment one place where it is (in use, suspended,
 * somebody's spare, in the pool), a saved context or none, and a mark while
 * its pages are trimmed. Each worker keeps at most one spare stack; a further
 * one goes to the pool, where any worker may take it at once.
 *
 * Abstracted: the deque is exact (deque_asymmetric.pml checks it) and gives a
 * thief the oldest continuation; the pool is one atomic step; memory is
 * sequentially consistent.
 *
 * Checked: each parent goes on exactly once, after both f and g; a stack is
 * resumed only with its context saved, and never while somebody runs on it or
 * trims it; no stack is in two hands; at the end every stack is a spare or in
 * the pool; every join goes on (else an invalid end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_ANNOUNCE_BEFORE_TRIM   the owner announces before trimming
 *   MUTATION_ANNOUNCE_BEFORE_SAVE   the owner announces before saving its context
 *   MUTATION_ANNOUNCE_ON_STACK      the owner announces before leaving its stack
 *   MUTATION_OWNER_LOADS            the owner loads and stores instead of exchanging
 *   MUTATION_THIEF_LOADS            so does the thief
 *   MUTATION_POOL_BEFORE_LEAVING    a thief pools the stack that it still runs on
 *   MUTATION_AGAIN_ANYHOW           the owner pushes once more what was stolen
 *   MUTATION_NOT_KEPT               the owner's arrival overwrites what the thief is to run
 *   MUTATION_KEPT_LATE              the owner keeps that only after its arrival
 */

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef STACKS
#define STACKS 5                /* enough: running out is an error here */
#endif
#define NOBODY 255
#define NO_STACK 255

/* The tree: nodes 0..2 call parallel_invoke, nodes 3..6 are leaves. */
#define INNER 3
#define NODES 7
#define is_leaf(n) ((n) >= INNER)
#define f_of(n) (2 * (n) + 1)
#define g_of(n) (2 * (n) + 2)
#define caller(n) (((n) - 1) / 2)
#define is_f(n) ((n) % 2 == 1)

/* The join word of each node. */
mtype = { running, suspended, done };
mtype state[INNER];
byte suspended_stack[INNER];    /* saved in the frame, beside the context */
bool kept[INNER];               /* whether the owner keeps what the thief is to run */

/* The deques: in whose the closure g of this node lies. */
byte offered_by[INNER];
bool stolen[INNER];             /* g is the base of the stack that it runs on */

/* The stacks. */
mtype = { pooled, spared, in_use, left };
mtype place[STACKS];
byte user[STACKS];              /* who executes on it */
bool context_saved[STACKS];
bool trimming[STACKS];

/* Ghosts, read by the specification only. */
bool f_finished[INNER], g_finished[INNER], went_on[INNER];
byte round;
bool finished;
byte retired;

inline enter(s)
{
    assert(user[s] == NOBODY && !trimming[s]);
    user[s] = me;
    place[s] = in_use
}

/* The worker has moved from its stack, now empty, to the scheduler stack. */
inline leave_empty(s)
{
    assert(user[s] == me && place[s] == in_use && !trimming[s] && !context_saved[s]);
    user[s] = NOBODY
}

/* The stack just left is the spare, or, where there is one, goes to the pool. */
inline put_away(s)
{
    if
    :: spare == NO_STACK -> place[s] = spared; spare = s
    :: else -> assert(place[spare] == spared); place[s] = pooled
    fi
}

inline resume(p)
{
    assert(user[suspended_stack[p]] == NOBODY && !trimming[suspended_stack[p]]);
    assert(place[suspended_stack[p]] == left && context_saved[suspended_stack[p]]);
    stack = suspended_stack[p];
    context_saved[stack] = false;
    enter(stack)
}

inline trim(s)
{
    atomic { assert(user[s] == NOBODY && place[s] == left); trimming[s] = true };
    atomic { assert(user[s] == NOBODY && place[s] == left); trimming[s] = false }
}

proctype worker(byte me)
{
    byte stack = NO_STACK;
    byte spare = NO_STACK;
    byte n;                     /* the node that runs: the top frame of the stack */
    byte i;
    mtype old;

    if
    :: me == 0 -> atomic { stack = 0; enter(stack) }; goto call
    :: else -> goto search
    fi;

search:                         /* on the scheduler stack */
    atomic {
        stack = NO_STACK; n = 0; old = 0;
        if
        :: offered_by[0] != NOBODY -> n = 0
        :: offered_by[1] != NOBODY && offered_by[1] != offered_by[0] -> n = 1
        :: offered_by[2] != NOBODY && offered_by[2] != offered_by[0] -> n = 2
        :: finished -> goto retire
        fi;
        assert(offered_by[n] != me);
        offered_by[n] = NOBODY;
        stolen[n] = true;
        n = g_of(n)
    };
    atomic {                    /* a stack for it: the spare first, then the pool */
        if
        :: spare != NO_STACK ->
            assert(place[spare] == spared);
            stack = spare;
            spare = NO_STACK
        :: else ->
            if
            :: place[0] == pooled -> stack = 0
            :: place[1] == pooled -> stack = 1
            :: place[2] == pooled -> stack = 2
#if STACKS > 3
            :: place[3] == pooled -> stack = 3
#endif
#if STACKS > 4
            :: place[4] == pooled -> stack = 4
#endif
            :: else -> assert(false)
            fi
        fi;
        enter(stack)
    };
    atomic {                    /* what it is to run: the word says so, or the owner does */
        assert(state[caller(n)] == running || (state[caller(n)] == suspended && kept[caller(n)]));
        goto call
    };

call:                           /* node n begins, on `stack` */
    atomic {
        assert(user[stack] == me && !trimming[stack]);
        if
        :: is_leaf(n) -> goto return_from
        :: else ->
            state[n] = running; /* plain: nobody else knows this frame yet */
            suspended_stack[n] = NO_STACK;
            stolen[n] = false;
            kept[n] = false;
            f_finished[n] = false; g_finished[n] = false; went_on[n] = false;
            offered_by[n] = me;
            n = f_of(n);
            goto call
        fi
    };

return_from:                    /* node n has finished, on `stack` */
    atomic {
        assert(user[stack] == me && !trimming[stack]);
        if
        :: n == 0 -> goto end_of_round
        :: else
        fi;
        if
        :: is_f(n) ->
            n = caller(n);
            f_finished[n] = true;
#ifdef MUTATION_AGAIN_ANYHOW
            if
            :: true -> goto push_again
            :: true
            fi;
#endif
            if
            :: offered_by[n] == me -> offered_by[n] = NOBODY; goto push_again
            :: offered_by[n] == me -> offered_by[n] = NOBODY; n = g_of(n); goto call
            :: else -> goto join
            fi
        :: else ->
            n = caller(n);
            g_finished[n] = true;
            if
            :: stolen[n] -> goto thief_join
            :: else -> goto go_on
            fi
        fi
    };

push_again:                     /* for the closure between f and g of node n */
    atomic { assert(state[n] == running); offered_by[n] = me };
    atomic {                    /* that closure has returned */
        if
        :: offered_by[n] == me -> offered_by[n] = NOBODY; n = g_of(n); goto call
        :: else -> goto join
        fi
    };

join:                           /* the owner of node n has found g stolen */
    if
    :: state[n] == done -> goto go_on   /* without switching */
    :: else
    fi;
    /* Thieves take the oldest first, so nothing is left in this deque. */
    assert(offered_by[0] != me && offered_by[1] != me && offered_by[2] != me);
#if !defined(MUTATION_NOT_KEPT) && !defined(MUTATION_KEPT_LATE)
    kept[n] = true;
#endif
#ifdef MUTATION_ANNOUNCE_BEFORE_SAVE
    atomic { suspended_stack[n] = stack; user[stack] = NOBODY; place[stack] = left };
    trim(stack);
    atomic { old = state[n]; state[n] = suspended };
    context_saved[stack] = true;
#elif defined(MUTATION_ANNOUNCE_ON_STACK)
    atomic { suspended_stack[n] = stack; context_saved[stack] = true; place[stack] = left };
    atomic { old = state[n]; state[n] = suspended };
    atomic { assert(user[stack] == me); user[stack] = NOBODY };
#elif defined(MUTATION_ANNOUNCE_BEFORE_TRIM)
    atomic { suspended_stack[n] = stack; context_saved[stack] = true };
    atomic { user[stack] = NOBODY; place[stack] = left };
    atomic { old = state[n]; state[n] = suspended };
    trim(stack);
#else
    atomic { suspended_stack[n] = stack; context_saved[stack] = true };
    atomic { user[stack] = NOBODY; place[stack] = left };   /* to the scheduler stack */
    trim(stack);
#ifdef MUTATION_OWNER_LOADS
    old = state[n];
    state[n] = suspended;
#else
    atomic { old = state[n]; state[n] = suspended };
#endif
#endif
#ifdef MUTATION_KEPT_LATE
    kept[n] = true;
#endif
    /* From here on the frame and the stack belong to whoever resumes them. */
    if
    :: old == done -> atomic { old = 0; resume(n) }; goto go_on
    :: else -> goto search
    fi;

thief_join:                     /* stolen g of node n has returned to the base of `stack` */
#ifdef MUTATION_POOL_BEFORE_LEAVING
    atomic { put_away(stack) };
    atomic { assert(user[stack] == me); user[stack] = NOBODY };
#else
    atomic { leave_empty(stack) };      /* to the scheduler stack */
    atomic { put_away(stack) };         /* from here on it may be another's */
#endif
#ifdef MUTATION_THIEF_LOADS
    old = state[n];
    state[n] = done;
#else
    atomic { old = state[n]; state[n] = done };
#endif
    /* Unless old is suspended, the frame of node n may be gone by now. */
    if
    :: old == suspended -> atomic { old = 0; resume(n) }; goto go_on
    :: else -> goto search
    fi;

go_on:                          /* node n continues after its join, on `stack` */
    atomic {
        assert(user[stack] == me && !trimming[stack]);
        assert(f_finished[n] && g_finished[n] && !went_on[n]);
        went_on[n] = true;
        goto return_from
    };

end_of_round:
    atomic {
        round++;
        if
        :: round < ROUNDS -> goto call
        :: else -> finished = true; leave_empty(stack); put_away(stack); goto retire
        fi
    };

retire:
    atomic {
        retired++;
        if
        :: retired == WORKERS ->
            for (i : 0 .. STACKS - 1) {
                assert(place[i] == pooled || place[i] == spared);
                assert(user[i] == NOBODY && !trimming[i] && !context_saved[i])
            }
        :: else
        fi
    }
}

init
{
    atomic {
        byte w;
        for (w : 0 .. INNER - 1) { offered_by[w] = NOBODY; suspended_stack[w] = NO_STACK }
        for (w : 0 .. STACKS - 1) { place[w] = pooled; user[w] = NOBODY }
        for (w : 0 .. WORKERS - 1) { run worker(w) }
    }
}
