import type { AccessClaims } from '@boxoffice/identity';
import { type Store, UniqueViolation } from '@boxoffice/store';
import { tokenRevoked } from '../events.ts';
import { clientsOf, revocationsOf } from '../store.ts';

/** What a gateway must forget, since some moment. */
export interface Changes {
  readonly tokens: readonly { readonly jti: string; readonly expiresAt: string }[];
  readonly clients: readonly { readonly clientId: string; readonly changedAt: string }[];
  /** What to ask for next time. ISO 8601 UTC. */
  readonly asOf: string;
}

export interface Revocations {
  /** Remembers, until the token expires, that it counts no more. Again is no error. */
  revoke(claims: AccessClaims): Promise<void>;
  isRevoked(institution: string, jti: string): Promise<boolean>;
  /** What was revoked or changed since; without `since`, every revoked token that has not expired, and no client. */
  since(since: Date | undefined): Promise<Changes>;
}

/** Answers look back so much further than asked, because writes of other instances carry those instances' clocks. */
const OVERLAP_MS = 30_000;

const iso = (at: number): string => new Date(at).toISOString();

/** The revoked tokens, in the store. */
export const createRevocations = (store: Store, now: () => number = Date.now): Revocations => {
  const revocations = revocationsOf(store);
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
      const revoked = revocations.acrossInstitutions.find(
        from === undefined
          ? { where: { expiresAt: { gt: now() } }, orderBy: 'expiresAt' }
          : { where: { revokedAt: { gte: from } }, orderBy: 'revokedAt' },
      );
      const changed =
        from === undefined
          ? Promise.resolve([])
          : clientsOf(store).acrossInstitutions.find({ where: { changedAt: { gte: from } }, orderBy: 'changedAt' });
      // Both at once, so that one store's failure is one rejection that somebody hears.
      const [tokens, clients] = await Promise.all([revoked, changed]);
      return {
        tokens: tokens.map(({ id, expiresAt }) => ({ jti: id, expiresAt: iso(expiresAt) })),
        clients: clients.map(({ id, changedAt }) => ({ clientId: id, changedAt: iso(changedAt) })),
        asOf,
      };
    },
  };
};
