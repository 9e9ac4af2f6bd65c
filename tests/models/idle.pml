/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lazy idling: who searches, who sleeps, who wakes whom.
 * Implemented in src/scheduler/idle.hpp and idle.cpp.
 *
 * Modelled: GROUPS NUMA groups with one atomic word {active_workers, searchers,
 * other_groups} and one event count (epoch and futex) each. `active_workers` counts
 * the workers of this group with work, `searchers` its awake workers without work.
 * `other_groups` counts the other groups with active workers: the first worker of a
 * group to find work adds to it and the last to lose work takes off, one word after
 * the other, so that it may be below 0 for a moment. An active worker creates stealable items, or runs them itself, without
 * telling anybody. A submitter outside pushes SUBMISSIONS jobs to a queue. With
 * TO_ONE another one puts that many jobs into the inbox of worker 0, from which
 * nobody else takes (submit_to). With SPAWNS an active worker spawns that many
 * functions, which lie in a second queue of its own: it may leave them there when it
 * searches, and a thief moves several of them to its own queue.
 * A futex wake picks any one sleeper of the group, or worker 0 for submit_to.
 * With GUESTS (1 or 2, one group) threads that are no workers come and go, VISITS
 * times in all. A guest has a flag, which says that it is here, and a deque of
 * its own. As many workers sleep in its stead.
 *
 * Abstracted: an epoch is only ever compared with the present one, so the model
 * keeps for each worker whether its key is still the present epoch; deques and
 * queue are exact; memory is sequentially consistent (the announcement of sleep
 * and the push of a submission each need a full fence before the load that
 * follows). A searcher may miss stealable work at any time. Guests are counted as
 * the code does it: the word is one step, and each flag is one more, so a count is
 * not of one moment. The flags are read in order, and the reading stops where the
 * count decides. A guest keeps its flag for all its visits; it may go while a
 * worker still runs what it has stolen of it, and steals nothing itself.
 *
 * Checked: whenever no worker is in transition, the words hold the true numbers
 * and no group with a sleeper lacks a searcher while any worker is active; it
 * never happens that all workers sleep beside a submission; with weak fairness
 * all work is done in the end and then all workers sleep for good (quiescent);
 * worker 0 never sleeps beside a job that was submitted to it; no worker ever sleeps
 * beside functions in its own second queue, not even if it had no stack to run them.
 * A worker that has been woken and does not run yet counts as awake.
 * With GUESTS: when no guest is in transition either, a group with a sleeper has a
 * searcher, or neither a worker nor a guest has work, or no more workers sleep than
 * guests are here. A thief that steals has read, when it asked, that as many workers
 * sleep as guests have been here ever since.
 *
 * Mutations, each of which must be found faulty:
 *   MUTATION_NO_RECHECK            no look at the queue after announcing sleep
 *   MUTATION_KEY_AFTER_DECREMENT   the epoch is read after announcing sleep
 *   MUTATION_NO_WAKE_BY_LAST       the last searcher to find work wakes nobody
 *   MUTATION_NO_CANCEL             the last searcher sleeps beside active workers
 *   MUTATION_SLEEPERS_COUNTED_LATE the waker counts only those already in the futex
 *   MUTATION_SUBMIT_READS_FIRST    a submission looks at the word, then pushes
 *   MUTATION_OTHER_GROUPS_UNTOLD   (2 groups) work that appears elsewhere wakes
 *                                  no searcher in a group where all sleep
 *   MUTATION_LAST_TELLS_NOBODY     (2 groups) the last to lose work in a group
 *                                  leaves the words of the others as they are
 *   MUTATION_ANY_LOSER_TELLS       (2 groups) not only the last does
 *   MUTATION_NO_RECHECK_OF_OWN     (TO_ONE) worker 0 looks at the queue only
 *   MUTATION_TO_READS_FIRST        (TO_ONE) submit_to looks for sleepers, then puts
 *   MUTATION_TO_WAKES_ONE          (TO_ONE) submit_to wakes one of the group
 *   MUTATION_SPAWNED_LEFT          (SPAWNS) a worker sleeps beside its own functions
 *   MUTATION_SPAWNED_UNCOUNTED     (SPAWNS) a searcher runs its own functions as if
 *                                  it had found nothing
 *   MUTATION_LEFT_TO_THIEVES       (SPAWNS, LIVENESS) only thieves take functions
 *                                  of a worker that searches
 *   MUTATION_GUEST_READS_FIRST     (GUESTS) a guest reads the word, then comes
 *   MUTATION_GUEST_GOES_QUIETLY    (GUESTS) a guest that goes wakes nobody
 *   MUTATION_LAST_SLEEPS           (GUESTS) the last searcher sleeps beside a guest
 *   MUTATION_SUBMIT_SPARES_ALL     (GUESTS) a submission wakes nobody if no more sleep
 *                                  than guests are here, even if no worker is awake
 *   MUTATION_STEALS_ANYHOW         (GUESTS) a thief does not ask whether it may
 *   MUTATION_GUESTS_READ_FIRST     (GUESTS) a worker counts the guests, then announces
 *                                  its sleep
 *   MUTATION_LAST_NEVER_SLEEPS     (LIVENESS) the last searcher stays up although
 *                                  nobody works
 */

