/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SALSA: who takes a task of a chunk that its owner consumes and others steal.
 * Implemented in include/nopal/detail/pool/salsa.hpp.
 *
 * Modelled: x86-TSO. One chunk of SLOTS slots, which one producer fills.
 * CONSUMERS consumers take from it while they own it and else try to steal it,
 * as they like and each of them again and again, so that it also returns to
 * whoever had it before. The plain stores of a consumer, to the index of its
 * node and to a slot, go to its FIFO store buffer and reach memory at any later
 * moment. A compare-and-swap drains the buffer of whoever executes it. A thief may
 * stop for good behind the one by which it has become the owner. Each consumer has
 * a hazard on the node through which it takes. A thief that does not find it there
 * needs no fence, and one that does may wait until it is gone: this is how a former
 * owner answers, by a plain store. A consumer may take from elsewhere meanwhile.
 *
 * With UNMARKED, whoever takes a task alone does not mark its slot, as it is with
 * slots of one word.
 *
 * The owner word of the chunk is (consumer, tag, begun); each steal adds one to
 * the tag. Its first owner begins, by compare-and-swap, before it takes anything;
 * a thief that has stolen before that needs no fence.
 * A node stands in the list of one consumer, refers to the chunk, and is valid
 * for one owner word, which never changes: this is what the paper lacks. The
 * node of a steal is in its list before the compare-and-swap, unresolved: its
 * index is that of the node stolen through (`from`), until the thief has set it.
 * So the chunk passes from node to node at the instant of the compare-and-swap.
 * In the paper the node is replaced later: NODE_WITHOUT_TAG and OLD_NODE are
 * what happens then.
 *
 * Abstracted: nodes have the tag for which they are valid as their number; an
 * index is the number of slots taken, one more than in the paper; nodes and
 * chunk are not reclaimed while anybody may look at them. A producer's store
 * in a buffer is the same as one that is not made yet. Lists are sets: who
 * looks through one finds the node that is valid, or any node where the
 * protocol cannot tell which one is. Machines that reorder more than x86.
 *
 * Checked: no task is taken twice, and no slot is taken that has none; at the
 * end every task is taken or lies behind the index of the valid node, which is
 * in a list, and none before the index is left; the chunk is returned once, by whoever
 * took its last task; an owner that has lost the chunk takes one task at most
 * through its node, and with compare-and-swap.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_NO_TAG                 the owner word is the consumer alone (ABA)
 *   MUTATION_NODE_WITHOUT_TAG       a consumer takes through any node of its own,
 *                                   until the thief has cleared it (lines 79, 132)
 *   MUTATION_OLD_NODE               a thief reads the index where it was when it
 *                                   chose, although the node has got its own since
 *   MUTATION_EXPECTED_READ_LATE     the thief expects the word that it reads last,
 *                                   not the one for which its node is valid
 *   MUTATION_INDEX_NOT_READ_AGAIN   the thief uses the index read before its CAS
 *   MUTATION_NO_HEAVY_FENCE         the thief leaves out the heavy fence
 *   MUTATION_ASKED_EARLY            it looks at the hazard before it owns the chunk
 *   MUTATION_ANSWERED_EARLY         the owner leaves its node before it stores the index
 *   MUTATION_HAZARD_BUFFERED        it sets its hazard with a plain store
 *   MUTATION_HAZARD_LATE            the thief sets it so, when it is the owner, and who
 *                                   steals from it does not ask for an index of its own
 *   MUTATION_FENCE_BEFORE_CAS       it executes it before it owns the chunk
 *   MUTATION_NOT_BEGUN              the first owner takes without having begun
 *   MUTATION_BEGUN_WITHOUT_CAS      it looks, and stores the word with a plain store
 *   MUTATION_THIEF_NOT_BEGUN        the thief does not begin with its steal
 *   MUTATION_BEGUN_READ_LATE        the thief becomes the owner although the chunk
 *                                   has been begun since it looked
 *   MUTATION_NO_COMPILER_BARRIER    the second look at the owner moves above the index
 *   MUTATION_NO_FIRST_CHECK         take does not look at the owner before the index
 *   MUTATION_CHECK_BEFORE_TASK      it does, but before it reads the slot
 *   MUTATION_NO_SECOND_CHECK        take does not look at the owner after the index
 *   MUTATION_LATE_WITHOUT_CAS       take marks without CAS though the chunk is stolen
 *   MUTATION_LATE_GIVES_UP          it takes nothing then
 *   MUTATION_FIRST_WITHOUT_CAS      the thief takes its first task without CAS
 *   MUTATION_NO_TASK_NEEDED         the thief steals chunks without a task in sight
 *   MUTATION_NO_THIEF_CHECK         the thief does not look at the owner again
 *   MUTATION_OWNER_GIVES_UP         it gives up where the index has changed although
 *                                   it is the owner
 *   MUTATION_INDEX_NOT_ADVANCED     its node begins with the task that it takes itself
 *   MUTATION_LISTED_LATE            its node is put into the list after the CAS
 *   MUTATION_LOSER_RETURNS          who loses the last task returns the chunk too
 *   MUTATION_REUSED_AT_ONCE         a returned chunk is filled again although its
 *                                   former owner has yet to mark a slot
 */

