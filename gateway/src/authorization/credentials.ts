import { Fault } from '@boxoffice/envelope';
import type { Exchange, Step } from '../exchange/exchange.ts';
import type { ApiKeys, KnownApiKey } from './api-keys.ts';
import { bearerToken } from './bearer.ts';

export interface CredentialsOptions {
  /** Verifies the access token where the operation needs one. */
  readonly bearer: Step;
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

/** Makes the step that identifies the caller by its token, or else by its API key. */
export const createCredentials = ({ bearer, apiKeys }: CredentialsOptions): Step => {
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
      await bearer(exchange);
    } finally {
      await findToCount(exchange, key);
    }
  };

  return (exchange) => {
    const { route, family, request } = exchange;
    const { authorization, [API_KEY_HEADER]: key } = request.headers;
    if (typeof key !== 'string' || family === 'B' || route?.service === 'pos') return bearer(exchange);
    if (route?.scope !== undefined && authorization === undefined) return find(exchange, key, identify);
    return identifyAndCount(exchange, key);
  };
};
