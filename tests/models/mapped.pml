/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapped stacks: workers are processes, and each maps what it needs of the
 * stacks of others at the addresses where they are. docs/mapped.md has the
 * protocol. Implemented in src/mapped/mapping.cpp and src/strand/stack_strategy.hpp.
 *
 * Modelled: a binary tree of two levels of functions, each of which forks once
 * and has its rest stolen or not, and four leaves, run by three workers. Each
 * stack has, while a strand has it, a level, which says at which addresses it
 * is, and a parent, the stack that lies above. Each worker has a space: for each
 * level the stack that it has mapped there. A thief copies the chain of its
 * victim stack by stack, while the victim runs; takes; maps what it lacks; and
 * starts on a stack of its own, one level below the frame that it goes on with.
 *
 * Abstracted: the deque is exact (deque_asymmetric.pml checks it) and gives a
 * thief the oldest continuation if it was there when the thief looked and is
 * there still; free stacks are one set, and taking one is a single step; memory
 * is sequentially consistent.
 *
 * Checked: whenever a function begins, ends or goes on, its worker has mapped,
 * at the level of the frame of each function above it, the very stack on which
 * that frame lies; two workers never run on one stack; no hole is punched into a
 * frame that is alive, nor into a stack that somebody runs on; each function
 * goes on exactly once after both branches; at the end every stack is free.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_COPIED_LATE     the chain is copied after the steal
 *   MUTATION_NOT_ROUNDED     the thief starts on the stack of the frame, below it
 *   MUTATION_NOT_MAPPED      the thief maps its own stack only
 *   MUTATION_MAPPED_ABOVE    it maps all of the chain but the stack of the frame
 *   MUTATION_HOLE_EARLY      a branch that is not the last to arrive frees the
 *                            whole stack, as if nobody came back to it
 *   MUTATION_HOLE_LATE       the hole below the frame is punched after the arrival
 *   MUTATION_PUBLISHED_LATE  a worker says which stack it runs on after it forks
 */

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef STACKS
#define STACKS 5                /* enough: running out is an error here */
#endif
#define LEVELS 4
#define NOBODY 255
#define NO_STACK 255

/* The tree: nodes 0..2 fork, nodes 3..6 are leaves. */
#define INNER 3
#define is_leaf(n) ((n) >= INNER)
#define forked(n) (2 * (n) + 1)
#define rest(n) (2 * (n) + 2)
#define caller(n) (((n) - 1) / 2)
#define is_forked(n) ((n) % 2 == 1)

/* The deques: in whose the rest of this node lies. The older is the smaller. */
byte offered_by[INNER];
bool stolen[INNER];
byte arrived[INNER];            /* the join: of the two branches of a stolen node */
/* The address of a frame says its level. Which stack it is on, the specification
   knows, and whoever comes back to it. */
byte frame_level[INNER];
byte frame_stack[INNER];

/* Stacks. */
bool taken[STACKS];
byte level_of[STACKS];
byte parent[STACKS];
byte user[STACKS];              /* who executes on it */
byte frames[STACKS];            /* ghost: frames of inner nodes on it */

/* Workers. */
byte runs_on[WORKERS];          /* read by thieves */
byte space[WORKERS * LEVELS];

bool went_on[INNER], finished;
byte retired;

#define mapped(l) space[me * LEVELS + (l)]
#define sees(n) (mapped(frame_level[n]) == frame_stack[n])

/* Of node n, everything above which has a frame. */
inline check_view(n)
{
    assert(mapped(level_of[stack]) == stack && user[stack] == me);
    if
    :: n != 0 ->
        assert(sees(caller(n)));
        if
        :: caller(n) != 0 -> assert(sees(caller(caller(n))))
        :: else
        fi
    :: else
    fi
}

inline enter(s)
{
    assert(user[s] == NOBODY && taken[s]);
    user[s] = me;
    stack = s
}

inline take_stack(l, above)
{
    if
    :: !taken[0] -> own = 0
    :: else ->
        if
        :: !taken[1] -> own = 1
        :: else ->
            if
            :: !taken[2] -> own = 2
            :: else ->
                if
                :: !taken[3] -> own = 3
                :: else -> assert(!taken[4]); own = 4
                fi
            fi
        fi
    fi;
    taken[own] = true;
    level_of[own] = l;
    parent[own] = above;
    mapped(l) = own
}

inline punch_whole(s)
{
    assert(frames[s] == 0 && user[s] == NOBODY);
    taken[s] = false
}

inline punch_below(s)
{
    assert(user[s] == NOBODY)
}

/* One step for each stack: they may be at other places by the next one. */
inline copy_chain()
{
    atomic { s = runs_on[v]; l = 0; table[0] = NO_STACK; table[1] = NO_STACK; table[2] = NO_STACK };
    do
    :: atomic { s != NO_STACK && l < LEVELS ->
        if
        :: level_of[s] < LEVELS -> table[level_of[s]] = s
        :: else
        fi;
        s = parent[s]; l++ }
    :: atomic { else -> s = NO_STACK; l = 0; break }
    od
}

