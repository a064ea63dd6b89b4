import { Fault } from '@boxoffice/envelope';
import type { Exchange, Step } from '../exchange/exchange.ts';
import type { ApiKeys, KnownApiKey } from './api-keys.ts';
import { type Bearer, bearerToken } from './bearer.ts';

interface CredentialsOptions {
  readonly bearer: Bearer;
  readonly apiKeys: ApiKeys;
}

const API_KEY_HEADER = 'x-api-key';

const refuseKey = (): Fault =>
  new Fault('unauthorized', 'The API key is not valid: it is unknown, has expired or was deleted.', {
    'WWW-Authenticate': 'Bearer',
  });

const refuseOrigin = (): Fault => new Fault('forbidden', 'The API key may not be used by pages of this Origin.');

/** Without a token the key identifies the caller, of public operations only. */
const identify = (exchange: Exchange, apiKey: KnownApiKey | undefined): undefined => {
  const { route, request } = exchange;
  exchange.apiKey = apiKey;
  exchange.keyOutcome = 'not_public';
  // As without a key (RFC 6750, 3.1).
  if (!route?.isPublic) bearerToken(undefined);
  exchange.keyOutcome = 'invalid';
  if (!apiKey) throw refuseKey();
  exchange.keyOutcome = 'origin';
  exchange.isPublic = true;
  const { origin } = request.headers;
  if (origin !== undefined && apiKey.origins.length > 0 && !apiKey.origins.includes(origin)) throw refuseOrigin();
  exchange.keyOutcome = 'admitted';
};

/** Beside a token, and where none is needed, the key is counted; beside a token it must be of its institution. */
const count = (exchange: Exchange, apiKey: KnownApiKey | undefined): undefined => {
  const { claims } = exchange;
  if (!apiKey || (claims !== undefined && claims.institution !== apiKey.institution)) return;
  exchange.apiKey = apiKey;
  exchange.keyOutcome = 'counted';
};

/** The identification of callers. */
export interface Credentials {
  /** Identifies the caller by its token, or else by its API key. */
  readonly identify: Step;
  /**
   * Notes whose request it was that is refused before its caller is identified, so that it is counted. Undefined if it
   * names no caller. Never rejects.
   */
  noteCaller(exchange: Exchange): Promise<undefined> | undefined;
  /**
   * Makes a step that finds the operation of a request into one that also notes whose request it was that has none, so
   * that it is counted.
   */
  countingRefusals(step: (exchange: Exchange) => undefined): Step;
}

/** Makes the identification. */
export const createCredentials = ({ bearer, apiKeys }: CredentialsOptions): Credentials => {
  const find = (
    exchange: Exchange,
    key: string,
    then: (exchange: Exchange, apiKey: KnownApiKey | undefined) => undefined,
  ): ReturnType<Step> => {
    const found = apiKeys.find(key, exchange.now);
    return found instanceof Promise ? found.then((apiKey) => then(exchange, apiKey)) : then(exchange, found);
  };

  /** A key that cannot be read now is not counted, rather than a request refused that it does not decide about. */
  const findToCount = async (exchange: Exchange, key: string): Promise<undefined> => {
    count(exchange, await Promise.resolve(apiKeys.find(key, exchange.now)).catch(() => undefined));
  };

  /** A refused token takes nothing from the key: the request is counted with it, and refused. */
  const identifyAndCount = async (exchange: Exchange, key: string): Promise<undefined> => {
    try {
      await bearer.step(exchange);
    } finally {
      await findToCount(exchange, key);
    }
  };

  const recognise = async (exchange: Exchange): Promise<undefined> => {
    const { authorization, [API_KEY_HEADER]: key } = exchange.request.headers;
    if (authorization !== undefined) await bearer.recognise(exchange);
    if (typeof key === 'string') await findToCount(exchange, key);
  };

  const noteCaller = (exchange: Exchange): Promise<undefined> | undefined => {
    const { authorization, [API_KEY_HEADER]: key } = exchange.request.headers;
    const isAnonymous = authorization === undefined && key === undefined;
    return exchange.family === 'B' || isAnonymous ? undefined : recognise(exchange);
  };

  return {
    identify: (exchange) => {
      const { route, family, request } = exchange;
      const { authorization, [API_KEY_HEADER]: key } = request.headers;
      if (family === 'B' || route?.service === 'pos') return bearer.step(exchange);
      // An open operation needs no token, but whoever sends one is counted.
      if (route?.scope === undefined && authorization !== undefined) return recognise(exchange);
      if (typeof key !== 'string') return bearer.step(exchange);
      if (route?.scope !== undefined && authorization === undefined) return find(exchange, key, identify);
      return identifyAndCount(exchange, key);
    },
    noteCaller,
    countingRefusals: (step) => (exchange) => {
      try {
        return step(exchange);
      } catch (refusal) {
        // Whoever must wait for a service that is away does not wait for the authorizer as well.
        const isFailure = !(refusal instanceof Fault) || refusal.http >= 500;
        const noted = isFailure ? undefined : noteCaller(exchange);
        if (!noted) throw refusal;
        return noted.then(() => {
          throw refusal;
        });
      }
    },
  };
};
