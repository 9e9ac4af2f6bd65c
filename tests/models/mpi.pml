/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that ranks share. Implemented in src/mpi/sharing.cpp and hub.cpp, and
 * include/nopal/detail/mpi/tree.hpp.
 *
 * Modelled: RANKS ranks make OPERATIONS collective operations, one after the
 * other. An operation has SIZE units of work, all of them in the root, which
 * rank 0 runs. Each rank has a strand that asks other ranks for pieces and runs
 * them. A strand with more than one unit left may give half of them to a rank
 * that asks, and then waits for its reply before it replies itself. A piece that
 * comes waits until the strand is free, and may be passed on instead. At most
 * FAILURES units throw. Rank 0 lets all pause at most PAUSES times: then strands
 * leave units, which go back with the replies, and the next operation begins with
 * what is left of this one. Letters of one rank to another come in order, those
 * of several ranks in any.
 *
 * Abstracted: the further strands that run pieces while one waits are left out,
 * which do what any strand does; a reply goes by itself; a piece is its number of
 * units; a rank has one request on its way, one piece that waits and one rank that
 * asks it; what is done under the hub's mutex is atomic. A rank asks at any time,
 * ASKS times in all.
 *
 * Checked: an operation that does not fail ends when each of its units has been
 * done, once, or has come back to rank 0, and with no piece left anywhere; it
 * fails only if one of its own units has thrown; no piece is run in another
 * operation; and all operations end.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_REPLY_EARLY      a strand replies before what it has given away has
 *   MUTATION_ROOT_LEAVES      the root ends the operation before that
 *   MUTATION_ANY_OPERATION    a request is answered in another operation
 *   MUTATION_TAKEN_ANYHOW     a piece is taken in another operation
 *   MUTATION_LATE_FAILURE     a reply that comes late fails the next operation
 *   MUTATION_GIVEN_TWICE      what is given away is done here, too
 *   MUTATION_NO_STOP          the end of a failed operation stops nobody
 *   MUTATION_ASKER_KEPT       a rank that has asked is answered after the end
 *   MUTATION_END_NOT_KEPT     an end that comes before its operation is forgotten
 *   MUTATION_WAITING_DROPPED  a piece that waits is dropped when all pause
 *   MUTATION_LEFT_BEHIND      a reply leaves out what is left further down
 *   MUTATION_PASSED_AS_OWN    a piece that is passed on is replied to where it was
 */

#ifndef RANKS
#define RANKS 2
#endif
#ifndef OPERATIONS
#define OPERATIONS 2
#endif
#ifndef SIZE
#define SIZE 4
#endif
#ifndef ASKS
#define ASKS 2
#endif
#ifndef FAILURES
#define FAILURES 0
#endif
#ifndef PAUSES
#define PAUSES 0
#endif
#define NOBODY RANKS
/* What has been looked at is not a part of a state. */
#define clean s = 0; other = 0; op = 0; a = 0; b = 0; c = 0; failed = false

mtype = { request, denial, piece, reply, end, pause };
/* kind, operation, strand of the home and the home, its turn, units or FAILED */
#define FAILED 255
#define address(strand, rank) ((strand) * RANKS + (rank))
#define strand_of(address) ((address) / RANKS)
#define home_of(address) ((address) % RANKS)
chan from[RANKS * RANKS] = [6] of { mtype, byte, byte, byte, byte };
#define to(r) from[me * RANKS + (r)]
#define may_do(strand) (runs[strand] && size[strand] > 0)
#define may_give(strand) (runs[strand] && size[strand] > 1)
#define letters (len(from[me]) + len(from[RANKS + me]) + len(from[(RANKS - 1) * RANKS + me]))
#define has_room(r) (len(to(r)) < 6)

#ifdef MUTATION_REPLY_EARLY
#define piece_is_done true
#else
#define piece_is_done (expected[0] == 0)
#endif
#ifdef MUTATION_ROOT_LEAVES
#define root_is_done true
#else
#define root_is_done (expected[1] == 0)
#endif
#ifdef MUTATION_ANY_OPERATION
#define may_ask true
#else
#define may_ask (op == number)
#endif
#ifdef MUTATION_TAKEN_ANYHOW
#define may_come true
#else
#define may_come (op == number)
#endif
#ifdef MUTATION_ASKER_KEPT
#define forget_asker skip
#else
#define forget_asker asker = NOBODY
#endif
#define forget_waiting waits = false; waits_home = 0; waits_turn = 0; waits_size = 0
#ifdef MUTATION_PASSED_AS_OWN
#define passed_home address(strand_of(waits_home), me)
#else
#define passed_home waits_home
#endif
#ifdef MUTATION_LEFT_BEHIND
#define come_back(strand) 0
#else
#define come_back(strand) unrun[strand]
#endif
#ifdef MUTATION_NO_STOP
#define stops_all false
#else
#define stops_all c
#endif

