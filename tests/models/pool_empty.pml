/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SALSA: how a consumer that found nothing finds out that the pool is empty.
 * Implemented in include/nopal/detail/pool/salsa.hpp.
 *
 * Modelled: CONSUMERS consumers with a pool each. Consumer 0 calls check_empty,
 * once, and begins with the pool of any of them; the others take from the chunks
 * that they own and steal from each other and from consumer 0. Producers put PUTS
 * tasks, each into any chunk that is not full; a new chunk goes to any pool.
 * Chunks pass from one consumer to another as in pool_steal.pml: the node of a
 * steal is unresolved at first, and its index is that of the node stolen through.
 * An indicator is a bit in each pool for each consumer that checks; here one does.
 *
 * check_empty sets its bit in all pools, looks through all pools CONSUMERS times,
 * and then whether all bits are still set. Whoever takes what may be the last task of
 * a chunk, or its owner's right to it, clears the bits of a pool, later. The paper
 * sets each bit in the first traversal and looks at it in each one, just behind the
 * pool, but not in the end (Algorithm 2): MUTATION_AS_IN_THE_PAPER.
 *
 * Abstracted: memory is sequentially consistent. The index, the mark and the
 * clear of a consumer are plain stores that may linger in its store buffer, but
 * in order: the same as a consumer that is slow. What pool_steal.pml checks
 * needs the buffer, and is taken for granted here, with it that an owner begins:
 * a steal up to its CAS is one
 * step, and a thief that is no longer the owner may give up. A task that a producer
 * has yet in its store buffer has not been put. To set a bit takes a locked
 * instruction.
 *
 * Checked: if check_empty returns true there was a moment during the call at
 * which no chunk had a task behind its index.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_AS_IN_THE_PAPER      bits are set and checked in the traversals
 *   MUTATION_SET_WHILE_LOOKING    bits are set in the first, and checked in the end
 *   MUTATION_ONE_TRAVERSAL_LESS   there are CONSUMERS - 1
 *   MUTATION_SET_WITHOUT_FENCE    the bits become visible behind the first
 *   MUTATION_STEAL_NOT_CLEARED    a steal leaves the bits of its victim alone
 *   MUTATION_STEAL_CLEARED_LATE   it clears them when it has taken its own task too
 *   MUTATION_FIRST_NOT_CLEARED    it clears nothing for its own task, the last one
 *   MUTATION_TAKE_NOT_CLEARED     take clears nothing for the last task
 *   MUTATION_NEXT_READ_LATE       take looks for a next task behind its index store
 *   MUTATION_ONE_SLOT             check_empty looks at one slot of a chunk, and
 *                                 believes that nothing follows one that is TAKEN
 *   MUTATION_UNRESOLVED_IS_EMPTY  it skips chunks whose thief has yet to set the index
 *   MUTATION_NODE_REPLACED        the thief replaces the node in its list, and
 *                                 check_empty finds nothing in the old one (lines
 *                                 131 and 132 of the paper)
 */

#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef CHUNKS
#define CHUNKS 3
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef PUTS
#define PUTS 4
#endif
#ifndef STEALS
#define STEALS 2                /* all together */
#endif
#if STEALS > 2
#error "has_task looks at no more than three nodes"
#endif
#define NODES (STEALS + 1)
#define NODE(c, n) ((c) * NODES + (n))
#define UNRESOLVED 255
#define NOBODY 255
#ifdef MUTATION_ONE_TRAVERSAL_LESS
#define TRAVERSALS (CONSUMERS - 1)
#else
#define TRAVERSALS CONSUMERS
#endif

/* The chunks. */
byte owner[CHUNKS] = NOBODY;    /* the owner word: consumer and tag */
byte tag[CHUNKS];
byte filled[CHUNKS];            /* so many slots have got a task */
byte taken[CHUNKS];             /* slots marked TAKEN, as a bit set */
byte nodes[CHUNKS * NODES];     /* the index of each node, the number of slots taken */

bool indicator[CONSUMERS];      /* in the pool of each consumer, the bit of consumer 0 */

byte puts_to_come = PUTS;
byte steals_to_come = STEALS;

/* Only the specification reads these. */
bool checking;
bool was_empty;                 /* at some moment since check_empty began */
bool returned;
#define over (was_empty || returned)    /* nothing can go wrong any more */

#define bit_of(i) (1 << (i))
#define is_in(set, i) ((set) & bit_of(i))
#define is_valid(c, n) (owner[c] == me && tag[c] == (n))

