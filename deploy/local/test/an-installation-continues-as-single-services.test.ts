import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { authorizer, createClient } from '@boxoffice/authorizer';
import { catalog, createInstitution } from '@boxoffice/catalog';
import { createLogger } from '@boxoffice/runtime';
import { openMongoStore } from '@boxoffice/store';
import { findFreePorts, openClient, requestAuthorization, waitUntil } from '@boxoffice/testkit';
import { afterAll, expect, test } from '@jest/globals';
import { type Process, startProcess, startProgram } from './program.ts';

const { TEST_MONGODB_URL, TEST_AMQP_URL } = process.env;
const both = TEST_MONGODB_URL && TEST_AMQP_URL ? test : test.skip;
if (both === test.skip) process.stdout.write('skipped: single services need TEST_MONGODB_URL and TEST_AMQP_URL\n');

const running: Process[] = [];
afterAll(() => {
  for (const process of running) process.kill('SIGKILL');
});

/** Creates an institution with a client, as the operator does. */
const createClub = async (url: string) => {
  const logger = createLogger({ service: 'test', level: 'error' });
  const institutions = await openMongoStore({ url, name: 'catalog', collections: catalog.collections, logger });
  await createInstitution(institutions, { id: 'club', name: 'Club', currency: 'EUR', languages: ['en'] });
  const clients = await openMongoStore({ url, name: 'authorizer', collections: authorizer.collections, logger });
  const scopes = ['catalog:read', 'contacts:read', 'contacts:write'];
  const client = await createClient(clients, { institution: 'club', name: 'club', scopes });
  await Promise.all([institutions.close(), clients.close()]);
  return client;
};

both(
  'what npm start stored on MongoDB and RabbitMQ is served by one process per service, over TLS between them',
  async () => {
    const mongodbUrl = `${TEST_MONGODB_URL}/local_${randomUUID().slice(0, 8)}`;
    const engines = { MONGODB_URL: mongodbUrl, AMQP_URL: String(TEST_AMQP_URL) };
    const [port, httpPort, ...ports] = await findFreePorts(6);
    const publicUrl = `https://localhost:${port}`;
    const gatewayPorts = { GATEWAY_PORT: `${port}`, GATEWAY_HTTP_PORT: `${httpPort}` };
    const whole = await startProgram({ BOXOFFICE_DEMO: 'off', ...engines, ...gatewayPorts });
    running.push(whole);
    await whole.printed('boxoffice is ready');
    const { directory } = whole;
    const caFile = join(directory, 'development-certificate.pem');
    const call = openClient({ baseUrl: publicUrl, ca: readFileSync(caFile, 'utf8') });
    const credentials = await createClub(mongodbUrl);
    const path = '/svc/v3/contacts/individuals';
    const create = async (lastName: string) => {
      const headers = { authorization: await requestAuthorization(call, credentials) };
      return call(path, { method: 'POST', headers, body: { lastName } });
    };
    expect((await create('Martin')).status).toBe(201);
    whole.kill('SIGTERM');
    expect(await whole.ended).toBe(0);

    const names = ['authorizer', 'catalog', 'contacts'] as const;
    const addresses = Object.fromEntries(
      names.map((name, index) => [`${name.toUpperCase()}_URL`, `https://localhost:${ports[index]}`]),
    );
    const settings = {
      BOXOFFICE_DATA_DIR: directory,
      PUBLIC_URL: publicUrl,
      TLS_CA_FILE: caFile,
      SERVICE_TLS_CERT_FILE: caFile,
      SERVICE_TLS_KEY_FILE: join(directory, 'development-key.pem'),
      ...engines,
      ...addresses,
    };
    const services = names.map((name, index) =>
      startProcess('service.ts', [name], { ...settings, PORT: `${ports[index]}` }),
    );
    const gateway = startProcess('service.ts', ['gateway'], { ...settings, ...gatewayPorts });
    running.push(...services, gateway);
    // With a secret of its own making a process serves, and never becomes ready.
    const forged = { SERVICE_SECRET: 'not what the authorizer derives', PORT: `${ports[names.length]}` };
    const stranger = startProcess('service.ts', ['contacts'], { ...settings, ...forged });
    running.push(stranger);
    await Promise.all(services.map((service) => service.printed('"message":"ready"')));
    await gateway.printed('"message":"listening"');
    const health = () => fetch(`http://127.0.0.1:${httpPort}/health/ready`);
    await waitUntil(async () => (await health()).status === 200, {
      what: 'the gateway',
      withinMs: 240_000,
      everyMs: 100,
    });

    expect((await create('Haskil')).status).toBe(201);
    const headers = { authorization: await requestAuthorization(call, credentials) };
    const shown = await call('/svc/v3/catalog', { headers });
    expect(shown.body.data.institution.id).toBe('club');
    const { body } = await call(path, { headers });
    const lastNames = body.data.items.map(({ lastName }: { readonly lastName: string }) => lastName);
    expect(lastNames.sort()).toEqual(['Haskil', 'Martin']);

    // A client without the authority gets no response, and neither does plain HTTP.
    await expect(fetch(`${addresses.CONTACTS_URL}/openapi.json`)).rejects.toThrow('fetch failed');
    await expect(fetch(`${addresses.CONTACTS_URL?.replace('https', 'http')}/openapi.json`)).rejects.toThrow();

    await Promise.all([stranger.printed('"message":"serving"'), stranger.printed('it does not become ready')]);
    expect(stranger.output()).not.toContain('"message":"ready"');

    for (const process of [stranger, gateway, ...services]) process.kill('SIGTERM');
    const ended = await Promise.all([stranger, gateway, ...services].map((process) => process.ended));
    expect(ended).toEqual([0, 0, 0, 0, 0]);
  },
);

test.each([
  [['nope'], 'there is no service "nope"; there are: gateway, authorizer, '],
  [[], 'no service given: npm run service -- NAME; there are: gateway, authorizer, '],
])('npm run service -- %s', async (args, line) => {
  const child = startProcess('service.ts', args, {});
  expect(await child.ended).toBe(1);
  // Those of teams are among them.
  expect(child.output()).toMatch(new RegExp(`^${line}[a-z0-9, -]*contacts[a-z0-9, -]*\n$`));
});
