import { type Logger, repeat } from '@boxoffice/runtime';
import type { Closable } from '@boxoffice/service';
import { unlessQuiet } from '@boxoffice/store';
import type { Context } from '../context.ts';
import { replacementsCollection } from '../store.ts';
import { finishReplacement } from '../tickets/lineage.ts';

const SWEEP_MS = 10_000;

/** After this time a pending replacement counts as interrupted. */
const INTERRUPTED_MS = 5_000;

/** Interrupted replacements were found by then. */
const SETTLED_MS = INTERRUPTED_MS + 2 * SWEEP_MS;

/** After this time a replacement that was not committed is abandoned. */
const ABANDONED_MS = 10 * 60_000;

/** Completes replacements whose process died between the writes; safe to run in several instances. */
export const resumeInterrupted = async (context: Context): Promise<void> => {
  const now = context.now();
  const interrupted = await context.store
    .collection(replacementsCollection)
    .acrossInstitutions.find({ where: { since: { lte: now - INTERRUPTED_MS } }, limit: 500 });
  for (const { id, ticketId, institution, since } of interrupted) {
    const collections = context.collections(institution);
    const old = await collections.tickets.get(ticketId);
    const finished = old?.replacedBy === id && (await finishReplacement(collections, old));
    if (finished || since <= now - ABANDONED_MS) await collections.replacements.delete(id);
  }
};

/** Resumes interrupted replacements at once and every 10 seconds; a single query while there are none. */
export const startSweep = (context: Context, logger: Pick<Logger, 'error'>): Closable =>
  repeat(
    unlessQuiet(context.store, SETTLED_MS, () => resumeInterrupted(context)),
    {
      everyMs: SWEEP_MS,
      atOnce: true,
      failed: (error) =>
        logger.error('interrupted replacements of tickets could not be completed; the next run tries again', { error }),
    },
  );
