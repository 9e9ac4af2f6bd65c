/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thieves that run what they have stolen on the stack of an ancestor that is
 * suspended at its join.
 * Implemented in variants/stacks/offered_stack.hpp and
 * variants/fork/queued_children.hpp.
 *
 * Modelled: frame 0 forks frame 1, joins, forks leaf 3, and joins again. Frame 1
 * forks frame 2 and leaf 4, and frame 2 the leaves 5 and 6. WORKERS workers steal
 * children. A frame whose children were stolen leaves its stack and offers it; a
 * thief looks at each ancestor, the nearest first, and takes over the stack of one
 * that offers it, or takes a new one. Each node begins on at most one new stack,
 * which has its number.
 *
 * Abstracted: the deque is exact (deque_asymmetric.pml checks it) and gives a
 * thief the oldest child; memory is sequentially consistent.
 *
 * Checked: each child runs once; each frame goes on once for each join, after the
 * children have ended; one worker at a time is on a stack; whatever goes on, or
 * calls a child, is the bottommost there; nobody touches a frame that has ended;
 * everything ends (else an invalid end state). The frames that may lie on a
 * stack below one another are ancestors.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_TAKE_OVER_WITHOUT_EXCHANGE  a thief reads the offer, and withdraws it later
 *   MUTATION_ANY_FRAME               a thief takes over a frame that does not wait for the child, and
 *                                    which goes on while the child is below it
 *   MUTATION_OFFERED_EARLY           a frame offers its stack before the worker has left it
 *   MUTATION_OFFERED_LATE            a frame offers its stack after it has arrived
 *   MUTATION_ARRIVES_EARLY           a child arrives before the worker has left the ancestor's stack
 *   MUTATION_ARRIVES_FIRST           a child arrives before the ancestor offers its stack again
 *   MUTATION_STILL_OFFERED           a frame goes on and still offers its stack
 */

#ifndef WORKERS
#define WORKERS 3
#endif
#define NOBODY 255

#define INNER 3                 /* nodes 0..2 are frames, nodes 3..6 are leaves */
#define NODES 7
#define is_leaf(n) ((n) >= INNER)
#define parent(c) ((c) == 1 || (c) == 3 -> 0 : ((c) == 2 || (c) == 4 -> 1 : 2))

/* The lowest number on the deque of a worker was pushed first. */
byte on_deque_of[NODES];

/* How a node that runs began: popped by its frame; on a new stack; or below the ancestor above[n]. */
mtype = { popped, based, called };
mtype began[NODES];
byte above[NODES];

/* A frame has these. */
short word[INNER];
byte taken[INNER];              /* children that it has not popped */
bool offered[INNER];
bool joined_once;               /* frame 0 */
bool sent_home[INNER];          /* whose children have ended, for another worker to go on with */

bool finished;

/* Ghosts, read by the specification only. */
bool alive[INNER], ran[NODES], ended[NODES];
byte stack_of[NODES];
byte user[NODES];               /* of a stack: the worker that is on it */
byte bottom[NODES];             /* of a stack: the node whose frame is the bottommost */

#define stealable(c) (on_deque_of[c] != NOBODY && on_deque_of[c] != me && is_oldest(c))
#define is_oldest(c) \
    (((c) == 1 || on_deque_of[1] != on_deque_of[c]) && \
     ((c) <= 2 || on_deque_of[2] != on_deque_of[c]) && \
     ((c) <= 3 || on_deque_of[3] != on_deque_of[c]) && \
     ((c) <= 4 || on_deque_of[4] != on_deque_of[c]) && \
     ((c) <= 5 || on_deque_of[5] != on_deque_of[c]))

#define leave_stack(n) \
    assert(user[stack_of[n]] == me && bottom[stack_of[n]] == (n)); \
    user[stack_of[n]] = NOBODY
/* The worker goes on, or calls, at the frame of n. */
#define enter_stack(n) \
    assert(user[stack_of[n]] == NOBODY && bottom[stack_of[n]] == (n)); \
    user[stack_of[n]] = me
