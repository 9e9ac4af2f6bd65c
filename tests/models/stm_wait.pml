/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a transaction sleeps until something that it has read changes.
 * Implemented in src/stm/waiting.cpp and waiting.hpp.
 *
 * Modelled: SLEEPERS transactions wait, by or_else, until one of two locations
 * is no longer 0: each reads the left one, then the right one, and sleeps if
 * both are 0. A committer writes both locations once, in two commits and in
 * any order. The store with which it gives a lock back lies in its store buffer
 * until that empties: at any time, or when a sleeper executes its process-wide
 * fence. Its next commit takes a lock first, which empties the buffer too.
 *
 * Before it sleeps, a sleeper has made an object and undone it. It has read the
 * object, which is not noted, and memory that the object's constructor has
 * allocated, which is: that must stay as long as others look at what was noted.
 * It may also have read nothing else than the object; then nothing would wake
 * it, and it leaves by an exception.
 *
 * With LIMITS, a limit may end one sleep of the first sleeper: it decides, and then the
 * sleeper takes itself out of the list. Then it begins again.
 *
 * Abstracted: versions; a location is changed when it is no longer 0. The
 * mutex is one step.
 *
 * Checked: nobody sleeps for ever (the model ends, and with weak fairness all
 * sleepers go on); whoever is woken is in no list any more; nobody looks at
 * memory that is freed.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_NO_RECHECK          a sleeper does not look again
 *   MUTATION_COUNTED_LATE        it looks again, then counts itself
 *   MUTATION_NO_HEAVY_FENCE      it looks again without a fence
 *   MUTATION_LOOKED_OUTSIDE      it looks again before it has the mutex
 *   MUTATION_LEFT_READS_DROPPED  it sleeps on what the right branch has read
 *   MUTATION_RELEASED_LATE       a committer looks for sleepers, then gives its
 *                                lock back
 *   MUTATION_ONE_IS_WOKEN        a committer wakes one sleeper only
 *   MUTATION_UNDONE_FREED        a sleeper frees what it has undone, then sleeps
 *   MUTATION_LIMIT_LEFT_LISTED   (LIMITS) a sleeper that a limit ends stays in the list
 *   MUTATION_LIMIT_WOKEN         (LIMITS) a committer wakes whoever it takes out
 *   MUTATION_OWN_NOTED           what it reads of its own object is noted, so
 *                                that it sleeps although nothing can wake it
 */

#ifndef SLEEPERS
#define SLEEPERS 2
#endif

bool changed[2];
bool on_its_way[2];             /* in the store buffer of the committer */
byte count;                     /* those that sleep, or are about to */
bool listed[SLEEPERS];
bool woken[SLEEPERS];
bool reads_others[SLEEPERS];    /* not only what it has made itself */
bool ended[SLEEPERS];           /* a limit has decided */
bool limit_came;
bool undone_freed[SLEEPERS];    /* what a sleeper has made, read and undone */
byte gone_on;

inline flush()
{
    d_step {
        if :: on_its_way[0] -> changed[0] = true; on_its_way[0] = false :: else fi;
        if :: on_its_way[1] -> changed[1] = true; on_its_way[1] = false :: else fi
    }
}

#ifdef MUTATION_LEFT_READS_DROPPED
#define concerns(i) (reads_others[i] && changed[1])
#else
#define concerns(i) (reads_others[i] && (changed[0] || changed[1]))
#endif

/* What was noted is compared: a location of all, and memory of its own. */
inline look(i)
{
    assert(!undone_freed[i])
}

proctype sleeper(byte me)
{
    bool sleeps;

again:
    undone_freed[me] = false;   /* made anew */
    if
    :: reads_others[me] = false;
#ifdef MUTATION_OWN_NOTED
       goto fall_asleep
#else
       goto leave               /* nothing was noted: an exception */
#endif
    :: reads_others[me] = true
    fi;
    if
    :: changed[0] -> goto leave
    :: !changed[0]
    fi;
    if
    :: changed[1] -> goto leave
    :: !changed[1]
    fi;
fall_asleep:
    skip;
#ifdef MUTATION_UNDONE_FREED
    undone_freed[me] = true;
#endif
#ifdef MUTATION_COUNTED_LATE
    flush();
    atomic { sleeps = !concerns(me); if :: sleeps -> listed[me] = true :: else fi };
    if :: sleeps -> count++ :: else -> goto again fi;
#else
    count++;
#ifndef MUTATION_NO_HEAVY_FENCE
    flush();
#endif
#ifdef MUTATION_LOOKED_OUTSIDE
    sleeps = !concerns(me);
#endif
    atomic {                    /* with the mutex */
        look(me);
#ifdef MUTATION_NO_RECHECK
        sleeps = true;
#else
#ifndef MUTATION_LOOKED_OUTSIDE
        sleeps = !concerns(me);
#endif
#endif
        if
        :: sleeps -> listed[me] = true
        :: else -> count--
        fi
    };
#endif
    if
    :: !sleeps -> undone_freed[me] = true; goto again
    :: else
    fi;
    if
    :: atomic { woken[me] -> woken[me] = false; assert(!listed[me] && !ended[me]) }
#ifdef LIMITS
    :: atomic { me == 0 && !limit_came && !woken[me] -> limit_came = true; ended[me] = true };
#ifndef MUTATION_LIMIT_LEFT_LISTED
        atomic {                /* with the mutex */
            if
            :: listed[me] -> listed[me] = false; count--
            :: !listed[me]
            fi;
            assert(!woken[me]);
            ended[me] = false
        }
#endif
#endif
    fi;
    undone_freed[me] = true;
    sleeps = false;
    goto again;

leave:
    gone_on++
}

inline look_through()
{
    if
    :: count != 0 ->
        atomic {                /* with the mutex, taking which empties the buffer */
            flush();
            i = 0;
            do
            :: i == SLEEPERS -> break
            :: i < SLEEPERS && !listed[i] -> i++
            :: i < SLEEPERS && listed[i] ->
                look(i);
                if
                :: concerns(i) ->
                    listed[i] = false; count--;
#ifdef MUTATION_LIMIT_WOKEN
                    woken[i] = true
#else
                    woken[i] = !ended[i]
#endif
#ifdef MUTATION_ONE_IS_WOKEN
                    ; break
#endif
                :: else
                fi;
                i++
            od;
            i = 0
        }
    :: count == 0
    fi
}

inline commit(l)
{
    flush();                    /* a lock is taken */
#ifdef MUTATION_RELEASED_LATE
    look_through();
    on_its_way[l] = true;
#else
    on_its_way[l] = true;
    look_through();
#endif
}

proctype committer()
{
    byte i;

    if
    :: commit(0)
#ifdef BOTH
       ; commit(1)
    :: commit(1); commit(0)
#else
    :: commit(1)
#endif
    fi
}

proctype buffer()
{
end:
    do
    :: on_its_way[0] || on_its_way[1] -> flush()
    od
}

init
{
    atomic {
        byte i;
        for (i : 0 .. SLEEPERS - 1) { run sleeper(i) }
        run buffer();
        run committer()
    }
}

#ifdef LIVENESS
ltl all_go_on { <> (gone_on == SLEEPERS) }
#endif
