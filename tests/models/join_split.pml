/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The split join counter of fork_frame (N children, one parent).
 * Implemented in include/nopal/detail/fork/frame_join.hpp and src/fork/frame_join.cpp.
 *
 * Modelled: one parent strand that forks up to FORKS children in each of
 * ROUNDS rounds, three workers that run, steal, arrive and resume. The frame
 * of the parent lies on its home stack. A child runs on the stack on which the
 * parent was when it forked; a thief goes on with the parent on a stack of its
 * own. `counter` is atomic; `steals` is plain and is read and written in
 * separate steps. A child that was not stolen from may throw: then the parent
 * waits in its middle, on the stack where it is, for the children before.
 *
 * Abstracted: the deque is a single place, since a parent has one continuation
 * at a time (deque_asymmetric.pml checks the deque); memory is sequentially
 * consistent; thieves' own stacks are private and not shown (join_two_way.pml
 * checks how stacks change hands).
 *
 * Checked: after each join exactly one worker resumes the parent, after all
 * children have arrived and with a saved context; nobody else runs on the home
 * stack or trims it then; only the runner of the parent touches `steals`;
 * counter and steals are zero again when the frame is used anew; the program
 * finishes (a join that nobody resumes is an invalid end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_ADD_BEFORE_SAVE       the parent announces before saving its context
 *   MUTATION_ANNOUNCE_BEFORE_TRIM  a victim announces before trimming
 *   MUTATION_ANNOUNCE_ON_STACK     a victim announces before leaving the stack
 *   MUTATION_ONE_MORE              the join adds steals + 1
 *   MUTATION_ONE_LESS              the join adds steals - 1
 *   MUTATION_NO_RESET              steals is not reset after the join
 *   MUTATION_NOT_EXPECTED_AGAIN    the counter stays 0 after a wait in the middle
 *   MUTATION_MIDDLE_AT_HOME        who ends such a wait resumes the parent at home
 */

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef FORKS
#define FORKS 3                 /* at most so many forks before each join */
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define NOBODY 255

/* The frame. */
short counter;
byte steals;
bool context_saved;
bool waits;                     /* the parent, in its middle; plain */
bool middle_saved;

/* The deques: whose deque holds the parent's continuation. */
byte offered_by = NOBODY;

/* The home stack. */
byte home_user = NOBODY;
bool home_trimming;

/* Ghosts, read by the specification only. */
byte runner = NOBODY;           /* who runs the parent strand */
byte children_running;
byte arrived;                   /* in this round */
byte round;
byte forks_left = FORKS;
bool finished;

#ifdef MUTATION_ONE_MORE
#define SUMMAND (mine + 1)
#elif defined(MUTATION_ONE_LESS)
#define SUMMAND (mine - 1)
#else
#define SUMMAND mine
#endif

inline use_steals() { assert(runner == me) }

inline trim_home()
{
    atomic { assert(home_user == NOBODY); home_trimming = true };
    atomic { assert(home_user == NOBODY); home_trimming = false }
}

proctype worker(byte me)
{
    bool on_home;               /* the stack in use is the home stack */
    byte mine;                  /* steals in a register */
    short seen;                 /* what the atomic operation on counter gave */

    if
    :: me == 0 -> atomic { on_home = true; home_user = me; runner = me }; goto parent
    :: else -> goto search
    fi;

search:                         /* on the scheduler stack */
    atomic {
        assert(!on_home);
        if
        :: offered_by != NOBODY ->
            offered_by = NOBODY;
            assert(runner == NOBODY);
            runner = me
        :: finished -> goto done
        fi
    };
    /* Now the runner of the parent, on a stack of its own. */
    atomic { use_steals(); mine = steals };
    atomic { use_steals(); steals = mine + 1; mine = 0 };
    goto parent;

parent:                         /* runs the parent strand */
    atomic {
        assert(runner == me);
        assert(!on_home || (home_user == me && !home_trimming));
        if
        :: forks_left > 0 ->    /* fork: push the continuation, call the child */
            forks_left--;
            offered_by = me;
            runner = NOBODY;
            children_running++
        :: goto join
        fi
    };
    /* The child runs here. */
    atomic {
        assert(!on_home || (home_user == me && !home_trimming));
        children_running--;
        if
        :: offered_by == me -> offered_by = NOBODY; runner = me; goto parent
        :: offered_by == me -> offered_by = NOBODY; runner = me; goto middle    /* it has thrown */
        :: else -> goto arrive
        fi
    };

middle:                         /* the parent, where a child that was not stolen from has thrown */
    atomic { use_steals(); mine = steals };
    if
    :: mine == 0 -> goto parent         /* it has no children before */
    :: else
    fi;
    atomic { use_steals(); assert(!on_home); waits = true };
    middle_saved = true;
    /* Moved to the scheduler stack; the stack keeps the parent's calls. */
    atomic { runner = NOBODY; counter = counter + mine; seen = counter; mine = 0 };
    if
    :: seen == 0 -> seen = 0; goto resume_middle
    :: else -> seen = 0; goto search
    fi;

resume_middle:
    atomic {
        assert(runner == NOBODY && children_running == 0 && arrived == steals && middle_saved);
        runner = me;
        middle_saved = false
    };
    atomic { use_steals(); waits = false; mine = steals };
#ifndef MUTATION_NOT_EXPECTED_AGAIN
    atomic { assert(counter == 0); counter = counter - mine };
#endif
    mine = 0;
    goto parent;

arrive:                         /* the continuation was stolen from this worker */
#ifdef MUTATION_ANNOUNCE_ON_STACK
    atomic { counter--; seen = counter; arrived++ };
    if
    :: on_home -> atomic { on_home = false; if :: home_user == me -> home_user = NOBODY :: else fi }
    :: else
    fi;
#elif defined(MUTATION_ANNOUNCE_BEFORE_TRIM)
    if
    :: on_home ->
        home_user = NOBODY;
        atomic { counter--; seen = counter; arrived++ };
        trim_home();
        on_home = false
    :: else -> atomic { counter--; seen = counter; arrived++ }
    fi;
#else
    if
    :: on_home ->
        home_user = NOBODY;     /* moved to the scheduler stack */
        trim_home();
        on_home = false
    :: else                     /* an empty stack, kept as the spare */
    fi;
    atomic { counter--; seen = counter; arrived++ };
#endif
    if
#ifndef MUTATION_MIDDLE_AT_HOME
    :: seen == 0 && waits -> seen = 0; goto resume_middle
    :: seen == 0 && !waits -> seen = 0; goto resume
#else
    :: seen == 0 -> seen = 0; goto resume
#endif
    :: else -> seen = 0; goto search
    fi;

join:
    atomic { use_steals(); mine = steals };
    if
    :: mine == 0 -> goto next_round     /* nothing was stolen: no atomic operation */
    :: else
    fi;
    assert(!on_home);           /* a stolen parent runs on a thief's stack */
#ifndef MUTATION_ADD_BEFORE_SAVE
    context_saved = true;
#endif
    /* Moved to the scheduler stack; the worker's own stack is empty. */
    atomic { runner = NOBODY; counter = counter + SUMMAND; seen = counter; mine = 0 };
#ifdef MUTATION_ADD_BEFORE_SAVE
    context_saved = true;
#endif
    if
    :: seen == 0 -> seen = 0; goto resume
    :: else -> seen = 0; goto search
    fi;

resume:                         /* the last to arrive */
    atomic {
        assert(runner == NOBODY);
        assert(children_running == 0);
        assert(arrived == steals);
        assert(context_saved);
        assert(home_user == NOBODY && !home_trimming);
        runner = me;
        home_user = me;
        on_home = true;
        context_saved = false;
        arrived = 0
    };
#ifndef MUTATION_NO_RESET
    atomic { use_steals(); steals = 0 };
#endif
    goto next_round;

next_round:
    atomic {
        mine = 0;
        assert(runner == me && on_home && home_user == me);
        assert(counter == 0 && steals == 0);
        round++;
        if
        :: round < ROUNDS -> forks_left = FORKS; goto parent
        :: else -> finished = true; runner = NOBODY; home_user = NOBODY; on_home = false; goto done
        fi
    };

done:
    skip
}

init
{
    atomic {
        byte w;
        for (w : 0 .. WORKERS - 1) { run worker(w) }
    }
}
