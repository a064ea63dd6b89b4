// A nonce is claimed for what was sent first, before it has an effect.

import type { Code } from '@boxoffice/envelope';
import type { New } from '@boxoffice/store';
import type { Collections } from '../context.ts';
import type { Scan } from '../domain/control.ts';
import { type ClaimDocument, NONCE_MS } from '../store.ts';

/** `now` is in epoch milliseconds, the result in ISO 8601 UTC. */
export function computeNonceStart(now: number): string {
  return new Date(now - NONCE_MS).toISOString();
}

export interface Attempt {
  readonly scan: Scan;
  /** The ids of this scan, and of one that was sent in the period before. */
  readonly ids: readonly [string, string];
  /** Null where no ticket was found. */
  readonly ticketId: string | null;
  /** Null unless the scanner named it. */
  readonly performanceId: string | null;
  /** Holds whatever the ticket's status; null if the scan may admit. */
  readonly refusal: Code | null;
  /** What is decided is the answer of the nonce from then on. */
  readonly usesNonce: boolean;
}

/**
 * Resolves to what each nonce was first sent for. Of concurrent requests the first whose claim is written decides for
 * all, and each of them can finish it.
 */
export async function claimNonces(
  { claims }: Pick<Collections, 'claims'>,
  attempts: readonly Attempt[],
  now: number,
): Promise<Attempt[]> {
  const claiming = attempts.filter(({ usesNonce }) => usesNonce);
  if (claiming.length === 0) return [...attempts];
  await claims.insertMany(claiming.map(toClaim));
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

const toClaim = ({ scan, ticketId, performanceId, refusal }: Attempt): New<ClaimDocument> => ({
  ...scan,
  ticketId,
  performanceId,
  refusal,
});
