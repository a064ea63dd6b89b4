/** First an authorization code, then the tokens of its exchange. Times are epoch milliseconds. */
export interface Grant {
  readonly clientId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  /** The S256 challenge of PKCE. */
  readonly challenge: string;
  readonly nonce: string | null;
  /** The id of the session in which the user agreed, for signing out. */
  readonly sessionId: string;
  readonly signedInAt: number;
  readonly createdAt: number;
  readonly exchangedAt: number | null;
  readonly endedAt: number | null;
  /** Of the exchange, later of the latest refresh; null of a public client, and until the exchange. */
  readonly secretId: string | null;
  /** The chain of refresh tokens; null without `offline_access`. */
  readonly refresh: RefreshChain | null;
  /** When nothing of the grant is valid any more, so that it can be deleted. */
  readonly expiresAt: number;
}

/** The chain of refresh tokens of a grant: one is valid, and its predecessor for a moment (RFC 9700, 4.14.2). */
interface RefreshChain {
  readonly hash: string;
  readonly lastUsedAt: number;
  /** The absolute end. */
  readonly until: number;
  /** The last token that was used, with the scope that it was used for. */
  readonly previous: { readonly hash: string; readonly usedAt: number; readonly scope: string | null } | null;
}

/** How long a code can be exchanged. */
export const CODE_MS = 60_000;

/** How long a lost answer to a refresh can be asked for again. */
export const REPEAT_MS = 10_000;

const DAY_MS = 86_400_000;
/** How long a chain lives without use. */
export const REFRESH_IDLE_MS = 30 * DAY_MS;
/** How long a chain lives in any case. */
export const REFRESH_ABSOLUTE_MS = 90 * DAY_MS;

export interface Step<T extends Grant> {
  readonly given: boolean;
  readonly next?: T;
  readonly reason?: string;
  /** A second use: `repeat` of a request whose answer may have been lost, `replay` by whoever should not have it. */
  readonly second?: 'repeat' | 'replay';
}

export function endGrant<T extends Grant>(grant: T, at: number): T | undefined {
  return grant.endedAt === null ? { ...grant, endedAt: at } : undefined;
}

export interface Exchange {
  readonly clientId: string;
  readonly redirectUri: string;
  /** The secret that authenticated the client; null of a public one. */
  readonly secretId: string | null;
  readonly verified: boolean;
  readonly at: number;
  readonly tokenMs: number;
  /** The hash of the first refresh token; null without `offline_access`. */
  readonly refreshHash: string | null;
}

/** RFC 6749, 4.1.3; RFC 7636, 4.6. Another client changes nothing; a second use ends the tokens of the first. */
export function exchangeCode<T extends Grant>(grant: T, exchange: Exchange): Step<T> {
  const { clientId, secretId, redirectUri, verified, at, tokenMs, refreshHash } = exchange;
  if (grant.clientId !== clientId) return refuse('it was issued to another client');
  if (grant.exchangedAt !== null) return refuseReplay(grant, at, 'it was used before, so its tokens end');
  if (grant.endedAt !== null) return refuse('it has ended');
  if (at >= grant.createdAt + CODE_MS) return refuse('it has expired');
  if (grant.redirectUri !== redirectUri)
    return refuseAndEnd(grant, at, 'the redirect_uri is not the one of the request');
  if (!verified) return refuseAndEnd(grant, at, 'the code_verifier does not belong to the code_challenge');
  const until = at + REFRESH_ABSOLUTE_MS;
  const refresh = refreshHash === null ? null : { hash: refreshHash, lastUsedAt: at, until, previous: null };
  const expiresAt = refresh ? at + REFRESH_IDLE_MS : at + tokenMs;
  return { given: true, next: { ...grant, exchangedAt: at, secretId, refresh, expiresAt } };
}

const refuse = (reason: string): Step<never> => ({ given: false, reason });

const refuseReplay = <T extends Grant>(grant: T, at: number, reason: string): Step<T> => ({
  ...refuseAndEnd(grant, at, reason),
  second: 'replay',
});

const refuseAndEnd = <T extends Grant>(grant: T, at: number, reason: string): Step<T> => ({
  given: false,
  ...(grant.endedAt === null ? { next: { ...grant, endedAt: at } } : {}),
  reason,
});

export interface Refresh {
  readonly clientId: string;
  readonly secretId: string | null;
  readonly heldSecretIds: readonly string[];
  readonly hash: string;
  readonly successorHash: string;
  /** The wanted scope in a canonical form; null for all. */
  readonly scope: string | null;
  readonly at: number;
  readonly tokenMs: number;
}

/**
 * RFC 6749, 6. The same request within REPEAT_MS gives the same successor, if that is unused; any other second use ends
 * the grant, since one of the two users is a thief (RFC 9700, 4.14.2). Whoever has the last token may have got it with
 * a stolen secret, so it ends when that secret is withdrawn.
 */
export function useRefreshToken<T extends Grant>(grant: T, request: Refresh): Step<T> {
  const { clientId, secretId, heldSecretIds, hash, successorHash, scope, at, tokenMs } = request;
  const { refresh, endedAt } = grant;
  if (!refresh) return refuse('it has ended');
  const isOwn = grant.clientId === clientId;
  const isWithdrawn = grant.secretId !== null && !heldSecretIds.includes(grant.secretId);
  if (hash !== refresh.hash) {
    const { previous } = refresh;
    const isRepeat = previous?.hash === hash && previous.scope === scope && at - previous.usedAt <= REPEAT_MS;
    if (isRepeat && isOwn && endedAt === null && !isWithdrawn) return giveAgain(grant, secretId);
    return refuseReplay(grant, at, 'it was used before, so its successors end');
  }
  if (endedAt !== null) return refuse('it has ended');
  if (!isOwn) return refuse('it was issued to another client');
  if (isWithdrawn) return refuseAndEnd(grant, at, 'the secret that it was obtained with was withdrawn');
  if (at >= refresh.until || at >= refresh.lastUsedAt + REFRESH_IDLE_MS) return refuse('it has expired');
  const next: RefreshChain = {
    hash: successorHash,
    lastUsedAt: at,
    until: refresh.until,
    previous: { hash, usedAt: at, scope },
  };
  const expiresAt = Math.max(Math.min(at + REFRESH_IDLE_MS, refresh.until), at + tokenMs);
  return { given: true, next: { ...grant, secretId, refresh: next, expiresAt } };
}

/** Gives the same tokens again; with another secret of the client, that one has them now, too. */
const giveAgain = <T extends Grant>(grant: T, secretId: string | null): Step<T> => ({
  given: true,
  second: 'repeat',
  ...(grant.secretId === secretId ? {} : { next: { ...grant, secretId } }),
});

/** Whether tokens of the grant are valid: its code was exchanged, and it has not ended. */
export function isLive({ exchangedAt, endedAt }: Grant): boolean {
  return exchangedAt !== null && endedAt === null;
}
