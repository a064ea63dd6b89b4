import { type Answer, createCall, createList, type Options, type Page, type Records, type Walk } from '../call.ts';
import { combineSignals } from '../options.ts';
import type { Form, Wire } from './exchange.ts';
import type { Repeatable, Transport } from './transport.ts';

interface Request extends Options {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  readonly accept?: string;
}

interface Route {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Properties that differ from the usual: `key`, `open`, `form`, `bare`, `blob`, `list`. */
  readonly properties: readonly string[];
}

export function formatQuery(query: Readonly<Record<string, unknown>> = {}): string {
  const defined = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return new URLSearchParams(defined.map(([name, value]): [string, string] => [name, String(value)])).toString();
}

interface Base {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly query?: Request['query'];
}

type Ask<Data> = (request: Request) => Promise<Answer<Data>>;

/** `Methods`: the operations of the table. */
export function createMethods<Methods extends object>(
  table: Readonly<Record<string, string>>,
  transport: Transport,
  base: Base,
): Methods {
  return Object.fromEntries(
    Object.entries(table).map(([id, row]) => [id, methodOf(routeOf(id, row), transport, base)]),
  ) as Methods;
}

const methodOf = (route: Route, transport: Transport, { baseUrl, timeoutMs, signal, query }: Base) => {
  const isOpen = route.properties.includes('open');
  const ask = async <Data>(request: Request): Promise<Answer<Data>> => {
    const own = { ...request, query: { ...query, ...request.query }, signal: combineSignals(signal, request.signal) };
    return transport.call(wireOf(route, baseUrl, own, timeoutMs), formOf(route), isOpen);
  };
  if (route.properties.includes('list'))
    return (request: Request = {}) => createList(ask<Page>(request), byCursor(ask, request));
  if (route.properties.includes('map'))
    return (request: Request = {}) => createList(ask<Records>(request), byOffset(ask, request));
  return (request: Request = {}) => createCall(ask(request));
};

const wireOf = (
  route: Route,
  baseUrl: string,
  { path = {}, query, body, idempotencyKey, ifMatch, ifNoneMatch, accept, headers, signal, timeoutMs }: Request,
  usualTimeoutMs: number,
): Wire & { readonly repeatable: Repeatable } => {
  const filled = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(route.id, name, path[name]));
  const search = formatQuery(query);
  const key = route.properties.includes('key') ? (idempotencyKey ?? newKey()) : undefined;
  const content = bodyOf(route, body);
  const own: Readonly<Record<string, string | undefined>> = {
    accept: accept ?? (route.properties.includes('blob') ? undefined : 'application/json'),
    'content-type': content.type,
    'idempotency-key': key,
    'if-match': ifMatch,
    'if-none-match': ifNoneMatch,
    ...headers,
  };
  const defined = Object.entries(own).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    method: route.method,
    url: `${baseUrl}${filled}${search ? `?${search}` : ''}`,
    headers: Object.fromEntries(defined),
    ...(content.body !== undefined && { body: content.body }),
    ...(signal && { signal }),
    timeoutMs: timeoutMs ?? usualTimeoutMs,
    repeatable: repeatableOf(route, key, ifMatch),
  };
};

/** A path variable is one segment: `.` and `..` would lead to another operation. */
const segment = (id: string, name: string, value: unknown): string => {
  const text = value === undefined || value === null ? '' : String(value);
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${id}: path.${name} is missing or not a name: "${text}"`);
  return encodeURIComponent(text);
};

/** A key that no other request has: 128 random bits. Unlike randomUUID, also on pages without TLS. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const bodyOf = ({ properties }: Route, body: unknown): Pick<Wire, 'body'> & { readonly type?: string } => {
  if (body === undefined) return {};
  if (!properties.includes('form')) return { body: JSON.stringify(body), type: 'application/json' };
  return { body: formatQuery(body as Readonly<Record<string, unknown>>), type: 'application/x-www-form-urlencoded' };
};

const repeatableOf = ({ method }: Route, key: string | undefined, ifMatch: string | undefined): Repeatable => {
  if (method === 'GET' || key !== undefined) return 'always';
  if (method === 'POST' || method === 'PATCH') return 'never';
  // A second one would be refused because of the first one's effect.
  return ifMatch === undefined ? 'always' : 'refused';
};

const formOf = ({ properties }: Route): Form => {
  if (properties.includes('blob')) return 'blob';
  return properties.includes('bare') ? 'bare' : 'envelope';
};

const byCursor = (ask: Ask<Page>, request: Request): Walk<Page> => ({
  next: ({ data: { nextCursor: cursor } }) => (cursor ? ask(withQuery(request, { cursor })) : undefined),
  recordsOf: ({ items }) => items,
});

const withQuery = (request: Request, more: Request['query']): Request => ({
  ...request,
  query: { ...request.query, ...more },
  ifNoneMatch: undefined,
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

const routeOf = (id: string, row: string): Route => {
  const [method = '', path = '', ...properties] = row.split(' ');
  return { id, method, path, properties };
};
