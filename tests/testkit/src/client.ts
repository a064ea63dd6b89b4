import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';

/** Any JSON, untyped: a client reads the members that it needs. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, URLSearchParams as a form, a string or a stream unchanged. */
  readonly body?: unknown;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as received: still compressed, if the request accepted that. */
  readonly bytes: Buffer;
  readonly text: string;
  /** The JSON body; undefined if the body is not JSON. */
  readonly body: Json;
  /** Milliseconds from the start of the request to the last byte of the response. */
  readonly ms: number;
}

export interface Address {
  readonly baseUrl: string;
  readonly ca?: string;
}

/** Sends a request to a path. Resolves with any complete response; rejects if there is none. */
export type Client = (path: string, call?: Call) => Promise<Reply>;

export interface SendOptions {
  /** The connections to use; an Agent of the URL's protocol. */
  readonly agent?: RequestOptions['agent'];
}

/** Sends one request; rejects if no complete response arrives. */
export function send(url: URL, call: Call = {}, { agent }: SendOptions = {}): Promise<Reply> {
  return exchange({ ...targetOf(url), agent }, `${url.pathname}${url.search}`, call, {});
}

const exchange = (target: RequestOptions, path: string, call: Call, usual: Call['headers']): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const started = performance.now();
    const { payload, type } = encodeBody(call.body);
    const headers: Record<string, string | number> = {};
    if (type !== undefined) headers['content-type'] = type;
    if (typeof payload === 'string') headers['content-length'] = Buffer.byteLength(payload);
    Object.assign(headers, usual, call.headers);
    const start = target.protocol === 'http:' ? plainRequest : request;
    const outgoing = start({ ...target, path, method: call.method ?? 'GET', headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => resolve(replyOf(incoming, Buffer.concat(chunks), performance.now() - started)));
    });
    outgoing.on('error', reject);
    if (payload instanceof Readable) payload.on('error', (error) => outgoing.destroy(error)).pipe(outgoing);
    else outgoing.end(payload);
  });

const encodeBody = (body: unknown): { payload?: string | Readable; type?: string } => {
  if (body === undefined) return {};
  if (typeof body === 'string' || body instanceof Readable) return { payload: body };
  if (body instanceof URLSearchParams) return { payload: body.toString(), type: 'application/x-www-form-urlencoded' };
  return { payload: JSON.stringify(body), type: 'application/json' };
};

/** Text and JSON are decoded when they are first read: a load generator often needs neither. */
const replyOf = ({ statusCode = 0, headers }: IncomingMessage, bytes: Buffer, ms: number): Reply => {
  let text: string | undefined;
  let body: { readonly json: Json } | undefined;
  return {
    status: statusCode,
    headers,
    bytes,
    ms,
    get text() {
      text ??= bytes.toString('utf8');
      return text;
    },
    get body() {
      body ??= { json: parseJson(this.text) };
      return body.json;
    },
  };
};

const parseJson = (text: string): Json => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Where a request goes: the options of node:http for a URL, without those that differ from call to call. */
const targetOf = (url: URL): RequestOptions => {
  const { protocol, hostname, port } = urlToHttpOptions(url);
  return { protocol, hostname, port };
};

/**
 * Creates a client with persistent connections of its own; `agent` replaces them. `headers` go with every call that
 * does not set them itself. Cheap enough to apply load: it parses no URL and, unless asked, no response.
 */
export function openClient(
  { baseUrl, ca }: Address,
  { headers = {}, agent }: SendOptions & Pick<Call, 'headers'> = {},
): Client {
  const url = new URL(baseUrl);
  const isPlain = url.protocol === 'http:';
  const connections = agent ?? (isPlain ? new PlainAgent({ keepAlive: true }) : new Agent({ keepAlive: true, ca }));
  const target = { ...targetOf(url), agent: connections };
  return (path, call = {}) => exchange(target, path, call, headers);
}

/**
 * Sends a request and returns the `data` of its envelope, of either family.
 * @throws {Error} on a response that is no success, with its status and text
 */
export async function readData(client: Client, path: string, call?: Call): Promise<Json> {
  const { status, body, text } = await client(path, call);
  if (status >= 200 && status < 300 && body?.success !== false) return body?.data;
  throw new Error(`${call?.method ?? 'GET'} ${path}: ${status} ${text}`);
}

/** `fetch` that trusts the certificate of an address instead of the system's, for clients that take such a function. */
export function createFetch({ ca }: Pick<Address, 'ca'>) {
  return (url: string, { method = 'GET', headers = {}, body, signal }: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      const start = url.startsWith('http:') ? plainRequest : request;
      const options = { method, headers: Object.fromEntries(new Headers(headers)), ca, ...(signal && { signal }) };
      const outgoing = start(url, options, (incoming) => {
        const { statusCode: status = 0, rawHeaders } = incoming;
        const names = rawHeaders.filter((_, index) => index % 2 === 0);
        const received = names.map((name, index): [string, string] => [name, rawHeaders[index * 2 + 1] ?? '']);
        const isEmpty = method === 'HEAD' || status === 204 || status === 304;
        if (isEmpty) incoming.resume();
        const content = isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>);
        resolve(new Response(content, { status, headers: received }));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
}

/**
 * Returns a visitor of a point of sale (family B): a client that names it in every call, and sends the session token
 * that the last response with one carried.
 */
export function openVisitor(client: Client, serviceHost: string): Client {
  let session: Readonly<Record<string, string>> = {};
  return async (path, call = {}) => {
    const headers = { 'x-service-host': serviceHost, ...session, ...call.headers };
    const reply = await client(path, { ...call, headers });
    const token = reply.headers['x-auth-token'];
    if (typeof token === 'string') session = { 'x-auth-token': token };
    return reply;
  };
}

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Tokens live for fifteen minutes unless an installation sets another lifetime. */
const RENEWED_AFTER_MS = 8 * 60_000;

/**
 * Requests a token (RFC 6749, section 4.4: client credentials); returns the value of the Authorization header.
 * @throws {Error} when there is none
 */
export async function requestAuthorization(client: Client, { clientId, clientSecret }: Credentials): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const { status, body, text } = await client('/auth/token', { method: 'POST', body: new URLSearchParams(form) });
  if (status !== 200) throw new Error(`no token for client ${clientId}: ${status} ${text}`);
  return `Bearer ${body.access_token}`;
}

/**
 * Returns a client that sends a token with every call. It requests the token before its first call, again after eight
 * minutes, and again after a request for one has failed.
 */
export function authoriseClient(
  client: Client,
  credentials: Credentials,
  now: () => number = () => performance.now(),
): Client {
  let current: { readonly value: Promise<string>; readonly at: number } | undefined;
  const authorization = (): Promise<string> => {
    if (current && now() - current.at <= RENEWED_AFTER_MS) return current.value;
    const requested = { value: requestAuthorization(client, credentials), at: now() };
    requested.value.catch(() => {
      if (current === requested) current = undefined;
    });
    current = requested;
    return requested.value;
  };
  return async (path, call = {}) =>
    client(path, { ...call, headers: { authorization: await authorization(), ...call.headers } });
}
