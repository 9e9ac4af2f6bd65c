/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared join of a row of pieces: parallel_invoke of three closures and
 * more, and the blocks of a loop. Implemented in
 * include/nopal/detail/join/shared_join.hpp and src/join/shared_join.cpp.
 *
 * Modelled: a row of PIECES pieces, run ROUNDS times by WORKERS workers. The
 * owner runs pieces on its own stack, and pushes the join before each but the
 * last. A thief pushes what thieves share, which lies in the join, before each
 * piece that it runs but the last. Any piece may throw. `word` is that of the
 * two-way join between the owner and all thieves; `counter` is atomic, `steals` and `next` are plain
 * and handed on with the continuation. What the thieves share holds rubbish
 * until the first of them begins it.
 *
 * Abstracted: the deque is a single place, since the row has one continuation
 * at a time (deque_asymmetric.pml checks the deque); memory is sequentially
 * consistent; how stacks change hands (join_two_way.pml checks it).
 *
 * Checked: the owner goes on exactly once, after all pieces that have begun,
 * with its context saved if another resumes it; only the runner of the row
 * touches `steals` and `next`; no stack but the owner's waits; the exception
 * taken is that of the serially first piece that threw, and what follows a
 * piece that throws in its own strand never begins; the program finishes (a
 * join that nobody resumes is an invalid end state).
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_EACH_ANNOUNCES      each thief arrives at the two-way join
 *   MUTATION_LAST_ANNOUNCES      the end of the row does so, without the counter
 *   MUTATION_ONE_MORE            the end of the row adds steals + 1
 *   MUTATION_ONE_LESS            the end of the row adds steals - 1
 *   MUTATION_NOT_BEGUN           the first thief finds what was there
 *   MUTATION_BEGUN_BY_EACH       each thief begins what they share
 *   MUTATION_SEGMENT_AFTER_PUSH  a thief reads the number of its segment late
 *   MUTATION_AFTER_EXCEPTION     a thief goes on behind a piece that threw
 *   MUTATION_OWNER_LOADS         the owner loads and stores instead of exchanging
 *   MUTATION_ARRIVES_BEFORE_SAVE the owner arrives before it saves its context
 */

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef PIECES
#define PIECES 4
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define NOBODY 255
#define NONE 255

#ifdef MUTATION_ONE_MORE
#define SUMMAND (mine + 1)
#elif defined(MUTATION_ONE_LESS)
#define SUMMAND (mine - 1)
#else
#define SUMMAND mine
#endif

/* The join. */
mtype = { running, suspended, done };
mtype word = running;
bool context_saved;
byte next;                      /* the piece that a thief is to run next */
short counter = 1;              /* rubbish */
byte steals = 1;                /* rubbish */
byte noted[PIECES];             /* by segment: the piece that threw there */

/* The deques: whose deque holds the join, and who has pushed it. */
byte offered_by = NOBODY;
bool by_owner;

/* Ghosts, read by the specification only. */
byte runner = 0;                /* who runs the row */
byte at_work;                   /* pieces that run */
byte begun;                     /* pieces that have begun */
byte first_thrown = NONE;       /* the serially first that has thrown */
bool owner_threw;               /* while the rest of the row was a thief's */
bool stopped;                   /* by a piece that threw in its runner's hands */
byte waiting;                   /* strands that have stopped and not ended */
byte round;
bool finished;

inline use_row() { assert(runner == me) }

inline begin_piece()
{
    assert(!stopped && piece == begun && piece < PIECES);
    begun++;
    at_work++
}

/* The piece ends, by an exception or not. */
inline end_piece()
{
    atomic {
        at_work--;
        if
        :: threw = false
        :: threw = true;
           if
           :: piece < first_thrown -> first_thrown = piece
           :: else
           fi
        fi
    }
}

inline announce()
{
    atomic { assert(word != done); seen = word; word = done }
}