byte units[OPERATIONS + 1];    /* done */
byte around[OPERATIONS + 1];   /* pieces that are neither done nor replied to */
bool threw[OPERATIONS + 1];
bool ended[OPERATIONS + 1];    /* on rank 0 */
byte failures = FAILURES;
byte pauses = PAUSES;
byte all[OPERATIONS + 1];      /* units of the root */
byte left;                     /* ranks that have made all operations */

proctype rank(byte me)
{
    /* Strand 0 runs pieces; strand 1 of rank 0 runs the root. */
    bool runs[2];
    byte size[2];
    byte expected[2];
    bool child_failed[2];
    byte unrun[2];             /* units that have come back */
    byte turn[2];
    byte home;                 /* an address */
    byte home_turn;
    bool waits;                /* a piece */
    byte waits_home;
    byte waits_turn;
    byte waits_size;
    bool paused;
    byte last_paused;
    byte rest;                 /* of the last operation, on rank 0 */
    byte number;               /* of the operation, or of the last one */
    bool inside;
    bool stop;
    bool end_here[OPERATIONS + 2];
    bool end_failed[OPERATIONS + 2];
    bool requested;
    byte asks = ASKS;
    byte asker = NOBODY;
    byte s;
    byte other;
    byte op;
    byte a;
    byte b;
    byte c;
    bool failed;

again:
    do
    :: atomic { !inside && number < OPERATIONS ->
        number++;
        inside = true;
        requested = false;
        stop = end_failed[number];
        paused = (last_paused == number);
        if
        :: me == 0 ->
            runs[1] = true;
            size[1] = (rest > 0 -> rest : SIZE);
            all[number] = size[1];
            expected[1] = 0;
            child_failed[1] = false;
            unrun[1] = 0;
            turn[1]++;
            rest = 0
        :: else
        fi;
        clean }

    /* A strand does a unit, or throws, or is stopped. */
    :: atomic { inside && (may_do(0) || may_do(1)) ->
        select(s : 0 .. 1);
        if
        :: may_do(s) -> size[s]--; units[number]++
        :: else
        fi;
        clean }
    :: atomic { inside && failures > 0 && (runs[0] || runs[1]) ->
        select(s : 0 .. 1);
        if
        :: runs[s] -> failures--; threw[number] = true; failed = true; goto ends
        :: else
        fi;
        clean }
    :: atomic { inside && stop && (runs[0] || runs[1]) ->
        select(s : 0 .. 1);
        if
        :: runs[s] -> failed = true; goto ends
        :: else
        fi;
        clean }

    /* A strand has done all, or leaves it, and knows of what it has given away. */
    :: atomic { inside && runs[0] && (size[0] == 0 || paused) && piece_is_done ->
        s = 0; failed = child_failed[0]; goto ends }
    :: atomic { inside && runs[1] && (size[1] == 0 || paused) && root_is_done ->
        s = 1; failed = child_failed[1]; goto ends }

    /* It begins a piece that waits. */
    :: atomic { inside && waits && !runs[0] ->
        runs[0] = true;
        size[0] = waits_size;
        expected[0] = 0;
        child_failed[0] = false;
        unrun[0] = 0;
        turn[0]++;
        home = waits_home;
        home_turn = waits_turn;
        forget_waiting }

    /* Rank 0 lets all ranks pause. */
    :: atomic { me == 0 && inside && !paused && !end_here[number] && pauses > 0 ->
        pauses--;
        paused = true;
        other = 1;
        do
        :: other < RANKS -> to(other)!pause(number, 0, 0, 0); other++
        :: else -> break
        od;
        clean }

    /* It gives away half of what it has left. */
    :: atomic { inside && asker != NOBODY && (may_give(0) || may_give(1)) ->
        select(s : 0 .. 1);
        if
        :: may_give(s) && has_room(asker) ->
            to(asker)!piece(number, address(s, me), turn[s], size[s] / 2);
            expected[s]++;
            around[number]++;
#ifndef MUTATION_GIVEN_TWICE
            size[s] = size[s] - size[s] / 2;
#endif
            asker = NOBODY
        :: else
        fi;
        clean }
    :: atomic { asker != NOBODY && has_room(asker) ->
        to(asker)!denial(number, 0, 0, 0);
        asker = NOBODY }

    /* The strand for pieces asks. */
    :: atomic { inside && !runs[0] && !waits && !paused && !requested && !end_here[number] && asks > 0 ->
        select(other : 0 .. RANKS - 1);
        if
        :: other != me && has_room(other) ->
            to(other)!request(number, 0, 0, 0);
            asks--;
            requested = true
        :: else
        fi;
        clean }

    /* The rank leaves the operation. */
    :: atomic { inside && end_here[number] && !runs[0] && !runs[1] ->
        inside = false;
        if
        :: number == OPERATIONS -> left++
        :: else
        fi;
        clean }

    /* A letter comes. */
    :: atomic { letters > 0 ->
        select(other : 0 .. RANKS - 1);
        if
        :: len(from[other * RANKS + me]) > 0 ->
            if
            :: from[other * RANKS + me]?request(op, _, _, _) ->
                if
                :: inside && !end_here[number] && waits && !paused && may_ask ->
                    to(other)!piece(number, passed_home, waits_turn, waits_size);
                    forget_waiting
                :: inside && !end_here[number] && !waits && !paused && (runs[0] || runs[1]) && asker == NOBODY && may_ask ->
                    asker = other
                :: else -> to(other)!denial(op, 0, 0, 0)
                fi
            :: from[other * RANKS + me]?denial(op, _, _, _) ->
                if
                :: op == number -> requested = false
                :: else
                fi
            :: from[other * RANKS + me]?piece(op, a, b, c) ->
                if
                :: inside && !end_here[number] && may_come ->
                    assert(op == number && !runs[0] && !waits);
                    requested = false;
                    waits = true;
                    waits_home = a;
                    waits_turn = b;
                    waits_size = c
                :: else -> assert(threw[op])       /* it is late, and dropped */
                fi
            :: from[other * RANKS + me]?reply(op, a, b, c) ->
                if
                :: runs[a] && turn[a] == b && op == number ->
                    expected[a]--;
                    around[op]--;
                    child_failed[a] = child_failed[a] || c == FAILED;
                    stop = stop || c == FAILED;
                    unrun[a] = unrun[a] + (c == FAILED -> 0 : c)
                :: else ->
#ifdef MUTATION_LATE_FAILURE
                    stop = stop || c == FAILED
#else
                    skip
#endif
                fi
            :: from[other * RANKS + me]?end(op, c, _, _) ->
#ifdef MUTATION_END_NOT_KEPT
                if
                :: inside && op == number -> end_here[op] = true
                :: else
                fi;
#else
                end_here[op] = true;
                end_failed[op] = c;
#endif
                if
                :: inside && op == number ->
                    stop = stop || stops_all;
                    forget_asker;
                    assert(!waits || threw[number]);
                    forget_waiting
                :: else
                fi
            :: from[other * RANKS + me]?pause(op, _, _, _) ->
                last_paused = op;
                if
                :: inside && op == number && !end_here[number] ->
                    paused = true;
#ifdef MUTATION_WAITING_DROPPED
                    forget_waiting
#endif
                :: else
                fi
            fi
        :: else
        fi;
        clean }

    :: atomic { left == RANKS -> break }
    od;
    goto done;

ends:
    atomic {
        assert(!failed || threw[number]);
        runs[s] = false;
        a = size[s] + come_back(s);
        if
        :: s == 0 ->
            from[me * RANKS + home_of(home)]!reply(number, strand_of(home), home_turn, (failed -> FAILED : a))
        :: else ->
            assert(failed || (units[number] + a == all[number] && around[number] == 0));
            rest = (failed -> 0 : a);
            ended[number] = true;
            end_here[number] = true;
            stop = stop || failed;
            forget_asker;
            assert(!waits || threw[number]);
            forget_waiting;
            other = 0;
            do
            :: other < RANKS && other != me -> to(other)!end(number, failed, 0, 0); other++
            :: other == me -> other++
            :: other == RANKS -> break
            od
        fi;
        size[s] = 0;
        unrun[s] = 0;
        clean
    };
    goto again;
done:
    skip
}

init
{
    byte r;
    atomic {
        do
        :: r < RANKS -> run rank(r); r++
        :: else -> break
        od
    }
}
