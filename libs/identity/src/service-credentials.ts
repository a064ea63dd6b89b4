import { traceHeaders } from '@boxoffice/runtime';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { type AuthorizerCaller, createAuthorizerCalls } from './authorizer-calls.ts';
import { IDENTITIES_PATH } from './constants.ts';
import type { KeySet } from './key-set.ts';

/** A service's call on its own behalf. */
interface ServiceCall {
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

interface ServiceCredentialsOptions extends AuthorizerCaller {
  /**
   * The published keys: a cached token whose key was withdrawn is discarded, since the other service would refuse it.
   */
  readonly keys?: Pick<KeySet, 'key'>;
  /** Epoch milliseconds. */
  readonly now?: () => number;
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

/** Creates the credentials of one service. */
export const createServiceCredentials = (options: ServiceCredentialsOptions): ServiceCredentials => {
  const { service, keys, now = Date.now } = options;
  const callAuthorizer = createAuthorizerCalls(options);
  const minted = new LRUCache<string, Minted>({ maxSize: CACHE_SIZE, sizeCalculation: () => 1 });
  const underway = new Map<string, Promise<Minted>>();

  const mint = async (call: ServiceCall): Promise<Minted> => {
    const { audience, institution, operation } = call;
    const { status, details, data } = await callAuthorizer({
      path: IDENTITIES_PATH,
      headers: traceHeaders(),
      body: { audience, institution, operation },
    });
    if (status !== 200) {
      throw new Error(`the authorizer refused ${service} a call of ${operation} at ${audience}: ${details}`);
    }
    const { identity, expiresAt } = data as { readonly identity: string; readonly expiresAt: string };
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
