import type { Check, Exchange } from '../exchange/exchange.ts';
import { createNewest } from '../limits/newest.ts';
import type { AuthorizerClient, Decision } from './authorizer-client.ts';

export type Authorize = ReturnType<typeof createAuthorize>;

interface CachedDecision {
  readonly identity: string;
  readonly client: string;
  readonly until: number;
}

const DECISIONS = 20_000;

/** Milliseconds; bounds how long a changed right is still used, whatever was polled: 5 s are promised. */
const CACHED_MS = 4_000;

/** The identity must outlive the request that carries it. */
const SPARE_MS = 10_000;

/** Decisions are cached per token, or API key, and operation; refusals are not. Equal requests share a call. */
export function createAuthorize(
  authorizerClient: Pick<AuthorizerClient, 'decide' | 'decidePublic'>,
  lookedUp: (found: boolean) => void = () => undefined,
) {
  const cache = createNewest<CachedDecision>(DECISIONS);
  const pendingDecisions = new Map<string, Promise<Decision>>();
  // A decision that was requested before `forget` is used once, but not cached.
  let generation = 0;

  const request = async (key: string, exchange: Exchange, scope: string): Promise<Decision> => {
    const { token, route, trace, claims, apiKey, isPublic } = exchange;
    const requestedIn = generation;
    const called = { operation: route?.operation ?? '', audience: route?.service ?? '' };
    const decision =
      isPublic && apiKey
        ? await authorizerClient.decidePublic({ keyHash: apiKey.keyHash, ...called }, trace)
        : await authorizerClient.decide({ token, scope, ...called }, trace);
    const now = Date.now();
    const until = Math.min(now + CACHED_MS, decision.expiresAt - SPARE_MS);
    if (requestedIn === generation && until > now) {
      cache.set(key, { identity: decision.identity, client: claims?.client_id ?? '', until });
    }
    return decision;
  };

  const requestDecision = async (key: string, exchange: Exchange, scope: string): Promise<undefined> => {
    const pending =
      pendingDecisions.get(key) ?? request(key, exchange, scope).finally(() => pendingDecisions.delete(key));
    pendingDecisions.set(key, pending);
    exchange.identity = (await pending).identity;
  };

  return {
    decide(exchange: Exchange): ReturnType<Check> {
      const { route, tokenHash, apiKey, isPublic, now } = exchange;
      if (route?.scope === undefined) return undefined;
      // Every request reads the key itself, so decisions need no notice of its changes.
      const key = isPublic ? `key ${apiKey?.apiKeyId} ${route.key}` : `${tokenHash} ${route.key}`;
      const cached = cache.get(key);
      const isFresh = cached !== undefined && cached.until > now;
      lookedUp(isFresh);
      if (!isFresh) return requestDecision(key, exchange, route.scope);
      exchange.identity = cached.identity;
    },
    forget(clientId: string): void {
      generation += 1;
      pendingDecisions.clear();
      for (const [key, { client }] of cache.entries()) if (client === clientId) cache.delete(key);
    },
  };
}
