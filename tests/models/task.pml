/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The join of tasks, the stacks that their frames lie on, and nopal::wait.
 * Implemented in include/nopal/detail/task/task_promise.hpp and src/task/task_promise.cpp.
 *
 * Modelled: a strand of plain code waits for task 0, which forks tasks 1 and 2,
 * the first of which forks tasks 3 and 4; or calls them: the last of each.
 * Task 0 does so in each of ROUNDS rounds. A task joins by `co_await join()`,
 * or in place, where the strand that runs it stops as plain code does, or by
 * its end. Each task has a word, which is atomic, and plain fields: steals,
 * the stack for children, or in its place the mark that its strand has stopped.
 * Each stack says whose frames lie on it in which order, and whether it is
 * spare. What is left on the way out of a chain of coroutines (a strand to be
 * taken up) is a variable of the worker, as nopal_words_of_strand are of their thread. The word of
 * the outermost task counts to two: it has ended, the strand has stopped.
 * A child runs within its parent, which waits beneath it on the machine's
 * stack, or is left to the base of the chain; each task has the mark that says
 * which.
 *
 * Abstracted: the deque is exact (deque_asymmetric.pml checks it), and gives a
 * thief the oldest continuation; one list of spare stacks serves all workers,
 * so that what is spare is another's at once; memory is sequentially
 * consistent; machine stacks are shown only for strands that stop
 * (join_two_way.pml checks how they change hands); exceptions are not shown.
 *
 * Checked: one worker at a time runs a task, and goes on with it after a join
 * once, when all children are gone; plain fields are its runner's only; frames
 * are given back in the reverse order, so nobody uses a stack beside another;
 * no stack is spared twice, or with a frame on it, or used while spare; a task
 * that is gone is not touched, nor is the waiting strand's stack once it may
 * have gone on; what is popped is the continuation of the parent; a strand that
 * stopped goes on once, and after its context was saved; a task without the
 * mark has its parent beneath, and a strand that stops or a chain that ends has
 * nobody whom somebody else does not go on with; at the end all stacks
 * are spare; the program finishes (else an invalid end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_GIVEN_UP_LATE      a parent gives up its stack after the announcement
 *   MUTATION_SPARED_LATE        a victim does so with the stack of its child
 *   MUTATION_BASE_SPARED        a victim spares what is the parent's base, too
 *   MUTATION_NOT_SPARED         a parent gives up its stack to nobody
 *   MUTATION_STACK_KEPT         a thief does not replace the stack for children
 *   MUTATION_READS_CHILDREN     a thief reads what to begin with from that stack
 *   MUTATION_NO_RESET           steals are not reset after a join
 *   MUTATION_TWO_RESUME         a strand that stops in place adds, and then reads the word
 *   MUTATION_STOPS_ON_STACK     it announces before it has left its machine stack
 *   MUTATION_STRAND_LEFT        who arrives last goes on with a task whose strand has stopped
 *   MUTATION_OUTERMOST_LOADS    the end of the outermost task loads and stores
 *   MUTATION_OTHER_READ_LATE    a waiting strand that stops reads what is left after it announced
 *   MUTATION_NOT_MARKED         a task that the base goes on with ends as if within its parent
 *   MUTATION_MARKED_BY_PARENT   a parent that returns without its child marks itself
 */

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef LAST_LEAF
#define LAST_LEAF 3
#endif
#ifndef STACKS
#define STACKS 5                /* enough: running out is an error here */
#endif
#define NOBODY 255
#define NO_STACK 255

/* The tasks: 0 and 1 fork, the others are leaves. */
#define FORKING 2
#define TASKS (LAST_LEAF + 1)
#define is_leaf(n) ((n) >= FORKING)
#define parent_of(n) ((n) < 3 -> 0 : 1)
#define first_child(n) ((n) == 0 -> 1 : 3)
#define last_child(n) ((n) == 0 -> 2 : LAST_LEAF)
#define rounds_of(n) ((n) == 0 -> ROUNDS : 1)

/* What a strand leaves to be taken up: nothing, the one that waits, or that of a task. */
#define NOTHING 255
#define OUTERMOST 254
#define STOPPED 254             /* in the place of the stack for children */

/* The tasks' fields. */
short word[FORKING];
byte steals[FORKING];
byte children[FORKING];
byte base[TASKS];
bool called[TASKS];
bool done[FORKING];             /* at the end of the coroutine */
bool resumed[TASKS];            /* does not run within the parent */

/* What nopal::wait waits with. */
byte ended_or_stopped;

/* The deques: whose holds the task's continuation. 1 is younger than 0. */
byte offered_by[FORKING];

/* The stacks. The first is made for task 0. */
bool spare[STACKS];
byte frames[STACKS];

/* The strands that have stopped: whether the context is saved, whether the one that waits is beneath. */
bool waiting_saved;
bool stopped_saved[FORKING];
bool stopped_waiting[FORKING];

/* Ghosts, read by the specification only. */
bool alive[TASKS];
byte runner[TASKS];
byte place[TASKS];              /* of the frame on its stack */
byte next[FORKING];             /* to be forked */
byte rounds[FORKING];
bool waiting_alive = true;      /* the waiting strand has not gone on */
bool finished;

inline touch(t) { assert(alive[t]) }
inline use(t) { assert(alive[t] && runner[t] == me) }

inline spare_stack(st)
{
    assert(!spare[st] && frames[st] == 0);
    spare[st] = true
}

inline take_stack(st)
{
    st = 0;
    do
    :: st < STACKS && !spare[st] -> st++
    :: else -> break
    od;
    assert(st < STACKS);
    spare[st] = false
}

inline make_frame(t, st)
{
    assert(!alive[t] && !spare[st]);
    alive[t] = true;
    base[t] = st;
    resumed[t] = false;
    place[t] = frames[st];
    frames[st]++;
    runner[t] = me;
    if
    :: is_leaf(t)
    :: else ->
        assert(word[t] == 0 && offered_by[t] == NOBODY && !stopped_saved[t]);
        steals[t] = 0; children[t] = st; done[t] = false;
        next[t] = first_child(t); rounds[t] = 0
    fi
}

inline free_frame(t)
{
    assert(!spare[base[t]] && frames[base[t]] == place[t] + 1);
    frames[base[t]]--;
    alive[t] = false;
    runner[t] = NOBODY
}

inline no_child(t)
{
    for (i : first_child(t) .. last_child(t)) { assert(!alive[i]) };
    i = 0
}

inline give_up_stack(instead)
{
    own = children[n];
    children[n] = instead;
#ifndef MUTATION_NOT_SPARED
    if
    :: own != base[n] -> spare_stack(own)
    :: else
    fi;
#endif
    own = 0
}

/* The base of the chain goes on with task t, after everybody beneath has returned. */
inline base_resumes(t)
{
    beneath = 0;
#ifndef MUTATION_NOT_MARKED
    resumed[t] = true
#endif
}

/* On the way to the base: a task whose child has not ended within it touches nothing. */
inline all_return()
{
#ifdef MUTATION_MARKED_BY_PARENT
    for (i : 0 .. FORKING - 1) { if :: (beneath >> i) & 1 -> use(i); resumed[i] = true :: else fi };
    i = 0;
#endif
    beneath = 0
}

proctype worker(byte me)
{
    bool within;                /* the task that has ended did so within its parent */
    bool waits;                 /* the strand in use is the one that waits, when its chain ends */
    byte left = NOTHING;        /* to be taken up */
    byte n;                     /* the task at hand */
    byte p;                     /* its parent */
    byte own;                   /* a stack */
    short seen;                 /* what an atomic operation gave */
    byte i;
    byte beneath;               /* bit t: task t waits on the machine's stack for its child */

    if
    :: me == 0 -> atomic { waits = true; spare[0] = false; make_frame(0, 0); base_resumes(0) }; goto go_on
    :: else -> goto search
    fi;

search:                         /* on the scheduler stack */
    atomic {
        assert(!waits && left == NOTHING && beneath == 0);
        n = 0; p = 0; own = 0; seen = 0;
        if
        :: offered_by[0] != NOBODY -> n = 0
        :: offered_by[1] != NOBODY && offered_by[1] != offered_by[0] -> n = 1
        :: finished -> goto end_worker
        fi;
        assert(offered_by[n] != me);
        offered_by[n] = NOBODY;
        assert(runner[n] == NOBODY);
        runner[n] = me
    };
    atomic {                    /* the exceptions and the rounding mode to begin with */
        use(n);
#ifdef MUTATION_READS_CHILDREN
        assert(!spare[children[n]])
#else
        assert(!spare[base[n]])
#endif
    };
    atomic {
        use(n);
        steals[n]++;
        base_resumes(n);
#ifndef MUTATION_STACK_KEPT
        take_stack(own);
        children[n] = own;
        own = 0
#endif
    };
    goto go_on;

go_on:                          /* runs task n */
    atomic {
        use(n);
        if
        :: is_leaf(n) -> goto end_joined
        :: !is_leaf(n) && next[n] <= last_child(n) ->
            p = next[n];
            next[n]++;
            make_frame(p, children[n]);
            runner[n] = NOBODY;
            if
            :: called[p] = false; offered_by[n] = me
            :: p == last_child(n) -> called[p] = true
            fi;
            if
            :: beneath = beneath | (1 << n)
            :: base_resumes(p)      /* the stack is low */
            fi;
            n = p;
            p = 0;
            goto go_on
        :: !is_leaf(n) && next[n] > last_child(n) && rounds[n] < rounds_of(n) -> goto join
        :: !is_leaf(n) && next[n] > last_child(n) && rounds[n] < rounds_of(n) -> goto join_in_place
        :: !is_leaf(n) && next[n] > last_child(n) && rounds[n] + 1 >= rounds_of(n) ->
            done[n] = true;
            if
            :: steals[n] == 0 -> goto end_joined
            :: else -> goto arrive
            fi
        fi
    };

join:                           /* co_await join() */
    atomic {
        use(n);
        if
        :: steals[n] == 0 -> goto next_round    /* no atomic operation */
        :: else -> goto arrive
        fi
    };

arrive:                         /* task n is suspended, at a join or its end */
    assert(beneath == 0);       /* it was stolen, so the base runs it */
#ifdef MUTATION_GIVEN_UP_LATE
    atomic { use(n); runner[n] = NOBODY; word[n] = word[n] + steals[n]; seen = word[n] };
    atomic { use(n); give_up_stack(base[n]) };
#else
    atomic { use(n); give_up_stack(base[n]) };
    atomic { use(n); runner[n] = NOBODY; word[n] = word[n] + steals[n]; seen = word[n] };
#endif
    if
    :: seen == 0 -> seen = 0; goto all_have_arrived
    :: else -> seen = 0; goto chain_ends
    fi;

join_in_place:
    atomic {
        use(n);
        if
        :: steals[n] == 0 -> goto next_round
        :: else
        fi;
        assert(beneath == 0);
        give_up_stack(STOPPED)
    };
#ifndef MUTATION_STOPS_ON_STACK
    atomic { stopped_saved[n] = true; stopped_waiting[n] = waits; waits = false };
#endif
    /* On the scheduler stack. */
#ifdef MUTATION_TWO_RESUME
    atomic { use(n); runner[n] = NOBODY; word[n] = word[n] + steals[n] };
    seen = word[n];
#else
    atomic { use(n); runner[n] = NOBODY; word[n] = word[n] + steals[n]; seen = word[n] };
#endif
#ifdef MUTATION_STOPS_ON_STACK
    atomic { stopped_saved[n] = true; stopped_waiting[n] = waits; waits = false };
#endif
    if
    :: seen == 0 ->
        atomic {
            seen = 0;
            touch(n);
            assert(runner[n] == NOBODY);
            runner[n] = me;
            children[n] = base[n]
        };
        goto take_up
    :: else -> seen = 0; goto search
    fi;

take_up:                        /* the strand of task n, which has stopped in place */
    atomic {
        use(n);
        no_child(n);
        assert(stopped_saved[n] && !waits);
        stopped_saved[n] = false;
        waits = stopped_waiting[n];
        stopped_waiting[n] = false
    };
    atomic {
        use(n);
#ifndef MUTATION_NO_RESET
        steals[n] = 0;
#endif
        goto next_round
    };

all_have_arrived:               /* on the worker that arrived last at task n */
    atomic {
        touch(n);
        assert(runner[n] == NOBODY);
        no_child(n);
        runner[n] = me;
        p = 0;
        base_resumes(n);
        if
#ifdef MUTATION_STRAND_LEFT
        :: children[n] == STOPPED -> children[n] = base[n]; steals[n] = 0; goto next_round
#else
        :: children[n] == STOPPED -> children[n] = base[n]; left = n; n = 0; goto chain_ends
#endif
        :: children[n] != STOPPED && done[n] -> goto end_joined
        :: else
        fi
    };
    atomic {
        use(n);
#ifndef MUTATION_NO_RESET
        steals[n] = 0;
#endif
        goto next_round
    };

next_round:
    atomic {
        use(n);
        no_child(n);
        assert(word[n] == 0 && steals[n] == 0 && children[n] == base[n] && !stopped_saved[n]);
        rounds[n]++;
        if
        :: rounds[n] < rounds_of(n) -> next[n] = first_child(n)
        :: else
        fi;
        goto go_on
    };

end_joined:                     /* task n is at its end, no child left */
    atomic {
        use(n);
        if
        :: n == 0 -> left = OUTERMOST; goto chain_ends
        :: else
        fi;
        p = parent_of(n);
        own = base[n];
        free_frame(n);
        if                          /* the parent is the next one beneath, or goes on from the base */
        :: !resumed[n] ->
            assert(beneath >> p == 1);
            beneath = beneath & ~(1 << p);
            within = true
        :: else -> all_return()
        fi;
        if
        :: called[n] ->
            n = p; p = 0; own = 0;
            touch(n);
            assert(runner[n] == NOBODY);
            runner[n] = me;
            if
            :: within -> within = false
            :: else -> base_resumes(n)
            fi;
            goto go_on
        :: else -> n = p; p = 0
        fi
    };
    atomic {                    /* is the continuation of the parent, n, on this worker's deque still? */
        assert(offered_by[0] != me || offered_by[1] != me || n == 1);   /* the newest is its */
        assert(offered_by[1 - n] != me || offered_by[n] == me);         /* nor anything else */
        if
        :: offered_by[n] == me ->
            own = 0;
            offered_by[n] = NOBODY;
            touch(n);
            assert(runner[n] == NOBODY);
            runner[n] = me;
            if
            :: within -> within = false
            :: else -> base_resumes(n)
            fi;
            goto go_on
        :: else -> within = false
        fi
    };

    /* It was stolen. */
#ifdef MUTATION_SPARED_LATE
    atomic { touch(n); word[n]--; seen = word[n] };
#endif
    atomic {
        touch(n);
#ifdef MUTATION_BASE_SPARED
        spare_stack(own);
#else
        if
        :: own != base[n] -> spare_stack(own)
        :: else
        fi;
#endif
        own = 0
    };
#ifndef MUTATION_SPARED_LATE
    atomic { touch(n); word[n]--; seen = word[n] };
#endif
    if
    :: seen == 0 -> goto all_have_arrived
    :: else -> seen = 0; goto chain_ends
    fi;

chain_ends:                     /* back in the plain code that resumed the first coroutine of the chain */
    atomic { all_return() };
    if
    :: waits && left == OUTERMOST -> goto wait_returns
    :: waits && left != OUTERMOST ->
        atomic { waiting_saved = true; waits = false }; /* on the scheduler stack */
        atomic { assert(waiting_alive); ended_or_stopped++; seen = ended_or_stopped };
        if
        :: seen == 2 -> assert(left == NOTHING); goto waiting_goes_on
        :: else ->
#ifdef MUTATION_OTHER_READ_LATE
            assert(waiting_alive);      /* its stack is still as it was */
#endif
            seen = 0
        fi
    :: else                     /* an empty stack, kept as the spare */
    fi;
    if
    :: left == NOTHING -> goto search
    :: left == OUTERMOST ->
        left = NOTHING;
#ifdef MUTATION_OUTERMOST_LOADS
        seen = ended_or_stopped + 1;
        atomic { assert(waiting_alive); ended_or_stopped = seen };
#else
        atomic { assert(waiting_alive); ended_or_stopped++; seen = ended_or_stopped };
#endif
        if
        :: seen == 2 -> goto waiting_goes_on
        :: else -> goto search
        fi
    :: else -> atomic { n = left; left = NOTHING; goto take_up }
    fi;

waiting_goes_on:
    atomic {
        assert(waiting_saved && !waits);
        waiting_saved = false;
        waits = true
    };

wait_returns:
    atomic {
        assert(waiting_alive && !waiting_saved);
        assert(alive[0] && done[0]);
        waiting_alive = false;
        for (i : 1 .. TASKS - 1) { assert(!alive[i]) };
        alive[0] = false;       /* its frame lies on the heap; on the stack it is the last */
        frames[0]--;
        spare_stack(0);
        for (i : 0 .. STACKS - 1) { assert(spare[i]) };
        for (i : 0 .. FORKING - 1) { assert(!stopped_saved[i] && offered_by[i] == NOBODY) };
        finished = true
    };

end_worker:
    skip
}

init
{
    atomic {
        byte w;
        for (w : 0 .. FORKING - 1) { offered_by[w] = NOBODY };
        for (w : 0 .. TASKS - 1) { runner[w] = NOBODY };
        for (w : 0 .. STACKS - 1) { spare[w] = true };
        for (w : 0 .. WORKERS - 1) { run worker(w) }
    }
}
