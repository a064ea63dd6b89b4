import { UniqueViolation } from '@boxoffice/store';
import type { AbandonedDocument, Collections } from '../store.ts';

/** A request of a holder, as of a version of the order. */
export interface Attempt {
  readonly holder: string;
  readonly request: string;
  readonly asOf: number;
}

/** What is abandoned: one request of the holder, or all of them. */
export type Abandoned = Omit<Attempt, 'request'> & { readonly request?: string };

const idOf = ({ holder, request }: Abandoned): string => (request === undefined ? holder : `${holder}.${request}`);

/**
 * Records that the holder has abandoned this request, or all, before this version: the outcome was lost, or the order
 * has ended. An attempt that is still running, or resumes late, then releases what it took (`isAbandoned`). Must be
 * durable before existing places are released. The id of an order that was never created can be used again from
 * version 1, so the requests of its draft are abandoned by request id only. `at`: epoch milliseconds. Returns the
 * newest version recorded.
 */
export const abandon = async (
  { abandoned: abandonedRequests }: Collections,
  what: Abandoned,
  at: number,
): Promise<number> => {
  const { asOf } = what;
  const id = idOf(what);
  const record: Omit<AbandonedDocument, 'version' | 'institution'> = { id, asOf, at };
  try {
    await abandonedRequests.insert(record);
    return asOf;
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    const known = await abandonedRequests.update(id, (current) => (current.asOf < asOf ? { next: record } : undefined));
    return known?.asOf ?? asOf;
  }
};

/**
 * Whether the holder has abandoned this attempt. Call it after the places were taken: then either this check or the
 * release sees them.
 */
export const isAbandoned = async (
  { abandoned: abandonedRequests }: Collections,
  { holder, request, asOf }: Attempt,
): Promise<boolean> => {
  const records = await Promise.all([
    abandonedRequests.get(idOf({ holder, request, asOf })),
    abandonedRequests.get(holder),
  ]);
  return records.some((record) => record !== undefined && asOf < record.asOf);
};
