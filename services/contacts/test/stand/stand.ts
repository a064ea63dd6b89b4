import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '@boxoffice/http';
import { createIdentityVerifier, type KeySet, signIdentity } from '@boxoffice/identity';
import { type TestEngine, testEngines } from '@boxoffice/service/stand';
import type { CollectionHandle, Store } from '@boxoffice/store';
import { createContacts } from '../../src/contacts.ts';
import { auditTo, createDisclosure } from '../../src/disclosure.ts';
import { routes } from '../../src/routes.ts';
import { type ContactDocument, contactsCollection } from '../../src/store.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const kid = randomUUID();
const keys: KeySet = { key: async (id) => (id === kid ? publicKey : undefined), refresh: async () => {} };
const silent = { info() {}, error() {} };

/** The engines that this run has. */
export const engines = testEngines('contacts', [contactsCollection]);

/** Contacts that a client which may only write is shown in a minute. */
export const DUPLICATES_PER_MINUTE = 60;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: {
    readonly status: string;
    readonly details: string | null;
    readonly data: Record<string, unknown> | null;
  };
}

export interface Call {
  readonly institution?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** What the client may do beside the operation's own scope. */
  readonly scopes?: readonly string[];
  readonly client?: string;
  /** Calls as another service does. */
  readonly service?: string | null;
}

export interface Stand {
  readonly store: Store;
  /** The audit's entries. */
  readonly audited: readonly unknown[];
  /** Calls one operation by its id, as the gateway would for a client that holds its scope. */
  call(operation: string, method: string, path: string, call?: Call): Promise<Reply>;
  create(details: object, call?: Call, query?: string): Promise<Reply>;
  close(): Promise<void>;
}

/** Serves the contacts over HTTP, with signed identities. `sabotage` wraps the collection, for negative controls. */
export const openStand = async (
  engine: TestEngine,
  sabotage: (collection: CollectionHandle<ContactDocument>) => CollectionHandle<ContactDocument> = (same) => same,
): Promise<Stand> => {
  const { store, discard } = await engine.open();
  const audited: unknown[] = [];
  const collection = sabotage(store.collection(contactsCollection));
  const audit = auditTo({ warn: (_message, fields) => audited.push(fields) });
  const operations = routes(
    createContacts(collection, { now: () => new Date(), randomBytes }),
    createDisclosure({ perMinute: DUPLICATES_PER_MINUTE, audit }),
  );
  const app = createApp({
    service: 'contacts',
    version: '0.0.0',
    operations,
    identify: createIdentityVerifier({ keys, audience: 'contacts' }),
    idempotency: store.idempotency,
    cursorKey: randomBytes(32),
    logger: silent,
    checkAnswers: true,
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const call: Stand['call'] = async (operation, method, path, options = {}) => {
    const { institution = 'opera', body, headers = {}, service = null, scopes = [], client = 'cl_test' } = options;
    const declared = operations.find(({ id }) => id === operation);
    const identity = signIdentity(
      { kid, privateKey },
      {
        audience: 'contacts',
        caller: {
          institution,
          client: service === null ? client : null,
          service,
          scopes: [String(declared?.access), ...(declared?.alsoNeeds ?? []), ...scopes],
          operation,
        },
        issuedAt: Math.floor(Date.now() / 1000),
      },
    );
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'x-internal-identity': identity,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) };
  };

  return {
    store,
    audited,
    call,
    create: (details, options, query = '') =>
      call('createIndividual', 'POST', `/svc/v3/contacts/individuals${query}`, { ...options, body: details }),
    async close() {
      server.close();
      server.closeAllConnections();
      await discard();
    },
  };
};
