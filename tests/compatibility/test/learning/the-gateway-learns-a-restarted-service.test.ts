import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizer, createClient } from '@boxoffice/authorizer';
import { contacts } from '@boxoffice/contacts';
import { type Gateway, startGateway } from '@boxoffice/gateway';
import { type AnyOperation, ok, operation } from '@boxoffice/http';
import { deriveServiceSecret, developmentCertificate, readSettings } from '@boxoffice/runtime';
import { type Engines, openEngines, type RunningService, startService } from '@boxoffice/service';
import { type Client, openClient, waitUntil, withToken } from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { type AnyService, quiet } from '../../src/scenario/open-scenario.ts';

const BIRTHDAYS = '/svc/v3/contacts/birthdays';
const INDIVIDUALS = '/svc/v3/contacts/individuals';
const SECRET = 'only for an installation that is thrown away';
const PUBLIC_URL = 'https://localhost:8443';

/** The operations of the next release of contacts. */
const birthdays = operation({
  id: 'listBirthdays',
  method: 'get',
  path: BIRTHDAYS,
  access: 'contacts:read',
  summary: 'Lists who has their birthday today',
  answers: { 200: Type.Object({ items: Type.Array(Type.String()) }) },
  example: { answer: { items: [] } },
  handle: () => ok({ items: ['C7K2M9QX4TB03'] }),
});

// In production a gateway polls its services; here only a restarted service announces itself.
describe('a gateway that keeps running', () => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-learning-'));
  const present = contacts as unknown as AnyService;
  let engines: Engines;
  let keys: RunningService;
  let service: RunningService;
  let gateway: Gateway;
  let client: Client;

  const start = async (definition: AnyService, port: number, authorizerUrl?: string): Promise<RunningService> =>
    startService(definition, {
      store: await engines.store(definition.name, definition.collections),
      bus: engines.bus,
      authorizerUrl,
      publicUrl: PUBLIC_URL,
      serviceSecret: deriveServiceSecret(SECRET, definition.name),
      host: '127.0.0.1',
      port,
      logger: quiet,
      settings: readSettings(definition.settings ?? {}, {
        KEY_ENCRYPTION_KEY: Buffer.alloc(32, 'thrown away').toString('base64'),
        SERVICE_ROOT_SECRET: SECRET,
      }),
    });

  /** Replaces contacts by a service with other operations at the same address. */
  const replace = async (change: (operations: readonly AnyOperation[]) => readonly AnyOperation[]): Promise<void> => {
    const { port } = service;
    await service.close();
    const next = { ...present, operations: (parts: never, state: never) => change(present.operations(parts, state)) };
    service = await start(next as AnyService, port, keys.url);
  };

  const call = (path: string, method?: string) => client(path, { method });
  const statusOf = async (path: string, method?: string): Promise<number> => (await call(path, method)).status;

  beforeAll(async () => {
    engines = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger: quiet, serves: [] });
    keys = await start(authorizer as unknown as AnyService, 0);
    service = await start(present, 0, keys.url);
    const tls = await developmentCertificate(directory);
    gateway = await startGateway({
      host: '127.0.0.1',
      port: 0,
      httpPort: 0,
      tls,
      publicUrl: PUBLIC_URL,
      services: { authorizer: keys.url, contacts: service.url },
      serviceSecret: deriveServiceSecret(SECRET, 'gateway'),
      limits: { client: 100_000, address: 100_000, session: 100_000 },
      logger: quiet,
      accessLog: { record: () => undefined, flush: () => undefined },
    });
    await gateway.ready();
    const store = await engines.store(authorizer.name, authorizer.collections);
    const scopes = ['contacts:read', 'contacts:write', 'contacts.sensitive:write'];
    const address = { baseUrl: `https://127.0.0.1:${gateway.httpsPort}`, ca: tls.cert };
    client = withToken(
      openClient(address),
      await createClient(store, { institution: 'opera', name: 'learner', scopes }),
    );
  });
  afterAll(async () => {
    await gateway.close();
    for (const one of [service, keys]) await one.close();
    await engines.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });

  test('serves an operation that a restarted service added', async () => {
    expect(await statusOf(BIRTHDAYS)).toBe(404);
    await replace((operations) => [...operations, birthdays]);
    await waitUntil(async () => (await statusOf(BIRTHDAYS)) === 200);
    expect((await call(BIRTHDAYS)).body.data).toEqual({ items: ['C7K2M9QX4TB03'] });
    const { paths } = (await call('/openapi.json')).body;
    expect(paths[BIRTHDAYS].get).toMatchObject({ operationId: 'listBirthdays', 'x-service': 'contacts' });
    expect(await statusOf(INDIVIDUALS)).toBe(200);
  });

  test('answers 404 for a path and 405 for a method that the restarted service removed', async () => {
    expect(await statusOf(`${INDIVIDUALS}/C7K2M9QX4TB03`, 'DELETE')).toBe(404);
    // Members that only an erasure changes are no longer named by the others, either.
    await replace((operations) =>
      operations.filter(({ method }) => method !== 'delete').map(({ readOnly: _, ...others }) => others),
    );
    await waitUntil(async () => (await call('/openapi.json')).body.paths[BIRTHDAYS] === undefined);
    expect(await statusOf(BIRTHDAYS)).toBe(404);
    expect(await statusOf(`${INDIVIDUALS}/C7K2M9QX4TB03`, 'DELETE')).toBe(405);
    expect(await statusOf(INDIVIDUALS)).toBe(200);
  });
});