proctype worker(byte me)
{
    byte piece;
    byte segment;
    byte mine;                  /* steals in a register */
    mtype seen;
    bool threw;
    bool mine_back;

    if
    :: me == 0 -> goto own
    :: else -> goto search
    fi;

own:                            /* the owner, before a piece */
    atomic {
        assert(runner == me);
        piece = begun;
        begin_piece();
        if
        :: piece + 1 < PIECES -> next = piece + 1; by_owner = true; offered_by = me; runner = NOBODY
        :: else
        fi
    };
    end_piece();
    atomic {
        if
        :: piece + 1 == PIECES -> assert(runner == me); goto go_on
        :: piece + 1 < PIECES && offered_by == me && by_owner ->
            offered_by = NOBODY;
            runner = me;
            if
            :: threw -> threw = false; stopped = true; goto go_on
            :: else -> goto own
            fi
        :: else -> owner_threw = threw; threw = false
        fi
    };
    if
    :: word == done -> goto go_on       /* without switching */
    :: else
    fi;
#ifndef MUTATION_ARRIVES_BEFORE_SAVE
    context_saved = true;
#endif
    atomic { waiting++; assert(waiting == 1) };
#ifdef MUTATION_OWNER_LOADS
    seen = word;
    word = suspended;
#else
    atomic { seen = word; word = suspended };
#endif
#ifdef MUTATION_ARRIVES_BEFORE_SAVE
    context_saved = true;
#endif
    if
    :: seen == done -> goto resume
    :: else -> goto search
    fi;

search:                         /* on the scheduler stack */
    atomic {
        piece = 0; segment = 0; mine = 0; seen = 0; threw = false; mine_back = false;
        if
        :: offered_by != NOBODY && offered_by != me ->
            offered_by = NOBODY;
            assert(runner == NOBODY);
            runner = me
        :: finished -> goto end
        fi
    };
    if
#ifdef MUTATION_BEGUN_BY_EACH
    :: true -> atomic { use_row(); steals = 0; counter = 0 }
#elif !defined(MUTATION_NOT_BEGUN)
    :: by_owner -> atomic { use_row(); steals = 0; counter = 0 }
#endif
#ifndef MUTATION_BEGUN_BY_EACH
#ifdef MUTATION_NOT_BEGUN
    :: by_owner
#endif
    :: !by_owner -> atomic { use_row(); mine = steals }; atomic { use_row(); steals = mine + 1 }
#endif
    fi;
    mine = 0;
    goto thief;

thief:                          /* the thief, before a piece, at the base of its stack */
    atomic { use_row(); piece = next; segment = steals };
    if
    :: piece + 1 == PIECES -> goto last_piece
    :: else
    fi;
    atomic { use_row(); next = piece + 1 };
    atomic { begin_piece(); by_owner = false; offered_by = me; runner = NOBODY };
#ifdef MUTATION_SEGMENT_AFTER_PUSH
    segment = steals;
#endif
    end_piece();
    if
    :: threw -> noted[segment] = piece + 1
    :: else
    fi;
    atomic {
        if
        :: offered_by == me -> offered_by = NOBODY; runner = me; mine_back = true
        :: else -> mine_back = false
        fi
    };
    if
    :: mine_back && !threw -> goto thief
#ifdef MUTATION_AFTER_EXCEPTION
    :: mine_back && threw -> atomic { stopped = true }; goto thief
#else
    :: mine_back && threw -> atomic { stopped = true }; goto end_of_row
#endif
    :: else
    fi;
    /* Stolen from: the stack is empty. */
#ifdef MUTATION_EACH_ANNOUNCES
    announce();
#else
    atomic { counter--; mine_back = (counter == 0) };
    if
    :: mine_back -> announce()
    :: else -> goto search
    fi;
#endif
    if
    :: seen == suspended -> goto resume
    :: else -> goto search
    fi;

last_piece:
    atomic { use_row(); begin_piece() };
    end_piece();
    if
    :: threw -> noted[segment] = piece + 1
    :: else
    fi;
    goto end_of_row;

end_of_row:                     /* all that is left of the row is done; the stack is empty */
    atomic { use_row(); mine = steals };
#ifndef MUTATION_LAST_ANNOUNCES
    if
    :: mine != 0 ->
        atomic { runner = NOBODY; counter = counter + SUMMAND; mine_back = (counter == 0) };
        if
        :: mine_back
        :: else -> goto search
        fi
    :: else -> runner = NOBODY
    fi;
#else
    runner = NOBODY;
#endif
    announce();
    if
    :: seen == suspended -> goto resume
    :: else -> goto search
    fi;

resume:                         /* the last to arrive goes on with the owner's strand */
    atomic { assert(context_saved); context_saved = false; waiting-- };
    goto go_on;

go_on:                          /* the owner's strand, behind the row */
    atomic {
        assert(at_work == 0 && waiting == 0 && offered_by == NOBODY);
        assert(begun == PIECES || first_thrown != NONE);
        piece = 0;
        /* The owner's own exception comes first; else that of the first segment that has one. */
        do
        :: piece < PIECES && noted[piece] == 0 -> piece++
        :: piece < PIECES && noted[piece] != 0 ->
            assert(owner_threw -> first_thrown < noted[piece] - 1 : first_thrown == noted[piece] - 1);
            break
        :: piece == PIECES -> break
        od;
        round++;
        for (piece : 0 .. PIECES - 1) { noted[piece] = 0 };
        piece = 0; seen = 0; threw = false; mine_back = false; segment = 0; mine = 0;
        next = 0; begun = 0; first_thrown = NONE; stopped = false; owner_threw = false;
        counter = 1; steals = 1; word = running; context_saved = false;
        runner = NOBODY;
        if
        :: round < ROUNDS -> runner = me; goto own
        :: else -> finished = true; goto end
        fi
    };

end:
    skip
}

init
{
    atomic {
        byte w;
        for (w : 0 .. WORKERS - 1) { run worker(w) }
    }
}