#ifndef GROUPS
#define GROUPS 1
#endif
#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef SUBMISSIONS
#define SUBMISSIONS 2
#endif
#ifndef ITEMS
#define ITEMS 2                 /* stealable items that all jobs create together */
#endif
#ifndef SPAWNS
#define SPAWNS 0
#endif
#ifndef GUESTS
#define GUESTS 0
#endif
#ifndef VISITS
#define VISITS 2                /* of all guests together */
#endif
#define group_of(w) ((w) % GROUPS)

/* The word of each group; each change below is one atomic operation. */
byte active_workers[GROUPS];
byte searchers[GROUPS];
short other_groups[GROUPS];

/* The event counts. */
bool key_present[WORKERS];      /* the key of this worker is the present epoch */
bool asleep[WORKERS];           /* in the futex and not woken */

/* The work. */
byte queue;
byte items[WORKERS + GUESTS];   /* stealable, in the deque of this worker or guest */
byte items_to_come = ITEMS;
byte submissions_to_come = SUBMISSIONS;
bool submitting;                /* from the push to the end of the wake-up */
#if SPAWNS > 0
byte spawned[WORKERS];          /* in the second queue of this worker */
byte spawns_to_come = SPAWNS;
#define has_spawned(w) (spawned[w] > 0)
#else
#define has_spawned(w) false
#endif
#if GUESTS > 0
bool here[GUESTS];              /* the flags */
byte moving;                    /* guests that have not come or gone completely */
byte visits_to_come = VISITS;
byte stayed[WORKERS];           /* ghost: guests here since this worker asked, as bits */
#if GUESTS > 1
#define has_item_of_guest (items[WORKERS] > 0 || items[WORKERS + 1] > 0)
#define guests_here (here[0] + here[1])
#define guests_here_as_bits (here[0] + 2 * here[1])
#else
#define has_item_of_guest (items[WORKERS] > 0)
#define guests_here here[0]
#define guests_here_as_bits here[0]
#endif
#endif
#if defined(TO_ONE) || GUESTS > 0
byte sleepers;                  /* of group 0, counted as searchers are */
#endif
#ifdef TO_ONE
byte own;                       /* the inbox of worker 0 */
byte to_one_to_come = SUBMISSIONS;
bool submitting_to_one;
#define has_own(w) (w == 0 && own > 0)
#else
#define has_own(w) false
#endif
#if defined(TO_ONE) || GUESTS > 0
#define counts_as_sleeper(w, d) if :: group_of(w) == 0 -> sleepers = sleepers + d :: else fi
#else
#define counts_as_sleeper(w, d) skip
#endif

