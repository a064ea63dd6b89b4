import { Fault } from '@boxoffice/envelope';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { IDENTITIES_PATH } from './constants.ts';
import type { KeySet } from './key-set.ts';

/** A service's call on its own behalf. */
export interface ServiceCall {
  /** The service that is called. */
  readonly audience: string;
  /** The institution whose data it may touch; empty for data that belongs to none. */
  readonly institution: string;
  /** The id of the one operation that is called. */
  readonly operation: string;
}

/** The credentials of a service towards other services. */
export interface ServiceCredentials {
  /**
   * An identity token for the call, cached until shortly before it expires. Rejects with Fault `service_unavailable` if
   * the authorizer does not respond, and with a plain Error if it refuses: then the installation is misconfigured.
   */
  tokenFor(call: ServiceCall): Promise<string>;
}

export interface ServiceCredentialsOptions {
  readonly authorizerUrl: string;
  /** The name of this service. */
  readonly service: string;
  /** Its SERVICE_SECRET. */
  readonly secret: string;
  /**
   * The published keys: a cached token whose key was withdrawn is discarded, since the other service would refuse it.
   */
  readonly keys?: Pick<KeySet, 'key'>;
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Headers that carry the current request's trace. */
  readonly traceHeaders?: () => Readonly<Record<string, string>>;
}

interface Minted {
  readonly identity: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly kid: string | undefined;
}

/** How long before their expiry tokens are renewed; it covers the call that they are for. */
const SPARE_MS = 15_000;

const CACHE_SIZE = 10_000;

/** The Authorization header of a service towards the authorizer's internal operations. */
export const serviceAuthorization = (service: string, secret: string): string =>
  `Basic ${Buffer.from(`${service}:${secret}`).toString('base64')}`;

/** Creates the credentials of one service. */
export const createServiceCredentials = (options: ServiceCredentialsOptions): ServiceCredentials => {
  const { authorizerUrl, service, secret, timeoutMs = 3_000, keys, traceHeaders = () => ({}) } = options;
  const { fetch = globalThis.fetch, now = Date.now } = options;
  const minted = new LRUCache<string, Minted>({ maxSize: CACHE_SIZE, sizeCalculation: () => 1 });
  const underway = new Map<string, Promise<Minted>>();
  const url = new URL(IDENTITIES_PATH, authorizerUrl);

  const mint = async (call: ServiceCall): Promise<Minted> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        ...traceHeaders(),
        authorization: serviceAuthorization(service, secret),
        'content-type': 'application/json',
      },
      body: JSON.stringify({ audience: call.audience, institution: call.institution, operation: call.operation }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => undefined);
    if (!response || response.status >= 500) {
      throw new Fault('service_unavailable', 'The authorizer does not answer at the moment.', { 'Retry-After': '1' });
    }
    const answer = (await response.json()) as { details: string; data: { identity: string; expiresAt: string } };
    if (!response.ok) {
      throw new Error(
        `the authorizer refused ${service} a call of ${call.operation} at ${call.audience}: ${answer.details}`,
      );
    }
    const { identity, expiresAt } = answer.data;
    return { identity, expiresAt: Date.parse(expiresAt), kid: jwt.decode(identity, { complete: true })?.header.kid };
  };

  /** Whether its key may still be valid, as far as is known. */
  const counts = async ({ kid }: Minted): Promise<boolean> => {
    if (!keys || kid === undefined) return true;
    return keys.key(kid).then(Boolean, () => true);
  };

  return {
    tokenFor: async (call) => {
      const key = JSON.stringify([call.audience, call.institution, call.operation]);
      const known = minted.get(key);
      if (known && now() < known.expiresAt - SPARE_MS && (await counts(known))) return known.identity;
      const pending =
        underway.get(key) ??
        mint(call).finally(() => {
          underway.delete(key);
        });
      underway.set(key, pending);
      const fresh = await pending;
      minted.set(key, fresh);
      return fresh.identity;
    },
  };
};
