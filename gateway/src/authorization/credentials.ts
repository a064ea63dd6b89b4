import { hash } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import { type AccessClaims, createInvalidTokenFault } from '@boxoffice/identity';
import type { Check, Exchange } from '../exchange/exchange.ts';
import { createNewest } from '../limits/newest.ts';
import type { ApiKeys, KnownApiKey } from './api-keys.ts';
import type { Revocations } from './revocations.ts';

interface BearerOptions {
  /** Verifies signature, type, issuer, audience and expiry; rejects with a Fault. */
  readonly verify: (token: string) => Promise<AccessClaims>;
  readonly revocations: Pick<Revocations, 'isRevoked'>;
}

/** What a connection last sent: most clients send the same token with every request. */
interface Presented {
  readonly authorization: string;
  readonly token: string;
  readonly tokenHash: string;
}

interface Verified {
  readonly claims: AccessClaims;
  readonly until: number;
}

const TOKENS = 10_000;

/** Milliseconds; part of the five seconds within which a withdrawn key must stop working (see key-set.ts). */
const VERIFIED_MS = 1_000;

/** RFC 6750, 2.1. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
const SCHEME = /^bearer(?: |$)/i;
const BARE = /^bearer *$/i;

type Bearer = ReturnType<typeof createBearer>;

export function createBearer({ verify, revocations }: BearerOptions) {
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
    if (claims.exp * 1000 <= exchange.now) throw createInvalidTokenFault('it expired');
    if (revocations.isRevoked(claims.jti)) throw createInvalidTokenFault('it was revoked');
    exchange.claims = claims;
  };

  const examine = async (exchange: Exchange): Promise<undefined> => {
    const claims = await verify(exchange.token);
    known.set(exchange.tokenHash, { claims, until: exchange.now + VERIFIED_MS });
    return accept(exchange, claims);
  };

  const check: Check = (exchange) => {
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
    verify: (exchange: Exchange) => (exchange.route?.scope === undefined ? undefined : check(exchange)),
    /** Reads the token of a request that is refused in any case. Never rejects. */
    recognise: async (exchange: Exchange): Promise<void> => {
      try {
        await check(exchange);
      } catch {
        // The request is refused as it is without a token.
      }
    },
  };
}

/** @throws {Fault} unauthorized, with the challenge of RFC 6750, 3 */
const bearerToken = (authorization: string | undefined): string => {
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (token !== undefined) return token;
  if (authorization === undefined || !SCHEME.test(authorization) || BARE.test(authorization)) {
    throw new Fault('unauthorized', 'An access token is required: Authorization: Bearer <token>.', {
      'WWW-Authenticate': 'Bearer',
    });
  }
  throw createInvalidTokenFault('it is malformed');
};

interface CredentialsOptions {
  readonly bearer: Bearer;
  readonly apiKeys: ApiKeys;
}

const API_KEY_HEADER = 'x-api-key';

export type Credentials = ReturnType<typeof createCredentials>;

export function createCredentials({ bearer, apiKeys }: CredentialsOptions) {
  const find = (
    exchange: Exchange,
    key: string,
    then: (exchange: Exchange, apiKey: KnownApiKey | undefined) => undefined,
  ): ReturnType<Check> => {
    const found = apiKeys.find(key, exchange.now);
    return found instanceof Promise ? found.then((apiKey) => then(exchange, apiKey)) : then(exchange, found);
  };

  /** A key that cannot be read now is not counted: it decides nothing about the request. */
  const findToCount = async (exchange: Exchange, key: string): Promise<undefined> => {
    count(exchange, await Promise.resolve(apiKeys.find(key, exchange.now)).catch(() => undefined));
  };

  /** A request with a refused token is counted with its key, and refused. */
  const identifyAndCount = async (exchange: Exchange, key: string): Promise<undefined> => {
    try {
      await bearer.verify(exchange);
    } finally {
      await findToCount(exchange, key);
    }
  };

  const recognise = async (exchange: Exchange): Promise<undefined> => {
    const { authorization, [API_KEY_HEADER]: key } = exchange.request.headers;
    if (authorization !== undefined) await bearer.recognise(exchange);
    if (typeof key === 'string') await findToCount(exchange, key);
  };

  return {
    identify: (exchange: Exchange): ReturnType<Check> => {
      const { route, family, request } = exchange;
      const { authorization, [API_KEY_HEADER]: key } = request.headers;
      if (family === 'B' || route?.service === 'pos') return bearer.verify(exchange);
      // An open operation needs no token, but whoever sends one is counted.
      if (route?.scope === undefined && authorization !== undefined) return recognise(exchange);
      if (typeof key !== 'string') return bearer.verify(exchange);
      if (route?.scope !== undefined && authorization === undefined) return find(exchange, key, identify);
      return identifyAndCount(exchange, key);
    },
    /** Notes the caller of a request that is refused before, so that it is counted. Never rejects. */
    noteCaller: (exchange: Exchange): ReturnType<Check> => {
      const { authorization, [API_KEY_HEADER]: key } = exchange.request.headers;
      const isAnonymous = authorization === undefined && key === undefined;
      return exchange.family === 'B' || isAnonymous ? undefined : recognise(exchange);
    },
  };
}

/** Beside a token a key must be of its institution. */
const count = (exchange: Exchange, apiKey: KnownApiKey | undefined): undefined => {
  const { claims } = exchange;
  if (!apiKey || (claims !== undefined && claims.institution !== apiKey.institution)) return;
  exchange.apiKey = apiKey;
  exchange.keyOutcome = 'counted';
};

/** A key identifies callers of public operations only. */
const identify = (exchange: Exchange, apiKey: KnownApiKey | undefined): undefined => {
  const { route, request } = exchange;
  exchange.apiKey = apiKey;
  exchange.keyOutcome = 'not_public';
  // Refused as without a key (RFC 6750, 3.1).
  if (!route?.isPublic) bearerToken(undefined);
  exchange.keyOutcome = 'invalid';
  if (!apiKey) throw refuseKey();
  exchange.keyOutcome = 'origin';
  exchange.isPublic = true;
  const { origin } = request.headers;
  if (origin !== undefined && apiKey.origins.length > 0 && !apiKey.origins.includes(origin)) throw refuseOrigin();
  exchange.keyOutcome = 'admitted';
};

const refuseKey = (): Fault =>
  new Fault('unauthorized', 'The API key is not valid: it is unknown, has expired or was deleted.', {
    'WWW-Authenticate': 'Bearer',
  });

const refuseOrigin = (): Fault => new Fault('forbidden', 'The API key may not be used by pages of this Origin.');
