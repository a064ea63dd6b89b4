import type { AccessClaims } from '@boxoffice/identity';
import { createQuiet, type Store, UniqueViolation } from '@boxoffice/store';
import { tokenRevoked } from '../events.ts';
import { clientsCollection, revocationsCollection } from '../store.ts';

/** Revoked tokens and changed clients since a moment. */
export interface Changes {
  readonly tokens: { readonly jti: string; readonly expiresAt: string }[];
  readonly clients: { readonly clientId: string; readonly changedAt: string }[];
  /** The `since` of the next request. ISO 8601 UTC. */
  readonly asOf: string;
}

export interface Revocations {
  /** Revokes the token until it expires. Repeating it is no error. */
  revoke(claims: AccessClaims): Promise<void>;
  isRevoked(institution: string, jti: string): Promise<boolean>;
  /** Revocations and changes since a moment; without `since`, every unexpired revocation and no client. */
  since(since: Date | undefined): Promise<Changes>;
}

/** How far results reach back before `since`, because instances write with their own clocks. */
const OVERLAP_MS = 30_000;

const iso = (at: number): string => new Date(at).toISOString();

/** Makes the revocations on a store. */
export const createRevocations = (store: Store, now: () => number = Date.now): Revocations => {
  const revocations = store.collection(revocationsCollection);
  const quietMs = createQuiet(store);
  return {
    revoke: async ({ jti, exp, client_id: clientId, institution }) => {
      const expiresAt = exp * 1000;
      const fact = tokenRevoked({ clientId, jti, expiresAt: iso(expiresAt) });
      try {
        await revocations
          .of(institution)
          .insert({ id: jti, clientId, revokedAt: now(), expiresAt }, { events: [fact] });
      } catch (error) {
        if (!(error instanceof UniqueViolation)) throw error;
      }
    },
    isRevoked: async (institution, jti) => (await revocations.of(institution).get(jti)) !== undefined,
    since: async (since) => {
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
          ? Promise.resolve([])
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
