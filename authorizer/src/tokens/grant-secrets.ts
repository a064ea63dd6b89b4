// Grants of users: authorization codes, refresh tokens, and the tokens that they give.
import { createHmac, createSecretKey, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { sealingKey } from '@boxoffice/runtime';

/** 256 bits in base64url. */
const SECRET_LENGTH = 43;
/** 128 bits in base64url. */
const TAG_LENGTH = 22;

const CODE = /^[A-Za-z0-9_-]{43}$/;

/** A grant's refresh token is its id's last part, a secret, and a tag that only this installation can make. */
const REFRESH_TOKEN = /^[A-Za-z0-9_-]{108}$/;

const PREFIX = 'gnt_';

/** A new authorization code: 256 random bits (RFC 6749, 10.10). */
export const makeCode = (): string => randomBytes(32).toString('base64url');

/** The id of a code's grant: a hash, so that the stored grant does not reveal the code. */
export const grantIdOf = (code: string): string => `${PREFIX}${hash('sha256', `code ${code}`, 'base64url')}`;

/** Whether the text has the form of a code. */
export const isCode = (text: string): boolean => CODE.test(text);

/** The stored form of a refresh token. */
export const hashRefreshToken = (token: string): string => hash('sha256', `refresh ${token}`, 'base64url');

/** A challenge of S256 is 32 bytes in base64url (RFC 7636, 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** RFC 7636, 4.1. */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Whether the text can be a challenge of PKCE (RFC 7636), with the method S256 only. */
export const isChallenge = (text: string): boolean => CHALLENGE.test(text);

/** Whether the verifier belongs to the challenge (RFC 7636, 4.6). */
export const verifies = (verifier: string, challenge: string): boolean =>
  VERIFIER.test(verifier) && timingSafeEqual(hash('sha256', verifier, 'buffer'), Buffer.from(challenge, 'base64url'));

/** Makes and recognises refresh tokens. */
export type RefreshTokens = ReturnType<typeof createRefreshTokens>;

/** Makes refresh tokens whose successors and tags are derived from the installation's key. */
export const createRefreshTokens = (keyEncryptionKey: string) => {
  // With bytes, each derivation would cost 25 µs more.
  const key = createSecretKey(sealingKey(keyEncryptionKey, 'refresh tokens'));
  const derive = (purpose: string, text: string): string =>
    createHmac('sha256', key).update(`${purpose} ${text}`).digest('base64url');
  const tagOf = (unsigned: string): string => derive('tag', unsigned).slice(0, TAG_LENGTH);
  const tokenOf = (grant: string, secret: string): string => `${grant}${secret}${tagOf(grant + secret)}`;
  return {
    /** The first token of a grant. */
    first: (grantId: string) => tokenOf(grantId.slice(PREFIX.length), randomBytes(32).toString('base64url')),
    /** The token after this one: derived, so that a repeated request gets the same one, although only a hash is stored. */
    successor: (token: string) => tokenOf(token.slice(0, SECRET_LENGTH), derive('successor', token)),
    /** The grant of a token that this installation has made, valid or not; undefined for any other text. */
    grantOf: (token: string): string | undefined => {
      if (!REFRESH_TOKEN.test(token)) return undefined;
      const [unsigned, tag] = [token.slice(0, -TAG_LENGTH), token.slice(-TAG_LENGTH)];
      const isOwn = timingSafeEqual(Buffer.from(tagOf(unsigned)), Buffer.from(tag));
      return isOwn ? `${PREFIX}${unsigned.slice(0, SECRET_LENGTH)}` : undefined;
    },
  };
};