#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef CONSUMERS
#define CONSUMERS 3
#endif
#ifndef STEALS
#define STEALS 3                /* all together, the unsuccessful ones not counted */
#endif
#ifndef BUFFER
#define BUFFER 2                /* a full store buffer stalls the consumer */
#endif
#define NODES (STEALS + 1)

/* What is in a slot. */
#define NOTHING 0
#define TASK 1
#define TAKEN 2

/* Addresses of the words that consumers write with plain stores. */
#define SLOT(s) (s)
#define INDEX(n) (SLOTS + (n))
#define USES(c) (SLOTS + NODES + (c))    /* the hazard: one more than the node, 0 for elsewhere */
#define WORDS (SLOTS + NODES + CONSUMERS)
#define UNRESOLVED 255

byte memory[WORDS];
chan store_buffer[CONSUMERS] = [BUFFER] of { byte, byte };

/* The owner word. */
byte owner;                     /* consumer 0 is the first */
byte tag;
bool begun;

/* The nodes: node n is valid while the owner word is (holder[n], n), begun or not. */
byte holder[NODES];
byte from[NODES];               /* the node that it was stolen through */
byte stored[NODES];             /* the index that its holder stored last: what itself reads */
byte unlisted;                  /* bit set: who looks through the list does not find it */

/* Only the specification reads these. */
byte taken;                     /* slots, as a bit set */
byte late;                      /* nodes through which a task was taken late, likewise */
bool returned;                  /* the chunk */
byte busy;                      /* consumers in the middle of something */
bool produced;

#define bit_of(i) (1 << (i))
#define is_in(set, i) ((set) & bit_of(i))

#ifdef MUTATION_NO_TAG
#define is_valid(n) (owner == holder[n])
#else
#define is_valid(n) (owner == holder[n] && tag == (n))
#endif
#ifdef MUTATION_NODE_WITHOUT_TAG
#define is_owner_through(n) (owner == me)
#else
#define is_owner_through(n) is_valid(n)
#endif

#ifdef MUTATION_BEGUN_READ_LATE
#define is_as_seen true
#else
#define is_as_seen (begun == was_begun)
#endif

#if CONSUMERS == 2
#define all_drained (empty(store_buffer[0]) && empty(store_buffer[1]))
#else
#define all_drained (empty(store_buffer[0]) && empty(store_buffer[1]) && empty(store_buffer[2]))
#endif

/* The hardware: the oldest store becomes visible. */
inline drain(c)
{
    d_step {
        store_buffer[c] ? address, value ->
#ifdef MUTATION_REUSED_AT_ONCE
        assert(!(returned && address < SLOTS - 1));
#endif
        memory[address] = value;
        address = 0;
        value = 0
    }
}

active proctype memory_system()
{
    byte address, value;
end_flush:
    do
    :: drain(0)
    :: drain(1)
#if CONSUMERS > 2
    :: drain(2)
#endif
    od
}

