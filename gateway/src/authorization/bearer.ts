import { hash } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import { type AccessClaims, invalidToken } from '@boxoffice/identity';
import type { Exchange, Step } from '../exchange/exchange.ts';
import { createNewest } from '../limits/newest.ts';
import type { Revocations } from './revocations.ts';

interface BearerOptions {
  /** Verifies signature, type, issuer, audience and expiry; rejects with a Fault. */
  readonly verify: (token: string) => Promise<AccessClaims>;
  readonly revocations: Pick<Revocations, 'isRevoked'>;
}

/** The last token of a connection: most clients send the same one with every request. */
interface Presented {
  readonly authorization: string;
  readonly token: string;
  readonly tokenHash: string;
}

interface Verified {
  readonly claims: AccessClaims;
  /** Epoch milliseconds. */
  readonly until: number;
}

const TOKENS = 10_000;

/**
 * How long a verification result is reused. Expiry and revocation are checked each time, the key is not: this time is
 * part of the five seconds within which a withdrawn key must stop working (see key-set.ts).
 */
const VERIFIED_MS = 1_000;

/** RFC 6750, 2.1. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
const SCHEME = /^bearer(?: |$)/i;
const BARE = /^bearer *$/i;

/** Extracts the token of an Authorization header. @throws {Fault} unauthorized, with the challenge of RFC 6750, 3 */
export const bearerToken = (authorization: string | undefined): string => {
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (token !== undefined) return token;
  if (authorization === undefined || !SCHEME.test(authorization) || BARE.test(authorization)) {
    throw new Fault('unauthorized', 'An access token is required: Authorization: Bearer <token>.', {
      'WWW-Authenticate': 'Bearer',
    });
  }
  throw invalidToken('it is malformed');
};

/** The check of access tokens. */
export interface Bearer {
  /** Verifies the token where the operation needs one. */
  readonly step: Step;
  /** Notes whose token it is, if it is valid, of a request that is refused in any case. Never rejects. */
  recognise(exchange: Exchange): Promise<void>;
}

/** Makes the check of access tokens. */
export const createBearer = ({ verify, revocations }: BearerOptions): Bearer => {
  const known = createNewest<Verified>(TOKENS);
  const presented = new WeakMap<object, Presented>();

  const read = ({ socket, headers: { authorization } }: Exchange['request']): Presented => {
    const last = presented.get(socket);
    if (last !== undefined && last.authorization === authorization) return last;
    const token = bearerToken(authorization);
    const fresh = { authorization: authorization ?? '', token, tokenHash: hash('sha256', token, 'base64url') };
    presented.set(socket, fresh);
    return fresh;
  };

  const accept = (exchange: Exchange, claims: AccessClaims): undefined => {
    if (claims.exp * 1000 <= exchange.now) throw invalidToken('it expired');
    if (revocations.isRevoked(claims.jti)) throw invalidToken('it was revoked');
    exchange.claims = claims;
  };

  const examine = async (exchange: Exchange): Promise<undefined> => {
    const claims = await verify(exchange.token);
    known.set(exchange.tokenHash, { claims, until: exchange.now + VERIFIED_MS });
    return accept(exchange, claims);
  };

  const check = (exchange: Exchange): ReturnType<Step> => {
    // A stream's token is checked again, when its request has the headers for the service.
    if (exchange.token === '') {
      const { token, tokenHash } = read(exchange.request);
      exchange.token = token;
      exchange.tokenHash = tokenHash;
    }
    const { tokenHash } = exchange;
    const verified = known.get(tokenHash);
    return verified && exchange.now < verified.until ? accept(exchange, verified.claims) : examine(exchange);
  };

  return {
    step: (exchange) => (exchange.route?.scope === undefined ? undefined : check(exchange)),
    recognise: async (exchange) => {
      try {
        await check(exchange);
      } catch {
        // It is refused as it is without a token.
      }
    },
  };
};