/* Ghost: where each worker is. Sleep is in `asleep`. */
mtype = { in_transition, searches, works };
mtype phase[WORKERS];

inline mark_epoch(g)
{
    for (i : 0 .. WORKERS - 1) {
        if
        :: group_of(i) == g -> key_present[i] = false
        :: else
        fi
    }
    i = 0
}

inline advance_epoch(g)
{
    atomic { mark_epoch(g) }
}

/* Wakes any one worker of group g, if one is in the futex. */
inline futex_wake(g)
{
    atomic {
        if
        :: group_of(0) == g && asleep[0] -> asleep[0] = false
        :: group_of(1) == g && asleep[1] -> asleep[1] = false
#if WORKERS > 2
        :: group_of(2) == g && asleep[2] -> asleep[2] = false
#endif
#if WORKERS > 3
        :: group_of(3) == g && asleep[3] -> asleep[3] = false
#endif
        :: else -> skip
        fi
    }
}

#define nobody_in_futex(g) \
    (!(group_of(0) == g && asleep[0]) && !(group_of(1) == g && asleep[1]) && \
     !(group_of(2) == g && asleep[2]))

/* The event count is advanced before the wake, so that a worker on its way
   into the futex turns back. With no sleeper this is idle work, and may be
   left out if sleepers are counted from their announcement on. */
inline wake_one(g)
{
#ifdef MUTATION_SLEEPERS_COUNTED_LATE
    if
    :: nobody_in_futex(g)
    :: else -> advance_epoch(g); futex_wake(g)
    fi
#else
    advance_epoch(g);
    futex_wake(g)
#endif
}

#if GUESTS > 0
/* Counts the guests flag by flag, but none above `most`. A caller reads the last
   flag with count_last(), in one step with what it decides. */
inline count_first(most)
{
#if GUESTS > 1
    if
    :: atomic { most > 0 && here[0] -> guests = 1 }
    :: atomic { else -> guests = 0 }
    fi
#else
    skip
#endif
}

inline count_last(most)
{
    if
    :: guests < most && here[GUESTS - 1] -> guests++
    :: else
    fi
}

inline forget_counts()
{
    asleep_seen = 0;
    guests = 0
}
#endif