active proctype producer()      /* put */
{
    byte s;

    do
    :: s < SLOTS -> d_step { memory[SLOT(s)] = TASK; s++ }
    :: else -> break
    od;
    atomic { s = 0; produced = true }
}

/* The following are parts of consumer. */

inline give_back(s)
{
    if
    :: s == SLOTS - 1 -> assert(!returned); returned = true
    :: else
    fi
}

inline take(s)
{
    assert(memory[SLOT(s)] != NOTHING);
    assert(!is_in(taken, s));
    taken = taken | bit_of(s);
    give_back(s)
}

inline store_index(n, value)
{
    d_step { store_buffer[me] ! INDEX(n), value; stored[n] = value }
}

/* Takes the task of a slot if nobody else has. */
inline take_with_cas(s)
{
    atomic {
        empty(store_buffer[me]);
        d_step {
            if
            :: memory[SLOT(s)] == TASK -> memory[SLOT(s)] = TAKEN; take(s)
            :: else ->
#ifdef MUTATION_LOSER_RETURNS
                give_back(s)
#else
                skip
#endif
            fi
        }
    }
}

/* i = the index of node n, m = the node that has it. */
inline read_index()
{
    m = n;
    do
    :: atomic {
            i = memory[INDEX(m)];
            if
            :: i == UNRESOLVED -> i = 0; m = from[m]
            :: else -> break
            fi
        }
    od
}

/* membarrier: at some moment between call and return each other consumer goes
   through a full barrier. Stores drain at any moment anyway, so a moment at
   which its buffer is empty is that moment; they come in any order. */
inline heavy_fence()
{
#if CONSUMERS == 2
    empty(store_buffer[1 - me])
#else
    if
    :: empty(store_buffer[(me + 1) % 3]) -> empty(store_buffer[(me + 2) % 3])
    :: empty(store_buffer[(me + 2) % 3]) -> empty(store_buffer[(me + 1) % 3])
    fi
#endif
}

/* A store to the hazard that is not ordered with the loads behind it. */
inline store_use(value)
{
    d_step { store_buffer[me] ! USES(me), value; use = value }
}

inline set_hazard(value)
{
#ifdef MUTATION_HAZARD_BUFFERED
    store_use(value)
#else
    atomic { empty(store_buffer[me]); memory[USES(me)] = value; use = value }
#endif
}

#define may_take_through(n) \
    (tag >= (n) && holder[n] == me && owner == me && !is_in(unlisted, n) && stored[n] < SLOTS)

