/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects over channels without room.
 * Implemented in include/nopal/detail/sync/channel_cases.hpp,
 * include/nopal/detail/sync/select_operation.hpp and src/sync/wait_case.cpp.
 *
 * Modelled: two channels and four calls. Two selects face each other: one sends to channel
 * 0 or receives from channel 1, the other the reverse. A plain call receives from channel
 * 0, and another sends to channel 1. The second select has a deadline that comes at
 * any moment, or never. When nothing else can happen, the calls that still wait are ended.
 *
 * Abstracted: how a decision is announced (decision.pml), the locks of channels
 * (brief_lock.pml), the order of a list: any offer may be the oldest; channels with room,
 * which a lock guards as these; memory is sequentially consistent.
 *
 * Checked: an element is received once if the call that sends it says that it has been
 * sent, and else stays where it was; a call is ended by one event; nobody touches the
 * offer or the decision of a call that has returned; when nothing else can happen, no
 * lock is held, and no two calls wait that could serve each other.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_ANY_ORDER              a select takes its locks in the order of its cases
 *   MUTATION_LISTED_LATER           it gives its locks back before it lists its offers
 *   MUTATION_LISTED_EARLY           it lists each offer before it looks at the next channel
 *   MUTATION_NOT_DECIDED            an offer is served without a decision
 *   MUTATION_MOVED_FIRST            an element is moved, and then decided for
 *   MUTATION_TAKES_ONE              whoever finds an offer that is decided looks no further
 *   MUTATION_OTHERS_LEFT            a select that was served leaves its other offer listed
 *   MUTATION_ENDED_LEFT             a call that its deadline ends leaves its offers listed
 *   MUTATION_COMPLETES_FIRST        whoever serves completes, and moves the element then
 */

#define CALLS    4
#define CHANNELS 2
#define NOBODY   9

#define SENDERS   0
#define RECEIVERS 8

mtype = { none, by_send, by_receive, by_limit };

bool locked[CHANNELS];
bool offers[16];                /* at SENDERS or RECEIVERS + 4 * channel + call */
mtype decided[CALLS] = none;
bool complete[CALLS];

/* Ghosts. */
bool alive[CALLS];              /* the call has not returned */
bool sent[CALLS], received[CALLS];
byte times[CALLS];              /* how often its element has been received */
byte returned;

inline lock(c)   { atomic { !locked[c] -> locked[c] = true } }
inline unlock(c) { locked[c] = false }

/* Takes an offer from a list, and decides for it. Leaves `other`. */
inline try(list, c, q, how)
{
    atomic {
        offers[list + 4 * c + q] = false;
        assert(alive[q]);
        tried = true;
#ifdef MUTATION_MOVED_FIRST
        if
        :: how == by_send -> times[q]++
        :: else
        fi;
#endif
        if
#ifdef MUTATION_NOT_DECIDED
        :: true
#else
        :: decided[q] == none
#endif
            -> decided[q] = how; other = q
        :: else
        fi
    }
}

inline take(list, c, how)
{
    other = NOBODY;
    tried = false;
    do
#ifdef MUTATION_TAKES_ONE
    :: tried -> break
#endif
    :: other == NOBODY && offers[list + 4 * c] -> try(list, c, 0, how)
    :: other == NOBODY && offers[list + 4 * c + 1] -> try(list, c, 1, how)
    :: other == NOBODY && offers[list + 4 * c + 2] -> try(list, c, 2, how)
    :: other == NOBODY && offers[list + 4 * c + 3] -> try(list, c, 3, how)
    :: else -> break
    od
}

/* The two cases: how the caller is served, and `from` or `to` whom. */
inline move(from, to)
{
    atomic {
        assert(alive[from] && alive[to]);
        sent[from] = true;
        received[to] = true;
#ifdef MUTATION_MOVED_FIRST
        if
        :: from == me -> times[from]++
        :: else
        fi
#else
        times[from]++
#endif
    }
}

inline look_to_send(c)
{
    take(RECEIVERS, c, by_receive);
    if
    :: other != NOBODY ->
#ifdef MUTATION_COMPLETES_FIRST
        complete[other] = true;
#endif
        move(me, other); how = by_send
    :: else
    fi
}

inline look_to_receive(c)
{
    take(SENDERS, c, by_send);
    if
    :: other != NOBODY ->
#ifdef MUTATION_COMPLETES_FIRST
        complete[other] = true;
#endif
        move(other, me); how = by_receive
    :: else
    fi
}