proctype worker(byte me)
{
#if GUESTS > 0
    byte asleep_seen;
    byte guests;
#endif
    byte other;                 /* the word that is changed next */
    byte i;
    bool alone;                 /* nobody searches (any more) in this group */
    bool tells;                 /* the other groups are to be told */

    atomic { phase[me] = searches };

search:
    atomic {                    /* the queue first */
        assert(phase[me] == searches && items[me] == 0);
        if
#ifdef TO_ONE
        :: has_own(me) -> own--; phase[me] = in_transition; goto found
#endif
        :: queue > 0 -> queue--; phase[me] = in_transition; goto found
        :: else
        fi
    };
#if SPAWNS > 0 && !defined(MUTATION_LEFT_TO_THIEVES)
    atomic {                    /* then its own functions */
        if
        :: has_spawned(me) -> spawned[me]--; phase[me] = in_transition;
#ifdef MUTATION_SPAWNED_UNCOUNTED
            phase[me] = works; goto work
#else
            goto found
#endif
#ifndef LIVENESS
        :: has_spawned(me)      /* it has no stack */
#endif
        :: else
        fi
    };
#endif
#if GUESTS > 0
    atomic {                    /* then somebody's deque, if it may steal */
        if
        :: items[0] > 0 || items[1] > 0 || has_item_of_guest ->
            asleep_seen = sleepers;
            stayed[me] = guests_here_as_bits
        :: true ->
            key_present[me] = true;     /* reads the epoch */
            phase[me] = in_transition;
            goto announce_sleep
        fi
    };
#ifndef MUTATION_STEALS_ANYHOW
    count_first(asleep_seen + 1);
    atomic {
        count_last(asleep_seen + 1);
        if
        :: guests > asleep_seen ->
            stayed[me] = 0;
            forget_counts();
            key_present[me] = true;
            phase[me] = in_transition;
            goto announce_sleep
        :: else -> guests = 0
        fi
    };
#endif
    atomic {
        if
        :: items[0] > 0 -> items[0]--
        :: items[1] > 0 -> items[1]--
#if WORKERS > 2
        :: items[2] > 0 -> items[2]--
#endif
        :: items[WORKERS] > 0 -> items[WORKERS]--
#if GUESTS > 1
        :: items[WORKERS + 1] > 0 -> items[WORKERS + 1]--
#endif
        :: else -> forget_counts(); stayed[me] = 0; goto search
        fi;
        assert((stayed[me] & 1) + (stayed[me] >> 1) <= asleep_seen);
        forget_counts();
        stayed[me] = 0;
        phase[me] = in_transition
    };
#else
    atomic {                    /* then somebody's deque, or functions */
        if
        :: items[0] > 0 -> items[0]--; phase[me] = in_transition; goto found
        :: items[1] > 0 -> items[1]--; phase[me] = in_transition; goto found
#if WORKERS > 2
        :: items[2] > 0 -> items[2]--; phase[me] = in_transition; goto found
#endif
#if WORKERS > 3
        :: items[3] > 0 -> items[3]--; phase[me] = in_transition; goto found
#endif
#if SPAWNS > 0
        :: me != 0 && has_spawned(0) -> other = 0; phase[me] = in_transition
        :: me != 1 && has_spawned(1) -> other = 1; phase[me] = in_transition
#if WORKERS > 2
        :: me != 2 && has_spawned(2) -> other = 2; phase[me] = in_transition
#endif
#endif
        :: true -> phase[me] = in_transition; goto announce_sleep
        fi
    };
#endif
#if SPAWNS > 0
    atomic {                    /* one to run, unless another was faster */
        if
        :: has_spawned(other) -> spawned[other]--
        :: else -> other = 0; phase[me] = searches; goto search
        fi
    };
    do                          /* and several others */
    :: atomic { has_spawned(other) -> spawned[other]--; spawned[me]++ }
    :: break
    od;
    other = 0;
#endif

found:                          /* search -> active */
    atomic {
        active_workers[group_of(me)]++;
        searchers[group_of(me)]--;
#if GUESTS > 0
        if
        :: searchers[0] > 0 || sleepers == 0 -> phase[me] = works; goto work
        :: else
        fi
#else
        tells = (active_workers[group_of(me)] == 1);
        alone = (searchers[group_of(me)] == 0)
#endif
    };
#if GUESTS > 0
#ifndef MUTATION_NO_WAKE_BY_LAST
    asleep_seen = sleepers;
    count_first(asleep_seen);
    atomic {
        count_last(asleep_seen);
        if
        :: guests == asleep_seen -> forget_counts(); phase[me] = works; goto work
        :: else -> forget_counts(); mark_epoch(0)
        fi
    };
    atomic { futex_wake(0); phase[me] = works; goto work };
#endif
#else
#ifndef MUTATION_NO_WAKE_BY_LAST
    if
    :: alone -> wake_one(group_of(me))
    :: else
    fi;
#endif
#if GROUPS > 1
    other = (group_of(me) + 1) % GROUPS;
    do
    :: tells && other != group_of(me) ->
        /* All of that group may have gone to sleep because its word said that
           nobody works. Whoever makes it say otherwise owes it a searcher. */
        atomic {
            other_groups[other]++;
            alone = (other_groups[other] == 1 && active_workers[other] == 0 && searchers[other] == 0)
        };
#ifndef MUTATION_OTHER_GROUPS_UNTOLD
        if
        :: alone -> wake_one(other)
        :: else
        fi;
#endif
        other = (other + 1) % GROUPS
    :: else -> break
    od;
#endif
#endif
    atomic { alone = false; tells = false; other = 0; phase[me] = works };

work:
    do
    :: atomic { items_to_come > 0 -> items_to_come--; items[me]++ }
    :: atomic { items[me] > 0 -> items[me]-- }
#if SPAWNS > 0
    :: atomic { spawns_to_come > 0 -> spawns_to_come--; spawned[me]++ }
    :: atomic { has_spawned(me) -> spawned[me]-- }      /* the next of a row */
#endif
    :: atomic { items[me] == 0 -> phase[me] = in_transition }; break
    od;

    /* active -> search */
#if GROUPS > 1
    atomic {
        active_workers[group_of(me)]--;
        searchers[group_of(me)]++;
#ifdef MUTATION_ANY_LOSER_TELLS
        tells = true
#else
        tells = (active_workers[group_of(me)] == 0)
#endif
    };
#ifndef MUTATION_LAST_TELLS_NOBODY
    other = (group_of(me) + 1) % GROUPS;
    do
    :: tells && other != group_of(me) -> other_groups[other]--; other = (other + 1) % GROUPS
    :: else -> break
    od;
#endif
    atomic { tells = false; other = 0; phase[me] = searches };
#else
    atomic { active_workers[0]--; searchers[0]++; phase[me] = searches };
#endif
    goto search;

announce_sleep:                 /* search -> sleep */
#if GUESTS == 0 && !defined(MUTATION_KEY_AFTER_DECREMENT)
    key_present[me] = true;     /* reads the epoch */
#endif
#ifdef MUTATION_GUESTS_READ_FIRST
    asleep_seen = sleepers + 1;
    count_first(asleep_seen);
    atomic { count_last(asleep_seen) };
#endif
    atomic {
        searchers[group_of(me)]--;
        counts_as_sleeper(me, 1);
#ifdef MUTATION_LAST_NEVER_SLEEPS
        alone = (searchers[group_of(me)] == 0)
#elif GUESTS > 0
        if
        :: searchers[0] > 0 -> forget_counts(); goto recheck
        :: else -> tells = (active_workers[0] > 0)      /* the last searcher */
        fi
#else
        alone = (searchers[group_of(me)] == 0 &&
                 (active_workers[group_of(me)] > 0 || other_groups[group_of(me)] > 0))
#endif
    };
#ifdef MUTATION_KEY_AFTER_DECREMENT
    key_present[me] = true;
#endif
#if GUESTS > 0
#ifndef MUTATION_GUESTS_READ_FIRST
    asleep_seen = sleepers;
    count_first(asleep_seen);
#endif
    atomic {                    /* the last searcher stays up */
#ifndef MUTATION_GUESTS_READ_FIRST
        count_last(asleep_seen);
#endif
        if
        :: guests == 0 && tells -> goto cancel
#ifndef MUTATION_LAST_SLEEPS
        :: guests != 0 && guests != asleep_seen -> goto cancel
#endif
        :: else -> forget_counts(); tells = false
        fi
    };
recheck:
#elif !defined(MUTATION_NO_CANCEL)
    if
    :: alone -> goto cancel     /* somebody works: the last searcher stays up */
    :: else
    fi;
#endif
#ifndef MUTATION_NO_RECHECK
    if
    :: queue > 0 -> goto cancel
    :: else
    fi;
#endif
#if defined(TO_ONE) && !defined(MUTATION_NO_RECHECK_OF_OWN)
    if
    :: has_own(me) -> goto cancel
    :: else
    fi;
#endif
#ifndef MUTATION_SPAWNED_LEFT
    if
    :: has_spawned(me) -> goto cancel
    :: else
    fi;
#endif
    atomic {                    /* futex_wait(epoch == key) */
        alone = false;
        if
        :: key_present[me] -> key_present[me] = false; asleep[me] = true
        :: else -> goto cancel
        fi
    };
end_asleep:
    !asleep[me];

cancel:                         /* also the way back from sleep */
    atomic {
        key_present[me] = false;
        alone = false;
#if GUESTS > 0
        tells = false;
        forget_counts();
#endif
        searchers[group_of(me)]++;
        counts_as_sleeper(me, -1);
        phase[me] = searches
    };
    goto search
}

