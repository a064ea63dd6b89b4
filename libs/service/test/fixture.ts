import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnyOperation, created, operation } from '@boxoffice/http';
import { IDENTITY_HEADER } from '@boxoffice/identity';
import type { Queue } from '@boxoffice/messaging';
import { createLogger, listen } from '@boxoffice/runtime';
import { collection, type Document, type Store } from '@boxoffice/store';
import { Type } from 'typebox';
import {
  type Engines,
  openEngines,
  type RunningService,
  type ServiceDefinition,
  type StartOptions,
  startService,
} from '../src/index.ts';
import { openAuthority } from '../src/testkit/index.ts';

/** Notes, a minimal service: one operation, one collection, one fact. */
export const notes = collection<Document & { readonly text: string }>('notes');

export const noteQueue = { name: 'orders.contact-erased.v1', types: ['contact.erased'] };

export function createNote(store: Store, before: () => Promise<void> = async () => undefined): AnyOperation {
  return operation({
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
}

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });

/** Embedded engines on a new directory, or on an earlier one. */
export function openEmbeddedEngines(
  directory = mkdtempSync(join(tmpdir(), 'boxoffice-service-')),
  serves?: readonly Queue[],
): Promise<Engines> {
  return openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger, serves });
}

/** Embedded engines and a fake authorizer for services of notes. */
export async function openNotes(serves?: readonly Queue[]) {
  const authority = await openAuthority('notes');
  const engines = await openEmbeddedEngines(undefined, serves);
  const openStore = () => engines.store('notes', [notes]);
  /** Headers of a call that the authorizer allowed. */
  const headers = (operation: string, more: Record<string, string> = {}): Record<string, string> => {
    const caller = { institution: 'i', client: 'c', service: null, scopes: ['contacts:write'], operation };
    return { [IDENTITY_HEADER]: authority.sign('notes', caller), 'content-type': 'application/json', ...more };
  };
  return {
    engines,
    openStore,
    headers,
    /** Creates a note at a service. */
    write: ({ url }: { readonly url: string }, text: string, more?: Record<string, string>): Promise<Response> =>
      fetch(`${url}/notes`, { method: 'POST', headers: headers('createNote', more), body: JSON.stringify({ text }) }),
    start: async (
      more: Partial<ServiceDefinition> = {},
      options: Partial<StartOptions<Record<never, never>>> = {},
    ): Promise<RunningService> =>
      startService(definition(more), {
        store: options.store ?? (await openStore()),
        bus: engines.bus,
        authorizerUrl: authority.listening.url,
        publicUrl: 'https://localhost:8443',
        serviceSecret: 'a secret of the tests',
        host: '127.0.0.1',
        port: 0,
        logger,
        settings: {},
        ...options,
      }),
    /** After the services have been closed. */
    async close(): Promise<void> {
      await engines.close();
      await authority.listening.close();
    },
  };
}

const definition = (more: Partial<ServiceDefinition> = {}): ServiceDefinition => ({
  name: 'notes',
  version: '0.1.0',
  collections: [notes],
  operations: ({ store }) => [createNote(store)],
  ...more,
});

/** A port on which nothing listens; below those that the system gives to others meanwhile. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(17_000, 32_000);
    const listening = await listen(() => undefined, { host: '127.0.0.1', port }).catch(() => undefined);
    await listening?.close();
    if (listening) return port;
  }
}
