/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that keep their stack while they wait, and children that are given
 * back to them.
 * Implemented in variants/stacks/waiting_frame.hpp and
 * variants/fork/queued_children.hpp.
 *
 * Modelled: a tree of three frames with two children each (four leaves), run by
 * WORKERS workers that steal children. A frame whose children were stolen runs,
 * below itself, what it steals or what was given back to it. A rule may forbid
 * what it has stolen: then it gives that child back to the frame that has forked
 * it. Which frames may steal at all is chosen at the start; what the rule forbids
 * is chosen anew at each steal. STOPS times a strand stops for something else
 * than a join: what it has forked goes to the scheduler's inbox, and frames on
 * its stack leave the stack where they would wait.
 *
 * Abstracted: the deque is exact (deque_asymmetric.pml checks it) and gives a
 * thief the oldest child; leaving a stack and resuming it are one step
 * (join_split.pml checks them); memory is sequentially consistent.
 *
 * Checked: each child runs once; each frame goes on once, after both children
 * have ended; nobody touches a frame that has ended; everything ends (else an
 * invalid end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_LEAVES_UNNOTED  a child is given back to a frame that has left
 *   MUTATION_NOTED_LATE      the frame looks into its list before it notes that it leaves
 *   MUTATION_LEFT_UNLOOKED   a frame that leaves does not look into its list
 *   MUTATION_THEFT_LATE      a thief takes itself off the frame's list after it has arrived
 *   MUTATION_GIVER_ARRIVES   whoever gives a child back arrives for it
 *   MUTATION_RESUMED_BELOW   a child that runs below a frame resumes another frame itself
 *   MUTATION_WAITS_ANYHOW    a frame waits on a stack that was left before, beside an inbox that
 *                            nobody looks into
 */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef STOPS
#define STOPS 1
#endif
#define NOBODY 255

/* Nodes 0..2 are frames, nodes 3..6 are leaves. Of all that a worker has on its
 * deque, the lowest number was pushed first. */
#define INNER 3
#define NODES 7
#define is_leaf(n) ((n) >= INNER)
#define first_of(n) (2 * (n) + 1)
#define second_of(n) (2 * (n) + 2)
#define parent(n) (((n) - 1) / 2)

byte on_deque_of[NODES];
bool in_inbox[NODES];           /* a child that nobody has begun */
bool resumed_in_inbox[INNER];   /* a frame whose children have ended */

/* How a node that runs began: popped by its frame; begun on a stack of its own; or a call below the frame
 * that waits, which is below[n]. */
mtype = { popped, based, called };
mtype began[NODES];
byte below[NODES];

/* A frame has these. */
short word[INNER];
byte taken[INNER];              /* children that it has not popped */
bool leaves[INNER];             /* under the lock */
bool given_back[NODES];         /* under the lock of the frame that has forked it */
bool steals[INNER];             /* whether the rule lets it steal at all */

byte stops;
bool finished;

/* Ghosts, read by the specification only. */
bool alive[INNER], ran[NODES], ended[NODES];

#define deque_is_empty(w) \
    (on_deque_of[1] != (w) && on_deque_of[2] != (w) && on_deque_of[3] != (w) && \
     on_deque_of[4] != (w) && on_deque_of[5] != (w) && on_deque_of[6] != (w))
#define stealable(c) (on_deque_of[c] != NOBODY && on_deque_of[c] != me && is_oldest(c))
#define is_oldest(c) \
    (((c) == 1 || on_deque_of[1] != on_deque_of[c]) && \
     ((c) <= 2 || on_deque_of[2] != on_deque_of[c]) && \
     ((c) <= 3 || on_deque_of[3] != on_deque_of[c]) && \
     ((c) <= 4 || on_deque_of[4] != on_deque_of[c]) && \
     ((c) <= 5 || on_deque_of[5] != on_deque_of[c]))

#define any_stealable (stealable(1) || stealable(2) || stealable(3) || stealable(4) || \
    stealable(5) || stealable(6))
#define has_given_back(n) (given_back[first_of(n)] || given_back[second_of(n)])

#define to_inbox(c) \
    if \
    :: on_deque_of[c] == me -> on_deque_of[c] = NOBODY; in_inbox[c] = true \
    :: else \
    fi

#ifdef MUTATION_WAITS_ANYHOW
#define must_leave false
#else
#define must_leave left
#endif
#define may_stop (stops > 0)    /* another runtime, say */
#define stop \
    stops--; \
    left = true; \
    to_inbox(1); to_inbox(2); to_inbox(3); to_inbox(4); to_inbox(5); to_inbox(6)

