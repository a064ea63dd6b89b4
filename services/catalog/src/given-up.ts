import { UniqueViolation } from '@boxoffice/store';
import type { Context } from './context.ts';
import type { GivenUpDocument, Shelf } from './store.ts';

/** A request of a holder, as of a version of the order: a later version is another try of the same request. */
export interface Attempt {
  readonly holder: string;
  readonly request: string;
  readonly asOf: number;
}

const idOf = ({ holder, request }: Attempt): string => `${holder}.${request}`;

/**
 * Notes that the holder has given up every try of the request before this version, because it could not learn what became of
 * it: one that is still at work then gives back what it took (`isGivenUp`). Durable before what is there already is released.
 */
export const giveUp = async ({ shelf: { givenUp }, now }: Context, attempt: Attempt): Promise<void> => {
  const id = idOf(attempt);
  const { asOf } = attempt;
  const note: Omit<GivenUpDocument, 'version' | 'institution'> = { id, asOf, at: now() };
  await givenUp.insert(note).catch(async (error: unknown) => {
    if (!(error instanceof UniqueViolation)) throw error;
    await givenUp.update(id, (current) => (current.asOf < asOf ? { next: note } : undefined));
  });
};

/** Whether the holder has given this try up. To be asked after the places were taken: then either this or the release sees them. */
export const isGivenUp = async ({ givenUp }: Shelf, attempt: Attempt): Promise<boolean> => {
  const note = await givenUp.get(idOf(attempt));
  return note !== undefined && attempt.asOf < note.asOf;
};
