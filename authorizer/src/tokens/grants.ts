import { createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto';
import { deriveSealingKey } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import * as rules from '../domain/grant.ts';
import { hashSecret, makeSecret } from '../secrets.ts';
import { type GrantDocument, grantsCollection } from '../store.ts';

/** 256 bits in base64url. */
const SECRET_LENGTH = 43;
/** 128 bits in base64url. */
const TAG_LENGTH = 22;

/** A grant's refresh token is its id's last part, a secret, and a tag that only this installation can make. */
const REFRESH_TOKEN = /^[A-Za-z0-9_-]{108}$/;

const PREFIX = 'gnt_';

/** The form of codes; a challenge of S256 has it, too: 32 bytes in base64url (RFC 7636, 4.2). */
const DIGEST = /^[A-Za-z0-9_-]{43}$/;

/** RFC 7636, 4.1. */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

export function isChallenge(text: string): boolean {
  return DIGEST.test(text);
}

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

export type Grants = ReturnType<typeof createGrants>;

/** Makes the grants on a store. Each step is one atomic write, so that of requests at the same time one wins. */
export function createGrants(store: Store, keyEncryptionKey: string, now = Date.now) {
  const refreshTokens = createRefreshTokens(keyEncryptionKey);
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
      const code = makeSecret();
      const at = now();
      const none = { exchangedAt: null, endedAt: null, secretId: null, refresh: null };
      const state = { createdAt: at, ...none, expiresAt: at + rules.CODE_MS };
      await grants.of(institution).insert({ id: toGrantId(code), ...grant, ...state });
      return code;
    },
    exchange: async ({ code, verifier, ...use }: CodeUse): Promise<Use> => {
      if (!DIGEST.test(code)) return UNKNOWN;
      const id = toGrantId(code);
      let refreshToken: string | undefined;
      const firstHash = (): string => {
        refreshToken ??= refreshTokens.first(id);
        return hashRefreshToken(refreshToken);
      };
      const { given, reason, second, grant } = await apply(id, (current) =>
        rules.exchangeCode(current, {
          ...use,
          verified: matchesChallenge(verifier, current.challenge),
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
    end: async ({ institution, id }: GrantDocument): Promise<void> => {
      await grants.of(institution).update(id, (current) => {
        const next = rules.endGrant(current, now());
        return next && { next };
      });
    },
  };
}

const createRefreshTokens = (keyEncryptionKey: string) => {
  // With bytes, each derivation would cost 25 µs more.
  const key = createSecretKey(deriveSealingKey(keyEncryptionKey, 'refresh tokens'));
  const derive = (purpose: string, text: string): string =>
    createHmac('sha256', key).update(`${purpose} ${text}`).digest('base64url');
  const computeTag = (unsigned: string): string => derive('tag', unsigned).slice(0, TAG_LENGTH);
  const buildToken = (grant: string, secret: string): string => `${grant}${secret}${computeTag(grant + secret)}`;
  return {
    first: (grantId: string) => buildToken(grantId.slice(PREFIX.length), makeSecret()),
    /** Derived, so that a repeated request gets the same one, although only a hash is stored. */
    successor: (token: string) => buildToken(token.slice(0, SECRET_LENGTH), derive('successor', token)),
    /** The grant of a token that this installation has made, valid or not; undefined for any other text. */
    grantOf: (token: string): string | undefined => {
      if (!REFRESH_TOKEN.test(token)) return undefined;
      const [unsigned, tag] = [token.slice(0, -TAG_LENGTH), token.slice(-TAG_LENGTH)];
      const isOwn = timingSafeEqual(Buffer.from(computeTag(unsigned)), Buffer.from(tag));
      return isOwn ? `${PREFIX}${unsigned.slice(0, SECRET_LENGTH)}` : undefined;
    },
  };
};

/** The id of a code's grant: a hash, so that the stored grant does not reveal the code. */
const toGrantId = (code: string): string => `${PREFIX}${hashSecret(`code ${code}`)}`;

const hashRefreshToken = (token: string): string => hashSecret(`refresh ${token}`);

/** Whether the verifier belongs to the challenge (RFC 7636, 4.6). */
const matchesChallenge = (verifier: string, challenge: string): boolean =>
  VERIFIER.test(verifier) && timingSafeEqual(hash('sha256', verifier, 'buffer'), Buffer.from(challenge, 'base64url'));
