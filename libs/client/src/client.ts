import { type EventFilter, type EventStream, type EventsOptions, openEventStream } from './events.ts';
import { table } from './generated/table.ts';
import type { Operations, PublicOperations } from './generated/types.ts';
import type { Fetch } from './http/exchange.ts';
import { createMethods } from './http/methods.ts';
import { createTransport } from './http/transport.ts';
import { type ClientOptions, combineSignals, normaliseBaseUrl } from './options.ts';
import { createAuthentication } from './tokens.ts';

/** A client with a token: a method per operation, and the events. */
export interface BoxofficeClient extends Operations {
  /** The events of the institution, from now on or after a cursor, for as long as it is read. */
  events<Filter extends EventFilter = EventFilter>(options?: EventsOptions<Filter>): EventStream<Filter>;
}

/** A client without a token: the public operations, with public data. */
export type PublicClient = PublicOperations;

/** A client with the token of a user of the role `customer`, which sees public data of the catalogue. */
export type CustomerClient = Omit<BoxofficeClient, keyof PublicOperations> & PublicOperations;

export type PublicOptions = ClientOptions & { clientId?: undefined; accessToken?: undefined };

/**
 * With `clientId` and `clientSecret` it renews tokens of its own; with `accessToken` it calls for a user, with `apiKey`
 * alone for the public. There is nothing to close. @throws {TypeError} without such an address or credentials
 */
export function createClient(options: PublicOptions): PublicClient;
export function createClient(options: ClientOptions): BoxofficeClient;
export function createClient(options: ClientOptions): BoxofficeClient | PublicClient {
  const { timeoutMs = 60_000, retries = 4, maxDelayMs = 60_000, signal } = options;
  const baseUrl = normaliseBaseUrl(options.baseUrl);
  // A browser's fetch belongs to its window.
  const send: Fetch = options.fetch ?? ((url, init) => fetch(url, init));
  const repetition = { retries, maxDelayMs };
  const authentication = createAuthentication(options, baseUrl, send, timeoutMs, repetition);
  const transport = createTransport(send, authentication, repetition);
  const methods = createMethods<Operations>(table, transport, { baseUrl, timeoutMs, signal });
  const events = (own: EventsOptions = {}) =>
    openEventStream(
      transport,
      baseUrl,
      { ...own, signal: combineSignals(signal, own.signal) },
      { timeoutMs, maxDelayMs },
    );
  return { ...methods, events } as BoxofficeClient;
}
