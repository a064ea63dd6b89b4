import { UniqueViolation } from '@boxoffice/store';
import type { AbandonedDocument, Collections } from '../store.ts';

/** What a holder asks for, as of a version of the order. */
export interface Attempt {
  readonly holder: string;
  readonly request: string;
  readonly asOf: number;
}

/** What is given up: one request of the holder, or all that it asks for. */
export type Abandoned = Omit<Attempt, 'request'> & { readonly request?: string };

const idOf = ({ holder, request }: Abandoned): string => (request === undefined ? holder : `${holder}.${request}`);

/**
 * Records that the holder has given up this request, or everything, before this version: it could not learn what became of it, or
 * the order has ended since. A call that is still at work, or comes late from a process that was paused, then releases what it
 * took (`isGivenUp`). Durable before what is there already is released. An id whose order was never made may be used again, from
 * version 1, so what its draft asked for is given up by its request alone. `at`: epoch milliseconds. Answers the newest version
 * that is recorded.
 */
export const abandon = async ({ abandoned: givenUp }: Collections, what: Abandoned, at: number): Promise<number> => {
  const { asOf } = what;
  const id = idOf(what);
  const record: Omit<AbandonedDocument, 'version' | 'institution'> = { id, asOf, at };
  try {
    await givenUp.insert(record);
    return asOf;
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    const known = await givenUp.update(id, (current) => (current.asOf < asOf ? { next: record } : undefined));
    return known?.asOf ?? asOf;
  }
};

/** Whether the holder has given this up. To be asked after the places were taken: then either this or the release sees them. */
export const isAbandoned = async (
  { abandoned: givenUp }: Collections,
  { holder, request, asOf }: Attempt,
): Promise<boolean> => {
  const records = await Promise.all([givenUp.get(idOf({ holder, request, asOf })), givenUp.get(holder)]);
  return records.some((record) => record !== undefined && asOf < record.asOf);
};
