import { UniqueViolation } from '@boxoffice/store';
import type { GivenUpDocument, Shelf } from './store.ts';

/** What a holder asks for, as of a version of the order. */
export interface Attempt {
  readonly holder: string;
  readonly asOf: number;
}

/**
 * Notes that the holder has given up everything before this version, because it could not learn what became of it, or has ended
 * since: a call that is still at work, or comes late from a process that was paused, then gives back what it took
 * (`isGivenUp`). Durable before what is there already is released. `at`: epoch milliseconds.
 * Answers the newest version that was noted.
 */
export const giveUp = async ({ givenUp }: Shelf, { holder, asOf }: Attempt, at: number): Promise<number> => {
  const note: Omit<GivenUpDocument, 'version' | 'institution'> = { id: holder, asOf, at };
  try {
    await givenUp.insert(note);
    return asOf;
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    const known = await givenUp.update(holder, (current) => (current.asOf < asOf ? { next: note } : undefined));
    return known?.asOf ?? asOf;
  }
};

/** Whether the holder has given this up. To be asked after the places were taken: then either this or the release sees them. */
export const isGivenUp = async ({ givenUp }: Shelf, { holder, asOf }: Attempt): Promise<boolean> => {
  const note = await givenUp.get(holder);
  return note !== undefined && asOf < note.asOf;
};
