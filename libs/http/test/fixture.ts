import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Caller, createIdentityVerifier, type KeySet, signIdentity } from '@boxoffice/identity';
import { openSqliteStores, type SqliteStores } from '@boxoffice/store';
import { afterAll, beforeAll } from '@jest/globals';
import { type AnyOperation, type AppOptions, createApp, type IdempotencyPort } from '../src/index.ts';

const SERVICE = 'things';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signing = { kid: randomUUID(), privateKey };
const published: ReadonlyMap<string, KeyObject> = new Map([[signing.kid, publicKey]]);
const keys: KeySet = { key: async (kid) => published.get(kid), refresh: async () => {} };

/** An identity token as the authorizer signs it. */
export function signTestIdentity(caller: Partial<Caller>, audience = SERVICE): string {
  return signIdentity(signing, {
    audience,
    caller: { institution: 'opera', client: 'cl_1', service: null, scopes: [], operation: 'none', ...caller },
    issuedAt: Math.floor(Date.now() / 1000),
  });
}

/** An in-memory idempotency store with the semantics of the store's port. */
export function rememberInMemory(): IdempotencyPort {
  const known = new Map<string, NonNullable<Awaited<ReturnType<IdempotencyPort['find']>>>>();
  return {
    find: async (key) => known.get(key),
    remember: async ({ key, fingerprint }, answer) => {
      const first = known.get(key);
      if (!first) known.set(key, { fingerprint, answer });
      return first;
    },
    trim: async () => {},
  };
}

/** A logged line. */
export interface Line {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Started {
  readonly url: string;
  readonly server: Server;
  readonly lines: Line[];
  /** Requests a path with an identity token for this operation and scope. A text is a body of JSON. */
  call(path: string, init: RequestInit & { as: Partial<Caller> }): Promise<Response>;
  close(): Promise<void>;
}

/** The application of these operations. */
export function createTestApp(operations: readonly AnyOperation[], options: Partial<AppOptions> = {}) {
  return createApp({
    service: SERVICE,
    version: '0.0.0',
    operations,
    identify: createIdentityVerifier({ keys, audience: SERVICE }),
    idempotency: rememberInMemory(),
    cursorKey: randomBytes(32),
    logger: { info: () => undefined, error: () => undefined },
    ...options,
  });
}

/** Serves operations on a free port. */
export async function start(operations: readonly AnyOperation[], options: Partial<AppOptions> = {}): Promise<Started> {
  const lines: Line[] = [];
  const log = (message: string, fields: object = {}) => {
    lines.push({ message, fields: { ...fields } });
  };
  const app = createTestApp(operations, { logger: { info: log, error: log }, ...options });
  // No idle connection is closed just when the next request is sent on it.
  const server = createServer({ keepAliveTimeout: 600_000 }, app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    server,
    lines,
    call: (path, { as, ...init }) => {
      const type = typeof init.body === 'string' && { 'Content-Type': 'application/json' };
      const headers = { 'X-Internal-Identity': signTestIdentity(as), ...type, ...init.headers };
      return fetch(url + path, { ...init, headers });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A store in a directory of its own. */
export async function openTestStore(...collections: Parameters<SqliteStores['open']>[1]) {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-http-'));
  const stores = openSqliteStores({ directory });
  return {
    store: await stores.open('test', collections),
    async close() {
      await stores.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** What the tests of a suite use: it opens before them and closes after them. */
export function openForSuite<Opened extends { close(): Promise<void> }>(open: () => Promise<Opened>): Opened {
  const its = {} as Opened;
  beforeAll(async () => {
    Object.assign(its, await open());
  });
  afterAll(() => its.close());
  return its;
}

/**
 * Sends bytes over a connection of its own and returns all bytes received until the server closes it (or `until` is
 * seen).
 */
export function exchangeRaw(
  url: string,
  parts: readonly (string | Buffer)[],
  until?: string,
): Promise<{ text: string; closed: boolean; failed?: string }> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let text = '';
    const settle = (closed: boolean, failed?: string) => {
      resolve({ text, closed, failed });
      socket.destroy();
    };
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
      if (until !== undefined && text.includes(until)) settle(false);
    });
    socket.on('end', () => settle(true));
    socket.on('error', (error) => settle(true, error.message));
    for (const part of parts) socket.write(part);
  });
}