inline list_all()
{
    atomic {
        if
        :: sends_to != NOBODY -> offers[SENDERS + 4 * sends_to + me] = true
        :: else
        fi;
        if
        :: receives_from != NOBODY -> offers[RECEIVERS + 4 * receives_from + me] = true
        :: else
        fi
    }
}

inline lock_all()
{
    if
#ifdef MUTATION_ANY_ORDER
    :: sends_to != NOBODY -> lock(sends_to)
    :: else
    fi;
    if
    :: receives_from != NOBODY -> lock(receives_from)
    :: else
#else
    :: sends_to == 0 || receives_from == 0 -> lock(0)
    :: else
    fi;
    if
    :: sends_to == 1 || receives_from == 1 -> lock(1)
    :: else
#endif
    fi
}

inline unlock_all()
{
    if
    :: sends_to == 0 || receives_from == 0 -> unlock(0)
    :: else
    fi;
    if
    :: sends_to == 1 || receives_from == 1 -> unlock(1)
    :: else
    fi
}

proctype call(byte me, sends_to, receives_from)
{
    byte other = NOBODY;
    bool tried;
    mtype how = none;

    alive[me] = true;
    lock_all();
    if
    :: sends_to != NOBODY ->
        look_to_send(sends_to);
#ifdef MUTATION_LISTED_EARLY
        if
        :: how == none -> offers[SENDERS + 4 * sends_to + me] = true; unlock_all(); lock_all()
        :: else
        fi;
#endif
        if
        :: how == none && receives_from != NOBODY -> look_to_receive(receives_from)
        :: else
        fi
    :: receives_from != NOBODY ->
        look_to_receive(receives_from);
        if
        :: how == none && sends_to != NOBODY -> look_to_send(sends_to)
        :: else
        fi
    fi;
#ifdef MUTATION_LISTED_LATER
    unlock_all();
    lock_all();
#endif
    if
    :: how == none -> list_all()
    :: else
    fi;
    unlock_all();
    if
    :: how != none ->           /* taken_offers::complete() */
        atomic {
            assert(alive[other]);
#ifndef MUTATION_COMPLETES_FIRST
            assert(!complete[other]);
#endif
            complete[other] = true
        };
        goto returns
    :: else
    fi;

    atomic { complete[me] -> how = decided[me] };

    /* unlist_all_except() */
#ifdef MUTATION_ENDED_LEFT
    if
    :: how == by_limit -> goto returns
    :: else
    fi;
#endif
#ifndef MUTATION_OTHERS_LEFT
    if
    :: sends_to != NOBODY && how != by_send ->
        lock(sends_to);
        offers[SENDERS + 4 * sends_to + me] = false;
        unlock(sends_to)
    :: else
    fi;
    if
    :: receives_from != NOBODY && how != by_receive ->
        lock(receives_from);
        offers[RECEIVERS + 4 * receives_from + me] = false;
        unlock(receives_from)
    :: else
    fi;
#endif
returns:
    atomic {
        assert(sent[me] == (how == by_send));
        assert(received[me] == (how == by_receive));
        assert(times[me] == (how == by_send -> 1 : 0));
        alive[me] = false;
        returned++
    }
}

/* The deadline of the second select. */
proctype deadline()
{
    if
    :: atomic {
            alive[1] && (offers[SENDERS + 4 + 1] || offers[RECEIVERS + 1]) &&
                decided[1] == none ->
            decided[1] = by_limit
        };
        complete[1] = true
    :: true                     /* it never comes */
    fi
}

#define waits(q)  (alive[q] && decided[q] == none)

/* Ends what still waits when nothing else can happen. */
proctype last()
{
    byte q;

    do
    :: returned == CALLS -> break
    :: timeout ->
        atomic {
            if
            :: returned == CALLS -> break
            :: else
            fi;
            assert(!locked[0] && !locked[1]);
            assert(!(waits(0) && (waits(1) || waits(2) || waits(3))));
            for (q : 0 .. CALLS - 1) {
                if
                :: waits(q) -> decided[q] = by_limit; complete[q] = true
                :: else
                fi
            }
        }
    od
}

init
{
    atomic {
        run call(0, 0, 1);
        run call(1, 1, 0);
        run call(2, NOBODY, 0);
        run call(3, 1, NOBODY);
        run deadline();
        run last()
    }
}
