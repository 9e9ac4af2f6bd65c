/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a block that a transaction has destroyed is freed.
 * Implemented in transaction_core::begin() and end(), src/stm/
 * transaction_core.cpp, and in reclaim(), src/stm/registry.cpp.
 *
 * Modelled: READERS transactions read the clock, announce it in their slots,
 * read a pointer, and read the block behind it; ROUNDS times. In each round a
 * reader also makes a block, reads it and memory that its constructor has
 * allocated, and undoes it. It then looks at all that it has noted, as a commit
 * or an extension does, and ends. Reads of the block itself are not noted, so
 * the block is freed as it is undone; the other memory when the attempt ends. One
 * remover replaces the block in a commit, again and again, and frees the old
 * one when no slot holds a version older than that commit. A slot's store lies
 * in a store buffer of one entry, which empties at any time, and when the
 * remover executes its process-wide fence.
 *
 * Abstracted: a commit is one step (stm_commit.pml); an extension as well,
 * since a reader has read nothing yet.
 *
 * Checked: nobody reads a block that is freed, and nobody looks at a lock in
 * memory that is freed.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_ANNOUNCED_LATE    a reader reads the pointer, then announces itself
 *   MUTATION_NO_HEAVY_FENCE    the remover looks at slots without a fence
 *   MUTATION_NO_QUIESCENCE     the remover does not look at slots
 *   MUTATION_IDLE_EARLY        a reader says that it has ended, then reads
 *   MUTATION_ONE_OLDER         a slot one version older than the commit does
 *                              not count
 *   MUTATION_UNDONE_FREED      memory of what is undone is freed at once
 *   MUTATION_OWN_NOTED         reads of the block that it has made are noted
 */

#ifndef READERS
#define READERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef COMMITS
#define COMMITS 3
#endif

#define IDLE 100
#define NOTHING 101

byte clock;
byte pointer;                   /* the number of a block */
byte version_of_pointer;
byte slot[READERS];
byte buffer[READERS];           /* what is on its way to the slot, or NOTHING */
bool freed[COMMITS + 1];

inline flush(i)
{
    d_step {
        if
        :: buffer[i] != NOTHING -> slot[i] = buffer[i]; buffer[i] = NOTHING
        :: else
        fi
    }
}

/* A store follows the one before. */
inline store_slot(x)
{
    atomic { buffer[me] == NOTHING -> buffer[me] = x }
}

/* A transaction makes a block, reads it and undoes it, and goes on. Nobody else sees any of it. */
inline make_read_undo()
{
    d_step {
        own_freed = false; other_memory_freed = false;
#ifdef MUTATION_OWN_NOTED
        own_is_noted = true;
#endif
        own_freed = true;       /* undone */
#ifdef MUTATION_UNDONE_FREED
        other_memory_freed = true;
#endif
    }
}

/* All that is noted is compared with what it was. */
inline validate()
{
    d_step {
        assert(!freed[block]);
        assert(!(own_is_noted && own_freed));
        assert(!other_memory_freed)
    }
}

proctype reader(byte me)
{
    byte version, block, round;
    bool own_is_noted, own_freed, other_memory_freed;

    do
    :: round == ROUNDS -> break
    :: else ->
        round++;
        version = clock;
#ifndef MUTATION_ANNOUNCED_LATE
        store_slot(version);
#endif
        atomic {                /* the pointer and its version belong together */
            block = pointer;
            if
            :: version_of_pointer > version -> version = clock
            :: else
            fi
        };
#ifdef MUTATION_ANNOUNCED_LATE
        store_slot(version);
#endif
#ifdef MUTATION_IDLE_EARLY
        store_slot(IDLE);
        make_read_undo();
        validate();
#else
        make_read_undo();
        validate();
        store_slot(IDLE);
#endif
        d_step {                /* the attempt has ended */
            other_memory_freed = true; version = 0; block = 0
        }
    od
}

proctype buffers()
{
end:
    do
    :: buffer[0] != NOTHING -> flush(0)
    :: buffer[READERS - 1] != NOTHING -> flush(READERS - 1)
    od
}

proctype remover()
{
    byte old, commit;

    do
    :: commit == COMMITS -> break
    :: else ->
        d_step {
            old = pointer;
            pointer = old + 1;
            clock++;
            commit = clock;
            version_of_pointer = clock
        };
#ifndef MUTATION_NO_HEAVY_FENCE
        d_step { flush(0); flush(READERS - 1) };
#endif
#ifndef MUTATION_NO_QUIESCENCE
#ifdef MUTATION_ONE_OLDER
        slot[0] + 1 >= commit;
        slot[READERS - 1] + 1 >= commit;
#else
        slot[0] >= commit;      /* waits; the code looks again later */
        slot[READERS - 1] >= commit;
#endif
#endif
        freed[old] = true
    od
}

init
{
    atomic {
        byte i;
        for (i : 0 .. READERS - 1) { slot[i] = IDLE; buffer[i] = NOTHING; run reader(i) }
        run buffers();
        run remover()
    }
}
