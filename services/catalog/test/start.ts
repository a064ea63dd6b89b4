import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AnyOperation, createApp, createCheck, openApiDocument } from '@boxoffice/http';
import { type Caller, createIdentityVerifier, IDENTITY_HEADER, type KeySet, signIdentity } from '@boxoffice/identity';
import type { Store } from '@boxoffice/store';
import { createInstitution } from '../src/index.ts';
import { routes } from '../src/routes.ts';
import { engines, type OpenEngine } from './engines.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signing = { kid: randomUUID(), privateKey };
const keys: KeySet = { key: async (kid) => (kid === signing.kid ? publicKey : undefined), refresh: async () => {} };
const cursorKey = randomBytes(32);

const quiet = { info: () => {}, error: (message: string, fields?: object) => console.error(message, fields) };

/** An answer, read. */
export interface Answered<Data> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly status: string; readonly details: string | null };
  /** As the caller expects it; null on errors. */
  readonly data: Data;
}

export interface CallOptions {
  readonly institution?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Calls as another service does. */
  readonly service?: string;
  readonly client?: string;
}

/** One running instance of the service, and calls that come as if through the gateway. */
export interface Instance {
  readonly url: string;
  readonly store: Store;
  call<Data = Readonly<Record<string, unknown>>>(
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<Answered<Data>>;
  close(): Promise<void>;
}

const matches = (operation: AnyOperation, method: string, path: string): boolean =>
  operation.method === method.toLowerCase() &&
  new RegExp(`^${operation.path.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path);

type Described = Record<string, Record<string, { readonly responses: object }>>;

/** Throws unless the operation's description says that it can give this status, and its answer has the declared shape. */
const createWitness = (operations: readonly AnyOperation[]) => {
  const { paths } = openApiDocument({ service: 'catalog', version: '0', operations }) as { paths: Described };
  const checks = new Map(
    operations.flatMap(({ id, answers }) =>
      Object.entries(answers).map(([status, schema]) => [`${id} ${status}`, createCheck(schema)]),
    ),
  );
  return ({ id, method, path }: AnyOperation, status: number, data: unknown): void => {
    const responses = paths[path]?.[method]?.responses;
    if (responses && !(status in responses)) throw new Error(`${id} answered ${status}, which is not described`);
    checks.get(`${id} ${status}`)?.(structuredClone(data));
  };
};

/** Serves the catalog on a free port over this store. */
export const startInstance = async (store: Store, institution: string): Promise<Instance> => {
  const operations = routes(store);
  const witness = createWitness(operations);
  const identify = createIdentityVerifier({ keys, audience: 'catalog' });
  const { idempotency } = store;
  const app = createApp({
    service: 'catalog',
    version: '0',
    operations,
    identify,
    idempotency,
    cursorKey,
    logger: quiet,
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = async <Data>(method: string, path: string, options: CallOptions = {}): Promise<Answered<Data>> => {
    const [plain = ''] = path.split('?');
    const found = operations.filter((one) => matches(one, method, plain));
    const operation = found.find((one) => one.path === plain) ?? found[0];
    const { service = plain.startsWith('/internal/') ? 'orders' : undefined } = options;
    const caller: Caller = {
      institution: options.institution ?? institution,
      client: service ? null : (options.client ?? 'partner'),
      service: service ?? null,
      scopes: ['catalog:read', 'catalog:write'],
      operation: operation?.id ?? 'none',
    };
    const token = signIdentity(signing, { audience: 'catalog', caller, issuedAt: Math.floor(Date.now() / 1000) });
    const response = await fetch(url + path, {
      method,
      headers: {
        [IDENTITY_HEADER]: token,
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    const text = await response.text();
    const body = text === '' ? { status: '', details: null, data: null } : JSON.parse(text);
    if (operation) witness(operation, response.status, body.data);
    return { status: response.status, headers: response.headers, body, data: body.data };
  };
  return {
    url,
    store,
    call,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** A fresh institution with its currency. */
export const newInstitution = async (store: Store, currency = 'CHF'): Promise<string> => {
  const id = `i${randomBytes(6).toString('hex')}`;
  await createInstitution(store, { id, name: 'Test house', currency, languages: ['fr', 'en'] });
  return id;
};

export interface Started extends Instance {
  readonly institution: string;
  readonly engine: OpenEngine;
}

/** The service with an institution of its own, on the embedded engine unless another is given. */
export const startCatalog = async (engine = engines[0]): Promise<Started> => {
  if (!engine) throw new Error('there is no engine');
  const open = await engine.start();
  const store = await open.open();
  const institution = await newInstitution(store);
  const instance = await startInstance(store, institution);
  return {
    ...instance,
    institution,
    engine: open,
    async close() {
      await instance.close();
      await open.close();
    },
  };
};
