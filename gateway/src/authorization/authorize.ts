import { LRUCache } from 'lru-cache';
import type { Exchange, Step } from '../exchange/exchange.ts';
import type { AuthorizerClient, Decision } from './authorizer-client.ts';

/** Decisions of the authorizer, remembered for seconds. */
export interface Authorize {
  readonly step: Step;
  /** Forgets what was decided for a client. */
  forget(clientId: string): void;
}

interface CachedDecision {
  readonly identity: string;
  readonly client: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

const DECISIONS = 20_000;

/** Short enough that what changes is noticed within 5 s even if nobody tells the gateway. */
const CACHED_MS = 4_000;

/** An identity must outlive the request that it is sent with. */
const SPARE_MS = 10_000;

/**
 * Makes the step that asks the authorizer, where the operation needs a scope. Decisions are remembered by token and operation
 * together; refusals and failures never are. Equal questions at the same time are asked once.
 */
export const createAuthorize = (
  authorizerClient: Pick<AuthorizerClient, 'decide'>,
  lookedUp: (found: boolean) => void = () => undefined,
): Authorize => {
  const cache = new LRUCache<string, CachedDecision>({ max: DECISIONS });
  const pendingDecisions = new Map<string, Promise<Decision>>();
  // Grows when something is forgotten: an answer to a question from before may be used, but not remembered.
  let generation = 0;

  const decide = async (key: string, exchange: Exchange, scope: string): Promise<Decision> => {
    const { token, route, trace, claims } = exchange;
    const askedIn = generation;
    const question = { token, operation: route?.operation ?? '', scope, audience: route?.service ?? '' };
    const decision = await authorizerClient.decide(question, trace);
    const now = Date.now();
    const until = Math.min(now + CACHED_MS, decision.expiresAt - SPARE_MS);
    if (askedIn === generation && until > now) {
      cache.set(key, { identity: decision.identity, client: claims?.client_id ?? '', until });
    }
    return decision;
  };

  const requestDecision = async (key: string, exchange: Exchange, scope: string): Promise<undefined> => {
    const pending =
      pendingDecisions.get(key) ?? decide(key, exchange, scope).finally(() => pendingDecisions.delete(key));
    pendingDecisions.set(key, pending);
    exchange.identity = (await pending).identity;
  };

  return {
    step(exchange) {
      const { route, tokenHash, now } = exchange;
      if (route?.scope === undefined) return undefined;
      const key = `${tokenHash} ${route.key}`;
      const cached = cache.get(key);
      const isFresh = cached !== undefined && cached.until > now;
      lookedUp(isFresh);
      if (!isFresh) return requestDecision(key, exchange, route.scope);
      exchange.identity = cached.identity;
    },
    forget(clientId) {
      generation += 1;
      pendingDecisions.clear();
      for (const [key, { client }] of cache.entries()) if (client === clientId) cache.delete(key);
    },
  };
};