#if GUESTS > 0
/* Wakes a worker that sleeps in no guest's stead, if nobody searches. */
inline wake_for_forks(comes)
{
    atomic {
        if
        :: searchers[0] > 0 || sleepers == 0 -> moving--
        :: else -> asleep_seen = sleepers; some_work = (active_workers[0] > 0)
        fi
    };
    if
    :: asleep_seen > 0 ->
        count_first(asleep_seen);
        atomic {
            count_last(asleep_seen);
            if
            :: guests != asleep_seen && (comes || guests != 0 || some_work) ->
                wakes = true;
                mark_epoch(0)
            :: else -> moving--
            fi;
            forget_counts();
            some_work = false
        };
        if
        :: wakes -> atomic { wakes = false; futex_wake(0); moving-- }
        :: else
        fi
    :: else
    fi
}

proctype guest(byte me)
{
    byte i;
    byte asleep_seen;
    byte guests;
    bool some_work;             /* as of the look at the word */
    bool wakes;

    do
#ifdef MUTATION_GUEST_READS_FIRST
    :: atomic { visits_to_come > 0 -> visits_to_come--; moving = moving + 2 };
        wake_for_forks(true);
        atomic { here[me] = true; moving-- };
#else
    :: atomic { visits_to_come > 0 -> visits_to_come--; moving++; here[me] = true };
        wake_for_forks(true);
#endif
        do
        :: atomic { items_to_come > 0 -> items_to_come--; items[WORKERS + me]++ }
        :: atomic { items[WORKERS + me] > 0 -> items[WORKERS + me]-- }
        :: atomic {
                items[WORKERS + me] == 0 ->
                here[me] = false;
                for (i : 0 .. WORKERS - 1) {
                    stayed[i] = stayed[i] & ~(1 << me)
                }
                i = 0;
#ifdef MUTATION_GUEST_GOES_QUIETLY
                break
#else
                moving++;
                break
#endif
            }
        od;
#ifndef MUTATION_GUEST_GOES_QUIETLY
        wake_for_forks(false)
#endif
    :: else -> break
    od
}
#endif

