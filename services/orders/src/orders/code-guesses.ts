import { hash } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import { type CollectionHandle, insertUnlessTaken } from '@boxoffice/store';
import { RefusedOrder } from '../api/faults.ts';
import type { GuessesDocument } from '../store.ts';

/** Unknown codes within the time, after which nobody's codes are looked at: they can be money. */
const MOST = 10;
const WINDOW_MS = 15 * 60_000;

/** Who names codes: a client, or an address at a point of sale. */
interface Guesser {
  readonly institution: string;
  readonly who: readonly string[];
}

/** Counted in the store, so that it holds over all instances. */
export function createCodeGuesses(collection: CollectionHandle<GuessesDocument>, now: () => number = Date.now) {
  const toId = ({ institution, who }: Guesser): string =>
    hash('sha256', JSON.stringify([institution, ...who]), 'base64url');

  const keepRecent = (guesses: readonly number[]): number[] => guesses.filter((at) => at > now() - WINDOW_MS);

  const requireRoom = async (guesser: Guesser): Promise<void> => {
    const known = await collection.of(guesser.institution).get(toId(guesser));
    const recent = keepRecent(known?.guesses ?? []);
    if (recent.length < MOST) return;
    const seconds = Math.max(1, Math.ceil(((recent.at(-MOST) ?? 0) + WINDOW_MS - now()) / 1_000));
    throw new Fault('too_many_requests', `${MOST} unknown codes in 15 minutes; without $.codes the order is taken.`, {
      'Retry-After': String(seconds),
    });
  };

  const add = async (guesser: Guesser, count: number): Promise<void> => {
    const [own, id, at] = [collection.of(guesser.institution), toId(guesser), now()];
    const fresh = { guesses: Array.from({ length: count }, () => at), expiresAt: at + WINDOW_MS };
    const known = await own.update(id, ({ guesses, ...current }) => ({
      next: { ...current, ...fresh, guesses: [...keepRecent(guesses), ...fresh.guesses].slice(-2 * MOST) },
    }));
    if (!known && !(await insertUnlessTaken(own, { id, ...fresh }))) await add(guesser, count);
  };

  return {
    /**
     * Runs a request that names codes, and counts those that it finds unknown, each once. @throws Fault
     * `too_many_requests`, whatever the codes, and what `run` throws
     */
    async guard<Made>(
      guesser: Guesser,
      codes: readonly unknown[] | null | undefined,
      run: () => Promise<Made>,
      countUnknown: (made: Made) => number = () => 0,
    ): Promise<Made> {
      if (!codes || codes.length === 0) return run();
      await requireRoom(guesser);
      try {
        const made = await run();
        const unknown = countUnknown(made);
        if (unknown > 0) await add(guesser, unknown);
        return made;
      } catch (error) {
        if (error instanceof RefusedOrder && error.unknownCodes > 0) await add(guesser, error.unknownCodes);
        throw error;
      }
    },
  };
}

export type CodeGuesses = ReturnType<typeof createCodeGuesses>;