#define offer(n) \
    assert(alive[n]); \
    offered[n] = true

/* So that states which differ in nothing else are one. */
#define forget(n) \
    began[n] = 0; \
    above[n] = 0; \
    stack_of[n] = 0

#define look_further \
    if \
    :: a == 0 -> goto begin_strand \
    :: else -> a = parent(a); goto look \
    fi

proctype worker(byte me)
{
    byte n;                     /* what runs, or has been taken */
    byte a;                     /* an ancestor, or a child that is popped */
    bool last;

    if
    :: me == 0 -> atomic { n = 0; stack_of[0] = 0; bottom[0] = 0; user[0] = me; goto call }
    :: else
    fi;

search:                         /* on the scheduler stack */
    atomic {
        n = 0; a = 0; last = false;
        if
        :: stealable(1) -> n = 1
        :: stealable(2) -> n = 2
        :: stealable(3) -> n = 3
        :: stealable(4) -> n = 4
        :: stealable(5) -> n = 5
        :: stealable(6) -> n = 6
        :: sent_home[0] -> sent_home[0] = false; n = 0; goto resumed
        :: sent_home[1] -> sent_home[1] = false; n = 1; goto resumed
        :: sent_home[2] -> sent_home[2] = false; n = 2; goto resumed
        :: finished -> goto retire
        fi;
        on_deque_of[n] = NOBODY;
        a = parent(n)
    };

look:                           /* whether frame a offers its stack */
    atomic {
#ifdef MUTATION_ANY_FRAME
        if
        :: alive[0] && offered[0] -> a = 0; goto take_over
        :: alive[1] && offered[1] -> a = 1; goto take_over
        :: alive[2] && offered[2] -> a = 2; goto take_over
        :: else -> goto begin_strand
        fi
#else
        assert(alive[a]);
        if
        :: offered[a] -> goto take_over
        :: else
        fi;
        look_further
#endif
    };

take_over:
#ifdef MUTATION_TAKE_OVER_WITHOUT_EXCHANGE
    atomic { offered[a] = false };
#else
    atomic {                    /* the exchange */
        assert(alive[a]);
        if
        :: offered[a] -> offered[a] = false
        :: else -> look_further
        fi
    };
#endif
    atomic {                    /* the strand of frame a goes on, and calls the child */
        enter_stack(a);
        assert(alive[a]);
        began[n] = called;
        above[n] = a;
        stack_of[n] = stack_of[a];
        bottom[stack_of[n]] = n;
        goto call
    };

begin_strand:
    atomic {
        began[n] = based;
        stack_of[n] = n;
        user[n] = me;
        bottom[n] = n;
        goto call
    };

call:                           /* node n begins */
    atomic {
        a = 0;
        assert(!ran[n]);
        ran[n] = true;
        if
        :: is_leaf(n) -> goto return_from
        :: else ->
            alive[n] = true;
            if
            :: n == 0 -> taken[0] = 1; on_deque_of[1] = me
            :: n == 1 -> taken[1] = 2; on_deque_of[2] = me; on_deque_of[4] = me
            :: n == 2 -> taken[2] = 2; on_deque_of[5] = me; on_deque_of[6] = me
            fi
        fi
    };

join:                           /* frame n pops what was not stolen, the newest first */
    atomic {
        assert(user[stack_of[n]] == me && bottom[stack_of[n]] == n);
        if
        :: n == 0 && on_deque_of[1] == me -> a = 1
        :: n == 0 && on_deque_of[3] == me -> a = 3
        :: n == 1 && on_deque_of[4] == me -> a = 4
        :: n == 1 && on_deque_of[4] != me && on_deque_of[2] == me -> a = 2
        :: n == 2 && on_deque_of[6] == me -> a = 6
        :: n == 2 && on_deque_of[6] != me && on_deque_of[5] == me -> a = 5
        :: else ->
            if
            :: taken[n] == 0 -> goto go_on
            :: taken[n] != 0 && word[n] == -taken[n] -> word[n] = 0; goto go_on
            :: else -> goto suspend
            fi
        fi;
        on_deque_of[a] = NOBODY;
        taken[n]--;
        began[a] = popped;
        stack_of[a] = stack_of[n];
        bottom[stack_of[a]] = a;
        n = a;
        goto call
    };

suspend:                        /* frame n waits for thieves */
#ifdef MUTATION_OFFERED_EARLY
    atomic { offer(n) };
    atomic { leave_stack(n) };
#else
    atomic { leave_stack(n) };
#ifndef MUTATION_OFFERED_LATE
    atomic { offer(n) };
#endif
#endif
    atomic {
        assert(alive[n]);
        word[n] = word[n] + taken[n];
        last = (word[n] == 0)
    };
#ifdef MUTATION_OFFERED_LATE
    atomic { offer(n) };
#endif
    atomic {
        if
        :: last -> goto all_arrived
        :: else -> goto search
        fi
    };

return_from:                    /* node n has ended */
    atomic {
        ended[n] = true;
        if
        :: n == 0 -> finished = true; user[stack_of[0]] = NOBODY; goto retire
        :: n != 0 && began[n] == popped ->
            forget(n);
            n = parent(n);
            bottom[stack_of[n]] = n;
            goto join
        :: n != 0 && began[n] == based ->
            leave_stack(n);
            bottom[stack_of[n]] = NOBODY;
            goto arrive
        :: n != 0 && began[n] == called ->  /* a return to the ancestor, which suspends itself */
            a = above[n];
            bottom[stack_of[a]] = a;
            assert(alive[a])
        fi
    };
#ifndef MUTATION_ARRIVES_EARLY
    atomic { leave_stack(a) };
#ifndef MUTATION_ARRIVES_FIRST
    atomic { offer(a) };
#endif
#endif

arrive:
    atomic {
        assert(alive[parent(n)]);
        word[parent(n)]--;
        last = (word[parent(n)] == 0);
#if defined(MUTATION_ARRIVES_EARLY) || defined(MUTATION_ARRIVES_FIRST)
        if
        :: last -> sent_home[parent(n)] = true; last = false
        :: else
        fi
#endif
    };
#if defined(MUTATION_ARRIVES_EARLY) || defined(MUTATION_ARRIVES_FIRST)
    if
    :: began[n] == called ->
#ifdef MUTATION_ARRIVES_EARLY
        atomic { leave_stack(a) };
#endif
        atomic { offer(a) }
    :: else
    fi;
#endif
    atomic {
        forget(n);
        if
        :: last -> n = parent(n); goto all_arrived
        :: else -> goto search
        fi
    };

all_arrived:                    /* at frame n */
    atomic {
        if
        :: true -> goto resumed
        :: true -> sent_home[n] = true; goto search
        fi
    };

resumed:                        /* frame n, on its own stack again */
    atomic { last = false; a = 0; enter_stack(n) };
go_on:                          /* frame n goes on after its join */
    atomic {
        assert(alive[n] && word[n] == 0);
        assert(n != 0 || ended[1]);
        assert(n != 1 || (ended[2] && ended[4]));
        assert(n != 2 || (ended[5] && ended[6]));
#ifndef MUTATION_STILL_OFFERED
        offered[n] = false;
#endif
        taken[n] = 0;
        if
        :: n == 0 && !joined_once ->
            joined_once = true;
            taken[0] = 1;
            on_deque_of[3] = me;
            goto join
        :: else
        fi;
        assert(n != 0 || ended[3]);
        alive[n] = false;
        goto return_from
    };

retire:
    atomic { n = 0; a = 0; last = false }
}

init
{
    atomic {
        byte i;
        for (i : 0 .. NODES - 1) {
            on_deque_of[i] = NOBODY;
            user[i] = NOBODY;
            bottom[i] = NOBODY
        }
        for (i : 0 .. WORKERS - 1) { run worker(i) }
    }
}