proctype worker(byte me)
{
    byte stack = NO_STACK;
    byte own = NO_STACK;
    byte n, v, s, l;
    byte table[LEVELS];
    bool last;

    if
    :: me == 0 ->
        atomic {
            take_stack(0, NO_STACK); enter(own); runs_on[me] = own; own = NO_STACK
        };
        goto call
    :: else -> goto search
    fi;

search:                         /* on the scheduler stack */
    atomic {
        n = 0; v = 0; s = NO_STACK; l = 0; own = NO_STACK; stack = NO_STACK; last = false;
        if
        :: offered_by[0] != NOBODY && offered_by[0] != me -> n = 0
        :: offered_by[1] != NOBODY && offered_by[1] != me && offered_by[1] != offered_by[0] -> n = 1
        :: offered_by[2] != NOBODY && offered_by[2] != me && offered_by[2] != offered_by[0] -> n = 2
        :: finished -> goto retire
        fi;
        v = offered_by[n]
    };
#ifndef MUTATION_COPIED_LATE
    copy_chain();
#endif
    atomic {
        if
        :: offered_by[n] == v -> offered_by[n] = NOBODY; stolen[n] = true
        :: else -> goto search
        fi
    };
#ifdef MUTATION_COPIED_LATE
    copy_chain();
#endif
    /* From here on the frame waits for this worker, and so does all that is above it. */
#ifndef MUTATION_NOT_MAPPED
    atomic {
        mapped(0) = table[0];
        if
        :: frame_level[n] >= 1 -> mapped(1) = table[1]
        :: else
        fi;
        if
        :: frame_level[n] >= 2 -> mapped(2) = table[2]
        :: else
        fi;
#ifdef MUTATION_MAPPED_ABOVE
        mapped(frame_level[n]) = NO_STACK;
#endif
        skip
    };
#endif
#ifdef MUTATION_NOT_ROUNDED
    atomic { assert(sees(n)); enter(frame_stack[n]); runs_on[me] = stack; n = rest(n) };
    goto call;
#endif
    atomic {
        assert(table[frame_level[n]] != NO_STACK);
        take_stack(frame_level[n] + 1, table[frame_level[n]]);
        enter(own);
#ifndef MUTATION_PUBLISHED_LATE
        runs_on[me] = own;
#endif
        own = NO_STACK; table[0] = 0; table[1] = 0; table[2] = 0; v = 0;
        assert(sees(n));
        n = rest(n)
    };
    goto call;

call:                           /* node n begins, on `stack` */
    atomic {
        check_view(n);
        if
        :: is_leaf(n) -> goto return_from
        :: else ->
            frame_stack[n] = stack;
            frame_level[n] = level_of[stack];
            frames[stack]++;
            offered_by[n] = me;
            n = forked(n)
        fi
    };
#ifdef MUTATION_PUBLISHED_LATE
    runs_on[me] = stack;
#endif
    goto call;

return_from:                    /* node n has ended, on `stack` */
    atomic {
        check_view(n);
        if
        :: n == 0 -> goto end
        :: else
        fi;
        if
        :: is_forked(n) ->
            n = caller(n);
            if
            :: offered_by[n] == me -> offered_by[n] = NOBODY; n = rest(n); goto call
            :: else -> goto child_arrives
            fi
        :: else ->
            n = caller(n);
            if
            :: stolen[n] -> goto function_arrives
            :: else -> goto go_on
            fi
        fi
    };

child_arrives:                  /* the child of node n, whose frame lies on `stack` */
    atomic {
        assert(stack == frame_stack[n] && user[stack] == me);
        user[stack] = NOBODY    /* to the scheduler stack */
    };
#ifdef MUTATION_HOLE_EARLY
    punch_whole(stack);
#elif !defined(MUTATION_HOLE_LATE)
    atomic { punch_below(stack) };
#endif
    atomic { last = arrived[n] == 1; arrived[n]++ };
#ifdef MUTATION_HOLE_LATE
    atomic { punch_below(stack) };
#endif
    goto after_arrival;

function_arrives:               /* node n itself, at its join, on a thief's stack */
    atomic { assert(user[stack] == me); user[stack] = NOBODY };
    atomic { punch_whole(stack) };
    atomic { last = arrived[n] == 1; arrived[n]++ };
    goto after_arrival;

after_arrival:                  /* the space is what it was: it is this worker's own */
    if
    :: last ->
        atomic {
            last = false;
            assert(sees(n));
            enter(frame_stack[n]);
            runs_on[me] = stack
        };
        goto go_on
    :: else -> goto search
    fi;

go_on:                          /* node n goes on behind its join */
    atomic {
        assert(!went_on[n] && frame_stack[n] == stack && frames[stack] > 0);
        assert(!stolen[n] || arrived[n] == 2);
        went_on[n] = true;
        frames[stack]--;
        goto return_from
    };

end:
    atomic {
        finished = true;
        user[stack] = NOBODY;
        punch_whole(stack);
        goto retire
    };

retire:
    atomic {
        retired++;
        if
        :: retired == WORKERS ->
            for (l : 0 .. STACKS - 1) {
                assert(!taken[l] && user[l] == NOBODY && frames[l] == 0)
            }
        :: else
        fi
    }
}

init
{
    atomic {
        byte w;
        for (w : 0 .. INNER - 1) { offered_by[w] = NOBODY; frame_stack[w] = NO_STACK }
        for (w : 0 .. STACKS - 1) { user[w] = NOBODY; parent[w] = NO_STACK }
        for (w : 0 .. WORKERS * LEVELS - 1) { space[w] = NO_STACK }
        for (w : 0 .. WORKERS - 1) { runs_on[w] = NO_STACK }
        for (w : 0 .. WORKERS - 1) { run worker(w) }
    }
}
