import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AnyOperation, buildOpenApiDocument, createApp, createCheck, listNeededScopes } from '@boxoffice/http';
import {
  type CallerUser,
  type ClientBounds,
  createIdentityVerifier,
  IDENTITY_HEADER,
  type KeySet,
  signIdentity,
} from '@boxoffice/identity';
import type { Store } from '@boxoffice/store';
import type { TSchema } from 'typebox';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const kid = randomUUID();
const keys: KeySet = { key: async (id) => (id === kid ? publicKey : undefined), refresh: async () => {} };
// One key for all instances: a cursor of one is valid on the others.
const cursorKey = randomBytes(32);

const logger = { info: () => {}, error: (message: string, fields?: object) => console.error(message, fields) };

export interface ServedReply<Data> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Null if the response has no body. */
  readonly body: { readonly status: string; readonly details: string | null; readonly data: Data };
  /** The body's data; null on errors. */
  readonly data: Data;
}

interface ServedCall {
  readonly institution: string;
  /** Default: `partner`. */
  readonly client?: string;
  /** The calling service; absent or empty: a client calls. */
  readonly service?: string | null | undefined;
  readonly user?: CallerUser | null;
  readonly bounds?: ClientBounds | null;
  readonly isPublic?: boolean;
  /** Additional to those that the operation needs. */
  readonly scopes?: readonly string[];
  /** The operation in the identity token. Default: that of the path. */
  readonly operation?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Served {
  readonly url: string;
  /** @throws {Error} if the operation's description lacks the response's status, or its schema does not fit the data */
  call<Data>(method: string, path: string, call: ServedCall): Promise<ServedReply<Data>>;
  /** The same without a look at the response, whose body may have no end; aborted by the signal. */
  open(method: string, path: string, call: ServedCall, signal?: AbortSignal): Promise<Response>;
  close(): Promise<void>;
}

/** Throws a Fault that names every violation if the data lack the shape of the schema. */
type CheckShape = (schema: TSchema, data: unknown) => void;

/** Makes a check that compiles a schema when the first data are held to it: most schemas of a service meet none. */
export function createShapeCheck(): CheckShape {
  const checks = new Map<TSchema, ReturnType<typeof createCheck>>();
  return (schema, data) => {
    const check = checks.get(schema) ?? createCheck(schema);
    checks.set(schema, check);
    check(structuredClone(data));
  };
}

type Described = Record<string, Record<string, { readonly responses: object }>>;

/** Serves on a free port of this machine; its `close` ends every connection. */
export async function serveLocally(listener: RequestListener) {
  // A connection whose end the caller has not noticed would fail its next call.
  const server = createServer({ keepAliveTimeout: 600_000 }, listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function serveOperations(
  service: string,
  operations: readonly AnyOperation[],
  { idempotency }: Pick<Store, 'idempotency'>,
): Promise<Served> {
  const { paths } = buildOpenApiDocument({ service, version: '0', operations }) as { paths: Described };
  const app = createApp({
    service,
    version: '0',
    operations,
    identify: createIdentityVerifier({ keys, audience: service }),
    idempotency,
    cursorKey,
    logger,
  });
  const checkShape = createShapeCheck();
  const { url, close } = await serveLocally(app);

  const calledAt = (method: string, path: string): AnyOperation | undefined => {
    const [plain = ''] = path.split('?');
    const found = operations.filter((one) => matches(one, method, plain));
    return found.find((one) => one.path === plain) ?? found[0];
  };

  const open: Served['open'] = async (method, path, options, signal) => {
    const { institution, client = 'partner', service: caller, scopes = [], operation, body, headers = {} } = options;
    const { user = null, bounds = null, isPublic = false } = options;
    const called = calledAt(method, path);
    const needed = called ? listNeededScopes(called) : [];
    const identity = signIdentity(
      { kid, privateKey },
      {
        audience: service,
        caller: {
          institution,
          client: caller || isPublic ? null : client,
          service: caller || null,
          scopes: caller ? [] : [...needed, ...scopes],
          operation: operation ?? called?.id ?? 'none',
          user: caller ? null : user,
          bounds: caller || isPublic ? null : bounds,
          isPublic,
        },
        issuedAt: Math.floor(Date.now() / 1_000),
      },
    );
    return fetch(`${url}${path}`, {
      method,
      ...(signal ? { signal } : {}),
      headers: {
        [IDENTITY_HEADER]: identity,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };

  const call = async <Data>(method: string, path: string, options: ServedCall): Promise<ServedReply<Data>> => {
    const called = calledAt(method, path);
    const response = await open(method, path, options);
    const text = await response.text();
    const responses = called && paths[called.path]?.[called.method]?.responses;
    if (responses && !(response.status in responses))
      throw new Error(`${called.id} answered ${response.status}, which is not described`);
    // A document has neither an envelope nor a schema.
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const read = isJson && text !== '' ? JSON.parse(text) : null;
    const schema = called?.answers[response.status];
    if (schema && (isJson || !called?.documents)) checkShape(schema, read?.data ?? null);
    return { status: response.status, headers: response.headers, text, body: read, data: read?.data ?? null };
  };

  return { url, call, open, close };
}

const matches = (operation: AnyOperation, method: string, path: string): boolean =>
  operation.method === method.toLowerCase() &&
  new RegExp(`^${operation.path.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path);

type Reply = Pick<ServedReply<unknown>, 'status' | 'headers' | 'text'>;

const SECRETS = /"(clientSecret|secret|key|invitation)":("[^"]*"|\{[^}]*\})/g;

/** Eight times at once with one Idempotency-Key, to these instances in turn. @throws unless seven replay the first */
export async function sendEightAtOnce<Instance, R extends Reply>(
  instances: readonly Instance[],
  send: (on: Instance, key: string) => Promise<R>,
): Promise<R> {
  const key = randomUUID();
  const eight = Array.from({ length: 8 }, (_, n) => instances[n % instances.length] as Instance);
  const replies = await Promise.all(eight.map((on) => send(on, key)));
  const firsts = replies.filter(({ headers }) => headers.get('idempotency-replayed') === null);
  const withoutSecrets = ({ status, text }: Reply) => [status, text.replaceAll(SECRETS, '"$1":null')];
  const [first = replies[0] as R] = firsts;
  for (const reply of replies) assert.deepEqual(withoutSecrets(reply), withoutSecrets(first));
  assert.equal(firsts.length, 1, 'the first answer was given more than once, or never');
  return first;
}
