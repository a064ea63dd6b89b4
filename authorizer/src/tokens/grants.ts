import type { Store } from '@boxoffice/store';
import * as rules from '../domain/grant.ts';
import { type GrantDocument, grantsCollection } from '../store.ts';
import { grantIdOf, hashRefreshToken, isCode, makeCode, type RefreshTokens, verifies } from './grant-secrets.ts';

/** What a user granted, for a new code. */
type NewGrant = Pick<
  rules.Grant,
  'clientId' | 'userId' | 'scopes' | 'redirectUri' | 'challenge' | 'nonce' | 'sessionId' | 'signedInAt'
>;

/** A grant whose tokens are to be given, or why not; `second` for a second use (see the rules' Step). */
export type Use = Pick<rules.Step<GrantDocument>, 'second'> &
  (
    | { readonly given: true; readonly grant: GrantDocument; readonly refreshToken: string | undefined }
    | { readonly given: false; readonly reason: string; readonly grant?: GrantDocument | undefined }
  );

interface CodeUse extends Omit<rules.Exchange, 'verified' | 'at' | 'refreshHash'> {
  readonly code: string;
  readonly verifier: string;
}

interface RefreshUse extends Omit<rules.Refresh, 'hash' | 'successorHash' | 'at'> {
  readonly refreshToken: string;
  /** Called with the grant before a valid token is used; rejects to refuse without using it. */
  readonly allow: (grant: GrantDocument) => Promise<void>;
}

const UNKNOWN = { given: false, reason: 'it is unknown' } as const;

/** The grants of an installation. */
export type Grants = ReturnType<typeof createGrants>;

/** Makes the grants on a store. Each step is one atomic write, so that of requests at the same time one wins. */
export const createGrants = (store: Store, refreshTokens: RefreshTokens, now = Date.now) => {
  const grants = store.collection(grantsCollection);

  /** Applies a rule to the current grant; the write is repeated on the newer grant where another request was faster. */
  const apply = async (
    grantId: string,
    rule: (grant: GrantDocument) => rules.Step<GrantDocument>,
  ): Promise<rules.Step<GrantDocument> & { readonly grant: GrantDocument | undefined }> => {
    let step: rules.Step<GrantDocument> = UNKNOWN;
    const grant = await grants.acrossInstitutions.update(grantId, (current) => {
      step = rule(current);
      return step.next && { next: step.next };
    });
    return { ...step, grant };
  };

  /** The grant of a refresh token, also of an old one; undefined if there is none. */
  const ofRefreshToken = async (token: string): Promise<GrantDocument | undefined> => {
    const id = refreshTokens.grantOf(token);
    return id === undefined ? undefined : grants.acrossInstitutions.get(id);
  };

  return {
    /** Stores a grant; its code is returned only here. */
    open: async (institution: string, grant: NewGrant): Promise<string> => {
      const code = makeCode();
      const at = now();
      const none = { exchangedAt: null, endedAt: null, secretId: null, refresh: null };
      const state = { createdAt: at, ...none, expiresAt: at + rules.CODE_MS };
      await grants.of(institution).insert({ id: grantIdOf(code), ...grant, ...state });
      return code;
    },
    exchange: async ({ code, verifier, ...use }: CodeUse): Promise<Use> => {
      if (!isCode(code)) return UNKNOWN;
      const id = grantIdOf(code);
      let refreshToken: string | undefined;
      const firstHash = (): string => {
        refreshToken ??= refreshTokens.first(id);
        return hashRefreshToken(refreshToken);
      };
      const { given, reason, second, grant } = await apply(id, (current) =>
        rules.exchangeCode(current, {
          ...use,
          verified: verifies(verifier, current.challenge),
          at: now(),
          refreshHash: current.scopes.includes('offline_access') ? firstHash() : null,
        }),
      );
      if (!given || !grant) return { given: false, reason: reason ?? UNKNOWN.reason, second, grant };
      return { given, grant, refreshToken: grant.refresh ? refreshToken : undefined };
    },
    refresh: async ({ refreshToken, allow, ...use }: RefreshUse): Promise<Use> => {
      const known = await ofRefreshToken(refreshToken);
      if (!known) return UNKNOWN;
      const successor = refreshTokens.successor(refreshToken);
      const hash = hashRefreshToken(refreshToken);
      const successorHash = hashRefreshToken(successor);
      const rule = (current: GrantDocument) =>
        rules.useRefreshToken(current, { ...use, hash, successorHash, at: now() });
      if (rule(known).given) await allow(known);
      const { given, reason, second, grant } = await apply(known.id, rule);
      if (!given || !grant) return { given: false, reason: reason ?? UNKNOWN.reason, second, grant };
      return { given, grant, refreshToken: successor, second };
    },
    ofRefreshToken,
    get: (institution: string, grantId: string) => grants.of(institution).get(grantId),
    /** Ends a grant and all its tokens. */
    end: async ({ institution, id }: GrantDocument): Promise<void> => {
      await grants.of(institution).update(id, (current) => {
        const next = rules.endGrant(current, now());
        return next && { next };
      });
    },
  };
};
