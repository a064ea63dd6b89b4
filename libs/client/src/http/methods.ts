import { type Answer, callOf, listOf, type Page, type Records, type Walk } from '../call.ts';
import { either } from '../options.ts';
import type { Form } from './exchange.ts';
import { type Request, type Route, routeOf, wireOf } from './request.ts';
import type { Transport } from './transport.ts';

/** What the requests of a client have in common. */
export interface Base {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Query parameters of every request that does not set them itself. */
  readonly query?: Request['query'];
}

const formOf = ({ properties }: Route): Form => {
  if (properties.includes('blob')) return 'blob';
  return properties.includes('bare') ? 'bare' : 'envelope';
};

type Ask<Data> = (request: Request) => Promise<Answer<Data>>;

const withQuery = (request: Request, more: Request['query']): Request => ({
  ...request,
  query: { ...request.query, ...more },
  ifNoneMatch: undefined,
});

/** The institution's lists: the page names the cursor of the next one. */
const byCursor = (ask: Ask<Page>, request: Request): Walk<Page> => ({
  next: ({ data: { nextCursor: cursor } }) => (cursor ? ask(withQuery(request, { cursor })) : undefined),
  recordsOf: ({ items }) => items,
});

/** The lists of points of sale: the records so far, and the number of all in a header. */
const byOffset = (ask: Ask<Records>, request: Request): Walk<Records> => ({
  next({ data, headers }, before) {
    const count = Object.keys(data).length;
    const offset = Number(request.query?.offset ?? 0) + before + count;
    const isLast = count === 0 || offset >= Number(headers.get('x-total-amount'));
    return isLast ? undefined : ask(withQuery(request, { offset }));
  },
  recordsOf: Object.values,
});

const methodOf = (route: Route, transport: Transport, { baseUrl, timeoutMs, signal, query }: Base) => {
  const isOpen = route.properties.includes('open');
  const ask = async <Data>(request: Request): Promise<Answer<Data>> => {
    const own = { ...request, query: { ...query, ...request.query }, signal: either(signal, request.signal) };
    return transport.call(wireOf(route, baseUrl, own, timeoutMs), formOf(route), isOpen);
  };
  if (route.properties.includes('list'))
    return (request: Request = {}) => listOf(ask<Page>(request), byCursor(ask, request));
  if (route.properties.includes('map'))
    return (request: Request = {}) => listOf(ask<Records>(request), byOffset(ask, request));
  return (request: Request = {}) => callOf(ask(request));
};

/** The methods of a client: one for each row of its route table. */
export const methodsOf = (
  table: Readonly<Record<string, string>>,
  transport: Transport,
  base: Base,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(table).map(([id, row]) => [id, methodOf(routeOf(id, row), transport, base)]));
