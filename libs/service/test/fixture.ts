import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnyOperation, created, operation } from '@boxoffice/http';
import { IDENTITY_HEADER, JWKS_PATH, signIdentity } from '@boxoffice/identity';
import type { Queue } from '@boxoffice/messaging';
import { createLogger, type Listening, listen } from '@boxoffice/runtime';
import { collection, type Document, type Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { type Engines, openEngines, type ServiceDefinition } from '../src/index.ts';

/** Notes, a minimal service: one operation, one collection, one fact. */
export const notes = collection<Document & { readonly text: string }>('notes');

export const noteQueue = { name: 'orders.contact-erased.v1', types: ['contact.erased'] };

export const createNote = (store: Store, before: () => Promise<void> = async () => undefined): AnyOperation =>
  operation({
    id: 'createNote',
    method: 'post',
    path: '/notes',
    access: 'contacts:write',
    summary: 'Creates a note',
    body: Type.Object({ text: Type.String() }),
    answers: { 201: Type.Object({ id: Type.String(), text: Type.String() }) },
    example: { body: { text: 'x' }, answer: { id: 'n', text: 'x' } },
    handle: async ({ caller, body }) => {
      await before();
      const document = { id: randomUUID(), text: body.text };
      const events = [{ type: 'contact.erased', data: { text: body.text } }];
      await store.collection(notes).of(caller.institution).insert(document, { events });
      return created(document, `/notes/${document.id}`);
    },
  });

export const definition = (more: Partial<ServiceDefinition> = {}): ServiceDefinition => ({
  name: 'notes',
  version: '0.1.0',
  collections: [notes],
  operations: ({ store }) => [createNote(store)],
  ...more,
});

export const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });

/** A fake authorizer: its keys, and the identities that it signs with them. */
export interface Keys {
  readonly listening: Listening;
  /** Headers of a call that the authorizer allowed. */
  headers(operation: string, more?: Record<string, string>): Record<string, string>;
}

export const openKeys = async (): Promise<Keys> => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomUUID();
  const document = JSON.stringify({
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }],
  });
  const listening = await listen(
    (request, response) => response.writeHead(request.url === JWKS_PATH ? 200 : 404).end(document),
    { host: '127.0.0.1', port: 0 },
  );
  return {
    listening,
    headers(id, more = {}) {
      const caller = { institution: 'i', client: 'c', service: null, scopes: ['contacts:write'], operation: id };
      const issuedAt = Math.floor(Date.now() / 1000);
      const identity = signIdentity({ kid, privateKey }, { audience: 'notes', caller, issuedAt });
      return { [IDENTITY_HEADER]: identity, 'content-type': 'application/json', ...more };
    },
  };
};

/** Embedded engines on a new directory, or on an earlier one. */
export const openEmbedded = (
  directory = mkdtempSync(join(tmpdir(), 'boxoffice-service-')),
  serves?: readonly Queue[],
): Promise<Engines> => openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger, serves });

/** The options of `startService` that all tests share. */
export const common = (keys: Keys) => ({
  authorizerUrl: keys.listening.url,
  publicUrl: 'https://localhost:8443',
  serviceSecret: 'a secret of the tests',
  host: '127.0.0.1',
  port: 0,
  logger,
  settings: {},
});