proctype worker(byte me)
{
    byte n;                     /* what runs, or waits */
    byte c;
    bool left = false;          /* the stack was left before */

    if
    :: me == 0 -> n = 0; goto call
    :: else
    fi;

search:                         /* on the scheduler stack */
    atomic {
        left = false; n = 0; c = 0;
        if
        :: stealable(1) -> n = 1; on_deque_of[1] = NOBODY
        :: stealable(2) -> n = 2; on_deque_of[2] = NOBODY
        :: stealable(3) -> n = 3; on_deque_of[3] = NOBODY
        :: stealable(4) -> n = 4; on_deque_of[4] = NOBODY
        :: stealable(5) -> n = 5; on_deque_of[5] = NOBODY
        :: stealable(6) -> n = 6; on_deque_of[6] = NOBODY
        :: in_inbox[1] -> n = 1; in_inbox[1] = false
        :: in_inbox[2] -> n = 2; in_inbox[2] = false
        :: in_inbox[3] -> n = 3; in_inbox[3] = false
        :: in_inbox[4] -> n = 4; in_inbox[4] = false
        :: in_inbox[5] -> n = 5; in_inbox[5] = false
        :: in_inbox[6] -> n = 6; in_inbox[6] = false
        :: resumed_in_inbox[0] -> resumed_in_inbox[0] = false; n = 0; goto resumed
        :: resumed_in_inbox[1] -> resumed_in_inbox[1] = false; n = 1; goto resumed
        :: resumed_in_inbox[2] -> resumed_in_inbox[2] = false; n = 2; goto resumed
        :: finished -> goto retire
        fi;
        began[n] = based
    };

call:                           /* node n begins */
    atomic {
        assert(!ran[n]);
        ran[n] = true;
        if
        :: is_leaf(n) -> goto return_from
        :: else ->
            assert(deque_is_empty(me) || began[n] == popped);
            if
            :: may_stop -> stop
            :: true
            fi;
            alive[n] = true;
            taken[n] = 2;
            on_deque_of[first_of(n)] = me;
            on_deque_of[second_of(n)] = me
        fi
    };

join:                           /* frame n pops what was not stolen */
    atomic {
        if
        :: may_stop -> stop
        :: true
        fi;
        if
        :: on_deque_of[second_of(n)] == me -> c = second_of(n)
        :: on_deque_of[second_of(n)] != me && on_deque_of[first_of(n)] == me -> c = first_of(n)
        :: else ->
            if
            :: taken[n] == 0 -> goto go_on
            :: else -> goto wait
            fi
        fi;
        on_deque_of[c] = NOBODY;
        taken[n]--;
        began[c] = popped;
        n = c; c = 0;
        goto call
    };

wait:                           /* frame n: whatever it lacks was stolen */
    atomic { assert(deque_is_empty(me) && alive[n]); c = 0 };
    if
    :: atomic { word[n] == -taken[n] -> word[n] = 0; goto go_on }
    :: atomic { must_leave -> goto leave }
    :: atomic {                 /* the lock */
            !must_leave && has_given_back(n);
            c = (given_back[first_of(n)] -> first_of(n) : second_of(n));
            given_back[c] = false;
            goto run_below
        }
    :: atomic {                 /* a hint may have let it */
            !must_leave && steals[n] && any_stealable;
            if
            :: stealable(1) -> c = 1
            :: stealable(2) -> c = 2
            :: stealable(3) -> c = 3
            :: stealable(4) -> c = 4
            :: stealable(5) -> c = 5
            :: stealable(6) -> c = 6
            fi;
            on_deque_of[c] = NOBODY;
            if
            :: goto run_below   /* by the rule */
            :: true
            fi
        }
    fi;
    /* Give it back: the lock of its frame. */
    atomic {
        assert(alive[parent(c)]);
#ifdef MUTATION_LEAVES_UNNOTED
        given_back[c] = true;
#else
        if
        :: !leaves[parent(c)] -> given_back[c] = true
        :: else -> in_inbox[c] = true
        fi;
#endif
#ifdef MUTATION_GIVER_ARRIVES
        word[parent(c)]--;
#endif
        c = 0
    };
    goto wait;

run_below:                      /* child c is called below frame n */
    atomic { began[c] = called; below[c] = n; n = c; c = 0; goto call };

leave:                          /* frame n looks into its list once more; then the stack is left */
#ifdef MUTATION_LEFT_UNLOOKED
    atomic { leaves[n] = true };
#else
#ifdef MUTATION_NOTED_LATE
    atomic {
#else
    atomic {                    /* the lock */
        leaves[n] = true;
#endif
        if
        :: has_given_back(n) ->
            c = (given_back[first_of(n)] -> first_of(n) : second_of(n));
            given_back[c] = false;
            goto run_below
        :: else
        fi
    };
#ifdef MUTATION_NOTED_LATE
    atomic { leaves[n] = true };
#endif
#endif
    atomic {
        word[n] = word[n] + taken[n];
        if
        :: word[n] == 0 -> goto resumed
        :: else -> goto search
        fi
    };

return_from:                    /* node n has ended */
    atomic {
        ended[n] = true;
        if
        :: n == 0 -> finished = true; goto retire
        :: n != 0 && began[n] == popped -> n = parent(n); goto join
        :: else
        fi
    };
#ifndef MUTATION_THEFT_LATE
    atomic { assert(alive[parent(n)]) };    /* off its list of thefts */
#endif
    atomic {
        assert(alive[parent(n)]);
        word[parent(n)]--;
        c = (word[parent(n)] == 0 -> 1 : 0) /* the last, and the frame has left */
    };
#ifdef MUTATION_THEFT_LATE
    atomic { assert(alive[parent(n)]) };
#endif
    atomic {
        if
        :: began[n] == based && c == 1 -> n = parent(n); c = 0; goto resumed
        :: began[n] == based && c == 0 -> goto search
        :: else
        fi;
        /* A call: it cannot change stacks. */
        if
        :: c == 1 ->
#ifdef MUTATION_RESUMED_BELOW
            n = parent(n); c = 0; goto resumed
#else
            resumed_in_inbox[parent(n)] = true
#endif
        :: else
        fi;
        c = 0;
        n = below[n];
        goto wait
    };

resumed:                        /* frame n, on its own stack again */
    atomic { left = true; goto go_on };

go_on:                          /* frame n goes on after its join */
    atomic {
        assert(alive[n] && word[n] == 0 && ended[first_of(n)] && ended[second_of(n)]);
        alive[n] = false;
        goto return_from
    };

retire:
    atomic { n = 0; c = 0; left = false }
}

init
{
    atomic {
        byte i;
        for (i : 0 .. NODES - 1) { on_deque_of[i] = NOBODY }
        for (i : 0 .. INNER - 1) {
            if
            :: steals[i] = true
            :: steals[i] = false
            fi
        }
        stops = STOPS;
        for (i : 0 .. WORKERS - 1) { run worker(i) }
    }
}
