import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizer } from '@boxoffice/authorizer';
import { contacts } from '@boxoffice/contacts';
import { startGateway } from '@boxoffice/gateway';
import { verifySecret } from '@boxoffice/identity';
import { createLogger, deriveServiceSecret, ensureDevelopmentCertificate, readSettings } from '@boxoffice/runtime';
import { openEngines, startService } from '@boxoffice/service';
import { waitUntil } from '@boxoffice/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const PUBLIC_URL = 'https://localhost:8443';
const ROOT = 'the secret that the authorizer has';
const deriveSecret = (process: string) => deriveServiceSecret(ROOT, process);

const quiet = createLogger({ service: 'test', level: 'error', write: () => undefined });

/** A log that records its first error. */
const createListener = () => {
  const lines: { level: string; message: string }[] = [];
  const first = Promise.withResolvers<string>();
  const logger = createLogger({
    service: 'test',
    pretty: false,
    write: (text) => {
      const line = JSON.parse(text) as (typeof lines)[number];
      lines.push(line);
      if (line.level === 'error') first.resolve(line.message);
    },
  });
  return { logger, first: first.promise, errors: () => lines.filter(({ level }) => level === 'error') };
};

const directory = mkdtempSync(join(tmpdir(), 'boxoffice-secret-'));
const common = { publicUrl: PUBLIC_URL, host: '127.0.0.1', port: 0 };

const open = async () => {
  const engines = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger: quiet });
  const keys = await startService(authorizer, {
    ...common,
    store: await engines.store(authorizer.name, authorizer.collections),
    bus: engines.bus,
    serviceSecret: deriveSecret('authorizer'),
    logger: quiet,
    settings: readSettings(authorizer.settings ?? {}, {
      SERVICE_ROOT_SECRET: ROOT,
      CATALOG_URL: 'http://127.0.0.1:1',
      CONTACTS_URL: 'http://127.0.0.1:1',
      KEY_ENCRYPTION_KEY: Buffer.alloc(32, 'thrown away').toString('base64'),
    }),
  });
  const store = await engines.store(contacts.name, contacts.collections);
  return { engines, keys, store };
};

let its: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  its = await open();
});
afterAll(async () => {
  await its.keys.close();
  await its.engines.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

const startContacts = (serviceSecret: string, logger: typeof quiet) =>
  startService(contacts, {
    ...common,
    store: its.store,
    bus: its.engines.bus,
    authorizerUrl: its.keys.url,
    serviceSecret,
    logger,
    settings: readSettings(contacts.settings ?? {}, {}),
    provesSecret: true,
  });

/** The answer of its readiness. */
const readReadiness = async (url: string): Promise<[number, unknown]> => {
  const response = await fetch(`${url}/health/ready`);
  return [response.status, await response.json()];
};
const unready = [503, { status: 'starting', waitingFor: ['authorizer'] }];

const startOwnGateway = async (serviceSecret: string, logger: typeof quiet) => {
  const { httpUrl, ready, close } = await startGateway({
    host: '127.0.0.1',
    port: 0,
    httpPort: 0,
    tls: await ensureDevelopmentCertificate(directory),
    publicUrl: PUBLIC_URL,
    services: { authorizer: its.keys.url },
    serviceSecret,
    limits: { client: 100, address: 100, session: 100 },
    logger,
  });
  await ready();
  return { url: httpUrl, close };
};

test.each([
  ['a service', startContacts, 'another secret', 'SERVICE_SECRET'],
  ['a gateway', startOwnGateway, 'another secret', 'SERVICE_SECRET'],
  ['a service', startContacts, deriveSecret('orders'), 'SERVICE_SECRET is that of orders, not of contacts'],
] as const)('%s whose secret the authorizer rejects logs one line and does not become ready', async (...row) => {
  const [, start, secret, message] = row;
  const { logger, first, errors } = createListener();
  const { url, close } = await start(secret, logger);
  expect(await first).toContain(message);
  expect(await readReadiness(url)).toEqual(unready);
  await close();
  expect(errors()).toHaveLength(1);
});

test('a service and a gateway with their own secrets become ready', async () => {
  const started = [
    await startContacts(deriveSecret('contacts'), quiet),
    await startOwnGateway(deriveSecret('gateway'), quiet),
  ];
  for (const { url } of started)
    await waitUntil(async () => (await readReadiness(url))[0] === 200, { what: `${url} to be ready` });
  for (const { close } of started) await close();
});

test.each([
  ['contacts', deriveSecret('contacts'), 'right'],
  ['gateway', deriveSecret('gateway'), 'right'],
  ['contacts', 'another secret', 'wrong'],
  ['contacts', deriveSecret('gateway'), 'wrong'],
  ['contacts', ROOT, 'wrong'],
  ['nobody', deriveSecret('nobody'), 'wrong'],
])('the authorizer judges the secret of %s, %s: %s', async (service, secret, answer) => {
  expect(await verifySecret({ authorizerUrl: its.keys.url, service, secret })).toMatchObject({ secret: answer });
});

test('an unreachable authorizer gives no verdict', async () => {
  const nowhere = { authorizerUrl: 'http://127.0.0.1:1', service: 'contacts', secret: deriveSecret('contacts') };
  expect(await verifySecret(nowhere)).toEqual({ secret: 'unknown' });
});
