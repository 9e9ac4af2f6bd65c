/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that ranks share. Implemented in src/mpi/sharing.cpp and hub.cpp, and
 * include/nopal/detail/mpi/tree.hpp.
 *
 * Modelled: RANKS ranks make OPERATIONS collective operations, one after the
 * other. An operation has SIZE units of work, all of them in the root, which
 * rank 0 runs. Each rank has a strand that asks other ranks for pieces and runs
 * them. A strand with more than one unit left may give half of them to a rank
 * that asks, and then waits for its reply before it replies itself. At most
 * FAILURES units throw. Letters of one rank to another come in order, those of
 * several ranks in any.
 *
 * Abstracted: a piece that waits on a rank, and may be passed on from there, and
 * the further strands that run pieces while one waits, are left out; a reply goes
 * by itself; a piece is its number of units; a rank has one request on its way
 * and one rank that asks it; what is done under the hub's mutex is atomic. A
 * rank asks at any time, ASKS times in all.
 *
 * Checked: an operation that does not fail ends when each of its units has been
 * done, once, and with no piece left anywhere; it fails only if one of its own
 * units has thrown; no piece is run in another operation; and all operations end.
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
#define NOBODY RANKS
/* What has been looked at is not a part of a state. */
#define clean s = 0; other = 0; op = 0; a = 0; b = 0; c = 0; failed = false

mtype = { request, denial, piece, reply, end };
/* kind, operation, strand of the home, its turn, units or whether it failed */
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
byte left;                     /* ranks that have made all operations */

proctype rank(byte me)
{
    /* Strand 0 runs pieces; strand 1 of rank 0 runs the root. */
    bool runs[2];
    byte size[2];
    byte expected[2];
    bool child_failed[2];
    byte turn[2];
    byte home;
    byte home_strand;
    byte home_turn;
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
        if
        :: me == 0 -> runs[1] = true; size[1] = SIZE; expected[1] = 0; child_failed[1] = false; turn[1]++
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

    /* A strand has done all, and what it has given away has been done. */
    :: atomic { inside && runs[0] && size[0] == 0 && piece_is_done ->
        s = 0; failed = child_failed[0]; goto ends }
    :: atomic { inside && runs[1] && size[1] == 0 && root_is_done ->
        s = 1; failed = child_failed[1]; goto ends }

    /* It gives away half of what it has left. */
    :: atomic { inside && asker != NOBODY && (may_give(0) || may_give(1)) ->
        select(s : 0 .. 1);
        if
        :: may_give(s) && has_room(asker) ->
            to(asker)!piece(number, s, turn[s], size[s] / 2);
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
    :: atomic { inside && !runs[0] && !requested && !end_here[number] && asks > 0 ->
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
        :: other != me && len(from[other * RANKS + me]) > 0 ->
            if
            :: from[other * RANKS + me]?request(op, _, _, _) ->
                if
                :: inside && !end_here[number] && (runs[0] || runs[1]) && asker == NOBODY && may_ask ->
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
                    assert(op == number && !runs[0]);
                    requested = false;
                    runs[0] = true;
                    size[0] = c;
                    expected[0] = 0;
                    child_failed[0] = false;
                    turn[0]++;
                    home = other;
                    home_strand = a;
                    home_turn = b
                :: else -> assert(threw[op])       /* it is late, and dropped */
                fi
            :: from[other * RANKS + me]?reply(op, a, b, c) ->
                if
                :: runs[a] && turn[a] == b && op == number ->
                    expected[a]--;
                    around[op]--;
                    child_failed[a] = child_failed[a] || c;
                    stop = stop || c
                :: else ->
#ifdef MUTATION_LATE_FAILURE
                    stop = stop || c
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
                :: inside && op == number -> stop = stop || stops_all; forget_asker
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
        if
        :: s == 0 ->
            from[me * RANKS + home]!reply(number, home_strand, home_turn, failed)
        :: else ->
            assert(failed || (units[number] == SIZE && around[number] == 0));
            ended[number] = true;
            end_here[number] = true;
            stop = stop || failed;
            forget_asker;
            other = 0;
            do
            :: other < RANKS && other != me -> to(other)!end(number, failed, 0, 0); other++
            :: other == me -> other++
            :: other == RANKS -> break
            od
        fi;
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
