// Nonces: a scan that has one is claimed for what was sent first, before it has an effect.

import type { Code } from '@boxoffice/envelope';
import type { New } from '@boxoffice/store';
import type { Collections } from '../context.ts';
import type { Scan } from '../domain/control.ts';
import { type ClaimDocument, NONCE_MS } from '../store.ts';

/** Since when what was received counts for its nonce at this instant (epoch milliseconds); ISO 8601 UTC. */
export function computeNonceStart(now: number): string {
  return new Date(now - NONCE_MS).toISOString();
}

/** A scan with what decides on it. */
export interface Attempt {
  readonly scan: Scan;
  /** The id of this scan, and the one that it has if it was sent in the period before. */
  readonly ids: readonly [string, string];
  /** Null where no ticket was found. */
  readonly ticketId: string | null;
  /** At whose door it was, if the scanner named it. */
  readonly performanceId: string | null;
  /** Why it admits nobody, whatever the ticket's status; null if it may. */
  readonly refusal: Code | null;
  /** Whether what is decided is the answer of its nonce from then on. */
  readonly usesNonce: boolean;
}

/**
 * Claims the nonces of these scans; resolves to what each nonce was first sent for. Of requests at the same time the
 * first whose claim is written decides for all, and each of them can finish it: nobody waits, and none is left half.
 */
export async function claimNonces(
  { claims }: Pick<Collections, 'claims'>,
  attempts: readonly Attempt[],
  now: number,
): Promise<Attempt[]> {
  const claiming = attempts.filter(({ usesNonce }) => usesNonce);
  if (claiming.length === 0) return [...attempts];
  await claims.insertMany(claiming.map(claimOf));
  const found = await claims.find({ where: { id: { in: claiming.flatMap(({ ids }) => ids) } } });
  const since = computeNonceStart(now);
  const byId = new Map(found.filter(({ receivedAt }) => receivedAt > since).map((claim) => [claim.id, claim]));
  return attempts.map((attempt) => {
    const [own, before] = attempt.ids;
    const claim = byId.get(before) ?? byId.get(own);
    if (!claim) return attempt;
    const { ticketId, performanceId, refusal, id, nonce, gate, at, offline, receivedAt } = claim;
    return { ...attempt, ticketId, performanceId, refusal, scan: { id, nonce, gate, at, offline, receivedAt } };
  });
}

const claimOf = ({ scan, ticketId, performanceId, refusal }: Attempt): New<ClaimDocument> => ({
  ...scan,
  ticketId,
  performanceId,
  refusal,
});