/* For the specification: is there no task behind any index? */
inline note()
{
    j = 0;
    do
    :: j < CHUNKS ->
        k = tag[j];
        do
        :: nodes[NODE(j, k)] == UNRESOLVED -> k--
        :: else -> break
        od;
        if
        :: nodes[NODE(j, k)] < filled[j] -> break
        :: else -> j++
        fi
    :: else -> was_empty = true; break
    od;
    j = 0;
    k = 0
}

/* Nothing but this takes tasks from a pool, except for the CAS of a steal. */
inline set_index(n, value)
{
    d_step {
        nodes[NODE(c, n)] = value;
        if
        :: checking && !was_empty -> note()
        :: else
        fi
    }
}

/* won = was it I who took the task of slot i? */
inline take_with_cas()
{
    d_step {
        won = !is_in(taken[c], i);
        taken[c] = taken[c] | bit_of(i)
    }
}

inline clear(p)
{
    indicator[p] = false
}

#define may_put(c) (!over && puts_to_come > 0 && filled[c] < SLOTS)

/* put. The producer of a new chunk decides to whom it goes. */
inline put(x)
{
    atomic {
        puts_to_come--;
        if
        :: owner[x] == NOBODY -> owner[x] = 0
        :: owner[x] == NOBODY -> owner[x] = 1
#if CONSUMERS > 2
        :: owner[x] == NOBODY -> owner[x] = 2
#endif
        :: owner[x] != NOBODY
        fi;
        filled[x]++
    }
}

active proctype producers()
{
end_put:
    do
    :: atomic { may_put(0) -> put(0) }
    :: atomic { may_put(1) -> put(1) }
#if CHUNKS > 2
    :: atomic { may_put(2) -> put(2) }
#endif
    od
}

/* Behind the index of the node that is valid, or of those it was stolen through. */
#define index_1(x) (nodes[NODE(x, tag[x])])
#define has_task(x) (filled[x] > (index_1(x) != UNRESOLVED -> index_1(x) : \
    (nodes[NODE(x, tag[x] - 1)] != UNRESOLVED -> nodes[NODE(x, tag[x] - 1)] : nodes[NODE(x, 0)])))
#define may_take(x) (!over && owner[x] == me && index_1(x) < filled[x])
#define may_steal(x) \
    (!over && owner[x] != me && owner[x] != NOBODY && steals_to_come > 0 && has_task(x))

/* Up to the first look at the owner. A consumer that looked for the next task earlier than here
   would clear more often, not less. */
inline begin_take(x)
{
    c = x;
    n = tag[x];
    i = nodes[NODE(x, n)];
    last = (i + 1 >= filled[x])
}

/* Up to the CAS of the owner word. */
inline begin_steal(x)
{
    c = x;
    n = tag[x] + 1;
    victim = owner[x];
    steals_to_come--;
    nodes[NODE(x, n)] = UNRESOLVED;
    owner[x] = me;
    tag[x] = n
}

proctype consumer(byte me)
{
    byte c, n, i;               /* chunk, own node of it, index */
    byte victim;                /* who owned the chunk */
    byte j, k;                  /* scratch */
    bool last;                  /* no task in sight behind the one taken */
    bool won;

end_look:
    do
    :: atomic { may_take(0) -> begin_take(0); goto take_task }
    :: atomic { may_take(1) -> begin_take(1); goto take_task }
#if CHUNKS > 2
    :: atomic { may_take(2) -> begin_take(2); goto take_task }
#endif
    :: atomic { may_steal(0) -> begin_steal(0); goto steal_chunk }
    :: atomic { may_steal(1) -> begin_steal(1); goto steal_chunk }
#if CHUNKS > 2
    :: atomic { may_steal(2) -> begin_steal(2); goto steal_chunk }
#endif

take_task:                      /* consume, takeTask */
        set_index(n, i + 1);
#ifdef MUTATION_NEXT_READ_LATE
        last = (i + 1 >= filled[c]);
#endif
        atomic {
            if
            :: is_valid(c, n) -> taken[c] = taken[c] | bit_of(i)
            :: else ->
                take_with_cas();
                if
                :: won
                :: else -> goto next
                fi
            fi
        };
#ifndef MUTATION_TAKE_NOT_CLEARED
        if
        :: last -> clear(me)
        :: else
        fi;
#endif
        goto next;

steal_chunk:
#if !defined(MUTATION_STEAL_NOT_CLEARED) && !defined(MUTATION_STEAL_CLEARED_LATE)
        clear(victim);
#endif
        atomic {                /* read the index; then the slot, and the next one */
            k = n;
            do
            :: nodes[NODE(c, k)] == UNRESOLVED -> k--
            :: else -> i = nodes[NODE(c, k)]; break
            od;
            k = 0;
            last = (i + 1 >= filled[c]);
            if
            :: !is_valid(c, n) -> goto next     /* if the index has changed */
            :: i < filled[c]
            :: i >= filled[c] && i < SLOTS -> goto no_task
            :: i == SLOTS -> goto next
            fi
        };
        set_index(n, i + 1);
        take_with_cas();
#ifdef MUTATION_STEAL_CLEARED_LATE
        clear(victim);
#endif
#ifndef MUTATION_FIRST_NOT_CLEARED
        if
        :: won && last -> clear(me)
        :: else
        fi;
#endif
        goto next;
no_task:
        set_index(n, i);
#ifdef MUTATION_STEAL_CLEARED_LATE
        clear(victim);
#endif
next:
        atomic { c = 0; n = 0; i = 0; victim = 0; last = false; won = false }
    od
}

