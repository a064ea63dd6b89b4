import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatServiceAuthorization, IDENTITY_HEADER } from '@boxoffice/identity';
import { createLogger, deriveServiceSecret, type Metrics } from '@boxoffice/runtime';
import type { ServicesFile } from '@boxoffice/runtime/services';
import { openEngines, type RunningService, startService } from '@boxoffice/service';
import { listTestEngines, type TestEngine, useFixture } from '@boxoffice/service/testkit';
import type { Store } from '@boxoffice/store';
import { type Authorizer, createAuthorizer } from '../src/authorizer.ts';
import { createRoutes } from '../src/commands.ts';
import type { Scope } from '../src/domain/scopes.ts';
import { authorizer, createClient } from '../src/index.ts';
import { type Known, openReferences } from './references.ts';

export const serviceRootSecret = 'a-root-secret-of-the-tests';
export function deriveTestSecret(process: string) {
  return deriveServiceSecret(serviceRootSecret, process);
}
export const keyEncryptionKey = 'a-key-encryption-key-of-the-tests';

/** The engines that this run has. */
export const engines = listTestEngines('authorizer', authorizer.collections);

/** The redirect URI of clients. */
export const CALLBACK = 'https://shop.example.org/callback';

/** An address without a listener. */
export const NOWHERE = 'http://127.0.0.1:1';

export type Json = Record<string, unknown>;

/** A response with its text and parsed body. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

export interface TestClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Asks every few milliseconds until it holds; throws after `withinMs`. */
export async function waitUntil(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`it did not hold within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** HTTP Basic as clients send it. */
export function formatBasicHeader(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

export interface InstallationOptions {
  readonly accessTokenLifetime?: number;
  readonly loginFailuresPerAddress?: number;
  /** Default: SQLite. */
  readonly engine?: TestEngine;
  /** Number of instances, each with its own view of the same store. */
  readonly instances?: number;
  /**
   * Whether `url` is the public address, which passes each request to the next instance; default: the first instance.
   */
  readonly isBalanced?: boolean;
  readonly metrics?: Metrics;
  /** The contacts and points of sale that there are at first; default: nobody answers for them. */
  readonly known?: Known;
  readonly servicesFile?: ServicesFile;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** A running authorizer, and functions that call it. */
export async function startInstallation(options: InstallationOptions = {}) {
  const { engine = engines[0], now, isBalanced = false } = options;
  if (!engine) throw new Error('there is no engine');
  const directory = mkdtempSync(join(tmpdir(), 'authorizer-'));
  const lines: Json[] = [];
  const logger = createLogger({
    service: 'authorizer',
    pretty: false,
    write: (line) => lines.push(JSON.parse(line) as Json),
  });
  const embedded = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger });
  const stores = await engine.start();
  const store = await stores.open();
  let closed: Promise<void> | undefined;
  const closeStores = (): Promise<void> => {
    closed ??= stores.close();
    return closed;
  };
  const front = await publicAddress();
  const references = options.known && (await openReferences(front.url, options.known));
  const services: RunningService[] = [];
  const prepared: Authorizer[] = [];
  const prepare: typeof authorizer.prepare = async ({ store: own, publicUrl, settings, logger, metrics }) => {
    const { catalogUrl: catalog, contactsUrl: contacts, servicesFile: _, ...others } = settings;
    const serviceUrls = () => ({ catalog, contacts });
    const made = createAuthorizer({ store: own, issuer: publicUrl, logger, metrics, serviceUrls, ...others, now });
    await made.keys.load();
    prepared.push(made);
    return made;
  };

  const startInstances = async (): Promise<void> => {
    for (let i = 0; i < (options.instances ?? 1); i += 1) {
      services.push(
        await startService(now ? { ...authorizer, prepare } : authorizer, {
          store: await stores.open(),
          bus: embedded.bus,
          publicUrl: front.url,
          serviceSecret: deriveTestSecret('authorizer'),
          host: '127.0.0.1',
          port: 0,
          logger,
          metrics: options.metrics,
          settings: {
            accessTokenLifetime: options.accessTokenLifetime ?? 900,
            serviceRootSecret,
            keyEncryptionKey,
            loginFailuresPerAddress: options.loginFailuresPerAddress ?? 300,
            catalogUrl: references?.catalog.url ?? NOWHERE,
            contactsUrl: references?.contacts.url ?? NOWHERE,
            servicesFile: options.servicesFile,
          },
        }),
      );
    }
    front.lead(services.map(({ url }) => url));
  };

  const stopInstances = async (): Promise<void> => {
    for (const service of services.splice(0)) await service.close();
    prepared.splice(0);
  };

  await startInstances();
  const url = isBalanced ? front.url : (services[0]?.url ?? '');
  return {
    lines,
    engines: embedded,
    store,
    issuer: front.url,
    references,
    url,
    services,
    ...createRequests(url, store),
    /** Stops every instance and starts as many new ones on the same data; for calls of the public address. */
    async restart(): Promise<void> {
      await stopInstances();
      await startInstances();
    },
    /** Lets the instances read their keys, as they do every second of their clock. */
    async loadKeys(): Promise<void> {
      await Promise.all(prepared.map(({ keys }) => keys.load()));
    },
    /** Closes the stores of the running instances, so that each call of them fails. */
    closeStores,
    async close(): Promise<void> {
      await stopInstances();
      front.close();
      await references?.close();
      await closeStores();
      await embedded.close();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Forwards to services that start later, in turn, so that the public URL is known before. */
const publicAddress = async () => {
  let targets: readonly string[] = [];
  let turn = 0;
  const server = createServer({ keepAliveTimeout: 600_000 }, (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    turn += 1;
    const onward = forward(`${targets[turn % targets.length]}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead: (to: readonly string[]) => {
      targets = to;
    },
    close: () => server.close(),
  };
};