proctype submitter()
{
    byte i;
#if GUESTS > 0
    byte asleep_seen;
    byte guests;
    bool some_work;
#endif

    do
    :: submissions_to_come > 0 ->
#ifdef MUTATION_SUBMIT_READS_FIRST
        if
        :: searchers[0] > 0 -> atomic { submissions_to_come--; queue++; submitting = true }; goto next
        :: else
        fi;
        atomic { submissions_to_come--; queue++; submitting = true };
#else
        atomic { submissions_to_come--; queue++; submitting = true };
#if GUESTS > 0
        atomic {
            asleep_seen = (searchers[0] > 0 -> 0 : sleepers);
            some_work = (active_workers[0] > 0);
            if
            :: asleep_seen == 0 -> goto next
            :: else
            fi
        };
#ifndef MUTATION_SUBMIT_SPARES_ALL
        if
        :: !some_work -> goto wake
        :: else
        fi;
#endif
        count_first(asleep_seen);
        atomic {
            count_last(asleep_seen);
            if
            :: guests == asleep_seen -> goto next
            :: else
            fi
        };
wake:
#else
        if
        :: searchers[0] > 0 -> goto next
        :: else
        fi;
#endif
#endif
#if GROUPS > 1
        if
        :: searchers[1] > 0 -> goto next
        :: else
        fi;
#endif
        /* In any group: were all asleep, the one woken becomes active and wakes
           a searcher in each; else each group with a sleeper has a searcher. */
        if
        :: wake_one(0)
#if GROUPS > 1
        :: wake_one(1)
#endif
        fi;
next:
#if GUESTS > 0
        atomic { forget_counts(); some_work = false; submitting = false }
#else
        submitting = false
#endif
    :: else -> break
    od
}

