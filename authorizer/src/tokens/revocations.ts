import type { AccessClaims } from '@boxoffice/identity';
import { createQuiet, type Store } from '@boxoffice/store';
import { tokenRevoked } from '../events.ts';
import { clientsCollection, insertOnce, revocationsCollection } from '../store.ts';

/** How far results reach back before `since`, because instances write with their own clocks. */
const OVERLAP_MS = 30_000;

const iso = (at: number): string => new Date(at).toISOString();

export type Revocations = ReturnType<typeof createRevocations>;

/** Makes the revocations on a store. */
export const createRevocations = (store: Store, now = Date.now) => {
  const revocations = store.collection(revocationsCollection);
  const quietMs = createQuiet(store);
  return {
    /** Revokes the token until it expires. Repeating it is no error. */
    revoke: async ({ jti, exp, client_id: clientId, institution }: AccessClaims): Promise<void> => {
      const expiresAt = exp * 1000;
      const fact = tokenRevoked({ clientId, jti, expiresAt: iso(expiresAt) });
      const revocation = { id: jti, clientId, revokedAt: now(), expiresAt };
      await insertOnce(revocations.of(institution), revocation, { events: [fact] });
    },
    isRevoked: async (institution: string, jti: string) => (await revocations.of(institution).get(jti)) !== undefined,
    /**
     * Revocations and changes since a moment; without `since`, every unexpired revocation and no client. `asOf` is the
     * `since` of the next request.
     */
    since: async (since: Date | undefined) => {
      const asOf = iso(now());
      const from = since && since.getTime() - OVERLAP_MS;
      if (from !== undefined && quietMs() > now() - from) return { tokens: [], clients: [], asOf };
      const revoked = revocations.acrossInstitutions.find(
        from === undefined
          ? { where: { expiresAt: { gt: now() } }, orderBy: 'expiresAt' }
          : { where: { revokedAt: { gte: from } }, orderBy: 'revokedAt' },
      );
      const changed =
        from === undefined
          ? []
          : store
              .collection(clientsCollection)
              .acrossInstitutions.find({ where: { changedAt: { gte: from } }, orderBy: 'changedAt' });
      // Started together, so that a failing store causes one rejection, and a handled one.
      const [tokens, clients] = await Promise.all([revoked, changed]);
      return {
        tokens: tokens.map(({ id, expiresAt }) => ({ jti: id, expiresAt: iso(expiresAt) })),
        clients: clients.map(({ id, changedAt }) => ({ clientId: id, changedAt: iso(changedAt) })),
        asOf,
      };
    },
  };
};