proctype consumer(byte me)
{
    byte n;                     /* the node taken or stolen through */
    byte mine;                  /* the node of the steal */
    byte m, i, before, task;
    byte use;                   /* own hazard, as it knows it */
    bool was_begun;
    bool is_settled;            /* n has an index of its own */
    bool has_left;              /* nobody takes through n */

end_look:
    do
    /* take from elsewhere */
    :: atomic { use != 0 && empty(store_buffer[me]) -> memory[USES(me)] = 0; use = 0 }

    /* take: consume, takeTask */
#ifdef MUTATION_NODE_WITHOUT_TAG
    :: atomic { may_take_through(0) -> busy++; n = 0; i = stored[n]; was_begun = begun }; goto take_task
    :: atomic { may_take_through(1) -> busy++; n = 1; i = stored[n]; was_begun = begun }; goto take_task
    :: atomic { may_take_through(2) -> busy++; n = 2; i = stored[n]; was_begun = begun }; goto take_task
#else
    :: atomic { may_take_through(tag) -> busy++; n = tag; i = stored[n]; was_begun = begun }; goto take_task
#endif

    /* steal, through a node that is valid, in the list of its holder */
    :: atomic { owner != me && tag < STEALS && !is_in(unlisted, tag) ->
            busy++; n = tag; was_begun = begun };
        goto steal_chunk

take_task:                      /* takeTask */
        if
        :: use != n + 1 ->      /* make_current */
            set_hazard(n + 1);
            if
            :: is_owner_through(n)
            :: else -> goto leave
            fi
        :: else
        fi;
#ifdef MUTATION_BEGUN_WITHOUT_CAS
        if
        :: !was_begun -> atomic { owner = me; tag = n; begun = true }
        :: else
        fi;
#elif !defined(MUTATION_NOT_BEGUN)
        if
        :: !was_begun ->
            atomic {            /* CAS(owner, the word of n, the same begun) */
                empty(store_buffer[me]);
                if
                :: is_valid(n) && !begun -> begun = true
                :: else -> goto leave
                fi
            }
        :: else
        fi;
#endif
#ifdef MUTATION_CHECK_BEFORE_TASK
        if
        :: is_valid(n)
        :: else -> goto next
        fi;
#endif
        atomic {
            task = memory[SLOT(i)];
            if
            :: task == NOTHING -> goto next
            :: else
            fi
        };
#if !defined(MUTATION_NO_FIRST_CHECK) && !defined(MUTATION_CHECK_BEFORE_TASK)
        if
        :: is_owner_through(n)
        :: else -> goto leave
        fi;
#endif
#ifdef MUTATION_ANSWERED_EARLY
        store_use(0);
#endif
#ifdef MUTATION_NO_COMPILER_BARRIER
        m = (is_valid(n) -> 1 : 0);
#endif
        store_index(n, i + 1);
        if
#ifdef MUTATION_NO_SECOND_CHECK
        :: true ->
#elif defined(MUTATION_NO_COMPILER_BARRIER)
        :: m == 1 ->
#else
        :: is_owner_through(n) ->
#endif
#ifdef UNMARKED
            d_step { assert(task == TASK); take(i) }
#else
            d_step { store_buffer[me] ! SLOT(i), TAKEN; assert(task == TASK); take(i) }
#endif
#ifndef MUTATION_NO_SECOND_CHECK
        :: else ->              /* stolen: the last one through this node */
            d_step { assert(!is_in(late, n)); late = late | bit_of(n) };
            store_use(0);       /* behind the index: answers the thief */
#ifdef MUTATION_LATE_WITHOUT_CAS
            d_step { store_buffer[me] ! SLOT(i), TAKEN; take(i) }
#elif defined(MUTATION_LATE_GIVES_UP)
            skip
#else
            if
            :: task == TASK -> take_with_cas(i)
            :: else
            fi
#endif
#endif
        fi;
        goto next;

steal_chunk:
        read_index();
        atomic {
            if
            :: i == SLOTS -> goto next
#ifndef MUTATION_NO_TASK_NEEDED
            :: i < SLOTS && memory[SLOT(i)] == NOTHING -> goto next
#endif
            :: else -> before = i; i = 0
            fi
        };
#ifndef MUTATION_OLD_NODE
        m = 0;
#endif
#ifdef MUTATION_FENCE_BEFORE_CAS
        heavy_fence();
#endif
#ifdef MUTATION_ASKED_EARLY
        has_left = (memory[USES(holder[n])] != n + 1);
#endif
#ifndef MUTATION_HAZARD_LATE
        set_hazard(n + 2);      /* on the node that is to be mine */
#endif
        atomic {                /* CAS(owner, the word seen, (me, tag + 1, begun)) */
            empty(store_buffer[me]);
            if
#ifdef MUTATION_EXPECTED_READ_LATE
            :: owner != me && tag < STEALS && is_as_seen ->
#else
            :: is_valid(n) && tag < STEALS && is_as_seen ->
#endif
                mine = tag + 1;
                holder[mine] = me;
                from[mine] = n;
                stored[mine] = UNRESOLVED;
                memory[INDEX(mine)] = UNRESOLVED;
                owner = me;
                tag = mine;
#ifdef MUTATION_THIEF_NOT_BEGUN
                begun = false;
#else
                begun = true;
#endif
#ifdef MUTATION_LISTED_LATE
                unlisted = unlisted | bit_of(mine)
#endif
            :: else -> goto leave
            fi;
            is_settled = (memory[INDEX(n)] != UNRESOLVED)
        };
        if
        :: true
        :: true -> goto stopped /* for good */
        fi;
#ifdef MUTATION_LISTED_LATE
        unlisted = unlisted & ~bit_of(mine);
#endif
#if !defined(MUTATION_NO_HEAVY_FENCE) && !defined(MUTATION_FENCE_BEFORE_CAS)
        if
        :: was_begun ->
            if                  /* wait_or_fence */
#ifdef MUTATION_ASKED_EARLY
            :: is_settled && has_left
#elif defined(MUTATION_HAZARD_LATE)
            :: memory[USES(holder[n])] != n + 1
#else
            :: is_settled && memory[USES(holder[n])] != n + 1
#endif
            :: true -> heavy_fence()
            fi
        :: else
        fi;
#endif
#ifdef MUTATION_HAZARD_LATE
        store_use(mine + 1);
#endif
#ifdef MUTATION_INDEX_NOT_READ_AGAIN
        i = before;
#elif defined(MUTATION_OLD_NODE)
        i = memory[INDEX(m)];
#else
        read_index();
#endif
        atomic {
            m = 0;
            if
            :: i == SLOTS -> unlisted = unlisted | bit_of(mine); goto next
            :: else -> task = memory[SLOT(i)]
            fi
        };
        if
        :: task != NOTHING ->
            /* Where the index has changed, the task may be newer than the next steal,
               whose thief then has not seen it and takes it as the owner. */
#ifndef MUTATION_NO_THIEF_CHECK
            atomic {
                if
#ifdef MUTATION_OWNER_GIVES_UP
                :: i != before ->
#else
                :: i != before && !is_valid(mine) ->
#endif
                    unlisted = unlisted | bit_of(mine);
                    goto next
                :: else -> before = 0
                fi
            };
#endif
#ifdef MUTATION_INDEX_NOT_ADVANCED
            store_index(mine, i);
#else
            store_index(mine, i + 1);   /* or behind the CAS: nobody needs the order */
#endif
#ifdef MUTATION_NODE_WITHOUT_TAG
            unlisted = unlisted | bit_of(n);
#endif
            if
#ifdef MUTATION_FIRST_WITHOUT_CAS
            :: task == TASK -> d_step { store_buffer[me] ! SLOT(i), TAKEN; take(i) }
#else
            :: task == TASK -> take_with_cas(i)
#endif
            :: else
            fi;
        :: else ->
            store_index(mine, i);
#ifdef MUTATION_NODE_WITHOUT_TAG
            unlisted = unlisted | bit_of(n)
#endif
        fi;
        goto next;
leave:                          /* the chunk is another's: answers the thief */
        store_use(0);
next:
        atomic {
            n = 0; mine = 0; m = 0; i = 0; before = 0; task = 0;
            was_begun = false; is_settled = false; has_left = false;
            busy--
        }
    od;
stopped:
    atomic {
        n = 0; mine = 0; m = 0; i = 0; before = 0; task = 0;
        was_begun = false; is_settled = false; has_left = false;
        busy--
    }
}

/* Looks whenever everything has come to rest. */
active proctype judge()
{
    byte n, s;

end_watch:
    do
    :: d_step {
            produced && busy == 0 && all_drained ->
            n = tag;
            do
            :: memory[INDEX(n)] == UNRESOLVED -> n = from[n]
            :: else -> break
            od;
            s = 0;
            do
            :: s < SLOTS ->
                if
                :: s < memory[INDEX(n)] -> assert(is_in(taken, s))
                :: else ->      /* whoever looks for work finds it */
                    assert(!is_in(taken, s) && memory[SLOT(s)] == TASK && !is_in(unlisted, tag))
                fi;
                s++
            :: else -> break
            od;
            n = 0;
            s = 0;
            assert(returned == (is_in(taken, SLOTS - 1) != 0))
        }
    od
}

init
{
    atomic {
        run consumer(0);
        run consumer(1);
#if CONSUMERS > 2
        run consumer(2)
#endif
    }
}