export type Installation = Awaited<ReturnType<typeof startInstallation>>;

/** The installation of the tests of a suite: it starts before them and ends after them. */
export function startInstallationForSuite(options?: InstallationOptions): Installation {
  return useFixture(() => startInstallation(options));
}

const operations = new Map(
  createRoutes({} as Store, { oauth: {}, internal: {} } as Authorizer).map((one) => [one.id, one]),
);

/** Functions that call one instance. */
export function createRequests(url: string, store: Store) {
  const post = (
    path: string,
    fields: Readonly<Record<string, string>> | string,
    headers: Record<string, string> = {},
  ) =>
    received(
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: form(fields),
      }),
    );
  const get = (path: string, headers: Record<string, string> = {}) => received(fetch(`${url}${path}`, { headers }));

  const newClient = async (scopes: readonly Scope[], institution = 'opera'): Promise<TestClient> =>
    createClient(store, { institution, name: 'test', scopes, redirectUris: [CALLBACK] });

  const askToken = ({ clientId, clientSecret }: TestClient, more: Readonly<Record<string, string>> = {}) =>
    post('/auth/token', {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      ...more,
    });

  const tokenOf = async (client: TestClient): Promise<string> => String((await askToken(client)).body.access_token);

  const internal = (path: string, body: object | undefined, service = 'gateway', secret = deriveTestSecret(service)) =>
    received(
      fetch(`${url}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: formatServiceAuthorization(service, secret), 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );

  /** Introspects a token as the client. */
  const introspect = (token: string, { clientId, clientSecret }: TestClient) =>
    post('/auth/introspect', { token, client_id: clientId, client_secret: clientSecret });

  const decide = (token: string, scope: string, operation = 'getClient', audience = 'authorizer') =>
    internal('/internal/decisions', { token, scope, operation, audience });

  /** Calls an operation like the gateway, with those of `params` that its path names. */
  const send = async (
    token: string,
    operation: string,
    params: object = {},
    { query = '', body, headers = {} }: { query?: string; body?: object; headers?: Record<string, string> } = {},
  ): Promise<Received> => {
    const known = operations.get(operation);
    if (!known) throw new Error(`there is no operation ${operation}`);
    const { access, method, path } = known;
    const decision = await decide(token, access === 'token' ? '' : access, operation);
    if (decision.status !== 200) return decision;
    const at = Object.entries(params).reduce((all, [name, value]) => all.replace(`{${name}}`, String(value)), path);
    return received(
      fetch(`${url}${at}${query}`, {
        method: method.toUpperCase(),
        headers: {
          [IDENTITY_HEADER]: String((decision.body.data as Json).identity),
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
  };

  return { post, get, newClient, askToken, tokenOf, introspect, internal, decide, send };
}

const received = async (answer: Promise<Response>): Promise<Received> => {
  const response = await answer;
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text ? (JSON.parse(text) as Json) : {} };
};

const form = (fields: Readonly<Record<string, string>> | string): string =>
  typeof fields === 'string' ? fields : new URLSearchParams(fields).toString();