#ifdef TO_ONE
proctype submitter_to_one()
{
    byte i;
    bool nobody;

    do
    :: to_one_to_come > 0 ->
#ifdef MUTATION_TO_READS_FIRST
        nobody = (sleepers == 0);
        atomic { to_one_to_come--; own++; submitting_to_one = true };
#else
        atomic { to_one_to_come--; own++; submitting_to_one = true };
        nobody = (sleepers == 0);
#endif
        if
        :: nobody
        :: else ->
            advance_epoch(0);
#ifdef MUTATION_TO_WAKES_ONE
            futex_wake(0)
#else
            asleep[0] = false
#endif
        fi;
        atomic { nobody = false; submitting_to_one = false }
    :: else -> break
    od
}
#endif

/* For the specification: how many workers of a group, or of all, are where. */
#if WORKERS > 3
#define count(is, g) (is(0, g) + is(1, g) + is(2, g) + is(3, g))
#elif WORKERS > 2
#define count(is, g) (is(0, g) + is(1, g) + is(2, g))
#else
#define count(is, g) (is(0, g) + is(1, g))
#endif
#define is_settled(w, g) (asleep[w] || phase[w] != in_transition)
#define is_working(w, g) (phase[w] == works)
#define works_in(w, g) (group_of(w) == g && phase[w] == works)
#define is_asleep(w, g) (asleep[w])
#define searches_in(w, g) (group_of(w) == g && phase[w] == searches)
#define sleeps_in(w, g) (group_of(w) == g && asleep[w])

#define sleeps_beside(w) (asleep[w] && has_spawned(w))

#if GUESTS > 0
#define nobody_moves (moving == 0)
#else
#define nobody_moves true
#endif
#define settled (count(is_settled, _) == WORKERS && nobody_moves)
#define all_asleep (count(is_asleep, _) == WORKERS)

inline check_group(g)
{
    assert(searchers[g] == count(searches_in, g));
    assert(active_workers[g] == count(works_in, g));
#if GROUPS > 1
    assert(other_groups[g] == (count(works_in, 1 - g) > 0 -> 1 : 0));
#endif
    /* no sleeping worker beside work */
#if GUESTS > 0
    assert(sleepers == count(sleeps_in, 0));
    assert(count(is_working, 0) + guests_here == 0 || count(searches_in, 0) > 0 ||
           sleepers <= guests_here)
#else
    assert(count(is_working, g) == 0 || count(sleeps_in, g) == 0 || count(searches_in, g) > 0)
#endif
}

#ifndef LIVENESS
/* Looks at any moment, and so at every reachable state. */
active proctype monitor()
{
end_watch:
    do
    :: atomic { settled ->
            check_group(0);
#if GROUPS > 1
            check_group(1)
#endif
        }
    :: atomic { all_asleep && !submitting -> assert(queue == 0) }
#if SPAWNS > 0
    :: atomic { sleeps_beside(0) || sleeps_beside(1) || sleeps_beside(2) -> assert(false) }
#endif
#ifdef TO_ONE
    :: atomic { asleep[0] && own > 0 -> assert(submitting_to_one) }
#endif
    od
}
#endif

init
{
    atomic {
        byte w;
        for (w : 0 .. WORKERS - 1) {
            phase[w] = in_transition;
            searchers[group_of(w)]++;
            run worker(w)
        }
        run submitter();
#if GUESTS > 0
        for (w : 0 .. GUESTS - 1) {
            run guest(w)
        }
#endif
#ifdef TO_ONE
        run submitter_to_one()
#endif
    }
}

#ifdef LIVENESS
#ifdef TO_ONE
#define own_done (own == 0 && to_one_to_come == 0)
#else
#define own_done true
#endif
#if GUESTS > 0
#define guests_done (guests_here == 0 && moving == 0 && visits_to_come == 0)
#else
#define guests_done true
#endif
#define spawned_done (!has_spawned(0) && !has_spawned(1) && !has_spawned(2))
ltl quiescent {
    <> [] (all_asleep && queue == 0 && submissions_to_come == 0 && own_done && spawned_done &&
            guests_done)
}
#endif