inline set_bits()
{
    p = 0;
    do
    :: p < CONSUMERS -> indicator[p] = true; p++
    :: else -> break
    od;
    p = 0
}

#define pool ((first + p) % CONSUMERS)

active proctype checker()       /* check_empty, by consumer 0 */
{
    byte round, p, first;
    byte c, n, i;
    byte j, k;
    bool unresolved;

    if                          /* with the pool of whom it begins */
    :: first = 0
    :: first = 1
#if CONSUMERS > 2
    :: first = 2
#endif
    fi;
    d_step { checking = true; note() };
#if !defined(MUTATION_SET_WHILE_LOOKING) && !defined(MUTATION_SET_WITHOUT_FENCE) && \
    !defined(MUTATION_AS_IN_THE_PAPER)
    set_bits();
#endif
    do
    :: round < TRAVERSALS ->
        do
        :: p < CONSUMERS ->
#if defined(MUTATION_SET_WHILE_LOOKING) || defined(MUTATION_AS_IN_THE_PAPER)
            if
            :: round == 0 -> indicator[pool] = true
            :: else
            fi;
#endif
            do                  /* is there a task in the pool of consumer p? */
            :: c < CHUNKS ->
                atomic {        /* the valid node is in p's list or not */
                    if
                    :: owner[c] != pool -> goto next
                    :: else -> n = tag[c]
                    fi;
#if defined(MUTATION_NODE_REPLACED) || defined(MUTATION_UNRESOLVED_IS_EMPTY)
                    unresolved = (nodes[NODE(c, n)] == UNRESOLVED)
#endif
                };
#ifdef MUTATION_UNRESOLVED_IS_EMPTY
                if
                :: unresolved -> goto next
                :: else
                fi;
#endif
#ifdef MUTATION_NODE_REPLACED
                if
                :: unresolved && nodes[NODE(c, n)] != UNRESOLVED -> goto next
                :: else
                fi;
#endif
                do              /* the index of this node */
                :: atomic {
                        if
                        :: nodes[NODE(c, n)] == UNRESOLVED -> n--
                        :: else -> i = nodes[NODE(c, n)]; n = 0; break
                        fi
                    }
                od;
                do              /* the first slot that is not TAKEN */
                :: atomic {
                        if
                        :: i >= filled[c] -> break
                        :: i < filled[c] && !is_in(taken[c], i) -> goto not_empty
                        :: else ->
#ifdef MUTATION_ONE_SLOT
                            break
#else
                            i++
#endif
                        fi
                    }
                od;
next:
                atomic { c++; n = 0; i = 0; unresolved = false }
            :: else -> break
            od;
#ifdef MUTATION_AS_IN_THE_PAPER
            if
            :: !indicator[pool] -> goto not_empty
            :: else
            fi;
#endif
            atomic { c = 0; p++ }
        :: else -> break
        od;
        atomic { p = 0; round++ };
#ifdef MUTATION_SET_WITHOUT_FENCE
        if
        :: round == 1 -> set_bits()
        :: else
        fi
#endif
    :: else -> break
    od;
#ifndef MUTATION_AS_IN_THE_PAPER
    do
    :: p < CONSUMERS ->
        if
        :: !indicator[p] -> goto not_empty
        :: else -> p++
        fi
    :: else -> break
    od;
#endif
    assert(was_empty);          /* check_empty returns true */
not_empty:
    returned = true
}

init
{
    atomic {
        run consumer(1);
#if CONSUMERS > 2
        run consumer(2)
#endif
    }
}
