import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatServiceAuthorization, IDENTITY_HEADER } from '@boxoffice/identity';
import {
  type Client,
  findFreePort,
  type Json,
  openClient,
  type Reply,
  requestAuthorization,
  waitUntil,
} from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { run } from '../../src/checks.ts';
import { findAuthlibPython } from '../../src/engines.ts';
import { must, usePartner, useProduct } from '../product.ts';

const DOCS = new URL('../../../../docs/', import.meta.url);
const OPERATOR = new URL('../../../../deploy/operator/src/main.ts', import.meta.url).pathname;

const read = (path: string): string => readFileSync(new URL(path, DOCS), 'utf8');
const rows = read('own-service/services.json');
const description = read('own-service/openapi.json');
const service = read('own-service/loyalty.py');
/** A further operation: its path, and its function. */
const furtherPath = {
  '/svc/v3/loyalty/terms': {
    get: {
      operationId: 'getLoyaltyTerms',
      summary: 'Returns how points are earned',
      tags: ['loyalty'],
      security: [{ oauth2: ['loyalty:read'] }],
      responses: { 200: { description: 'The points of a ticket' } },
    },
  },
};
const furtherFunction = 'def getLoyaltyTerms(_claims, _body, _key):\n    return {"pointsPerTicket": 10}\n';

const python = findAuthlibPython();
const { TEST_AMQP_URL } = process.env;

/** A running installation takes a change within five seconds, and as many more as its machine stands still. */
const TAKEN_MS = 120_000;

/**
 * Repeats what is answered 503: the service waits three seconds for others, and a machine may stand still for longer.
 */
const patient =
  (client: Client): Client =>
  (...call) =>
    waitUntil(
      async () => {
        const reply = await client(...call);
        return reply.status !== 503 && reply;
      },
      { what: `an answer of ${call[0]}`, everyMs: 200 },
    );

const POINTS = '/svc/v3/loyalty/points';
const TERMS = '/svc/v3/loyalty/terms';
const LOST = '/svc/v3/loyalty/lost';

(python ? describe : describe.skip)('the service of docs/own-service.md', () => {
  const product = useProduct(TEST_AMQP_URL ? { AMQP_URL: TEST_AMQP_URL } : {});
  const full = usePartner(product);
  /** With a token of its own scope: one request each, or repeated. */
  let direct: Client;
  let own: Client;
  let contactNumber: string;
  let secret: string;
  let urls: Readonly<Record<string, string>>;
  let running: ChildProcess | undefined;
  const [row] = JSON.parse(rows) as { url: string }[];

  const operator = async (...words: readonly string[]): Promise<string> => {
    const env = { BOXOFFICE_DATA_DIR: product.directory, ...(TEST_AMQP_URL && { AMQP_URL: TEST_AMQP_URL }) };
    const { status, printed } = await run('node', ['--conditions=source', OPERATOR, ...words], { env, collect: true });
    if (status !== 0) throw new Error(`operator ${words.join(' ')}: ${printed}`);
    return printed.trim();
  };

  const save = (list: readonly object[]): void => {
    const file = join(product.directory, 'services.json');
    writeFileSync(`${file}.new`, JSON.stringify(list));
    renameSync(`${file}.new`, file);
  };

  const start = (code: string, document: string): void => {
    writeFileSync(join(product.directory, 'loyalty.py'), code);
    writeFileSync(join(product.directory, 'openapi.json'), document);
    running = spawn(String(python), ['loyalty.py'], {
      cwd: product.directory,
      env: {
        ...process.env,
        SERVICE_SECRET: secret,
        AUTHORIZER_URL: urls.authorizer,
        CONTACTS_URL: urls.contacts,
        HOST: '127.0.0.1',
        PORT: new URL(String(row?.url)).port,
        ...(TEST_AMQP_URL && { AMQP_URL: TEST_AMQP_URL }),
      },
      stdio: 'ignore',
    });
  };

  const stop = async (): Promise<void> => {
    if (running?.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill();
    await ended;
  };

  const becomes = (status: number, path: string): Promise<unknown> =>
    waitUntil(async () => (await direct(path)).status === status, {
      what: `${path} to answer ${status}`,
      withinMs: TAKEN_MS,
    });

  const pointsOf = async (contact: string): Promise<number> => (await must(own, `${POINTS}/${contact}`)).points;

  const add = (points: unknown, key: string): Promise<Reply> =>
    own(`${POINTS}/${contactNumber}`, { method: 'POST', body: { points }, headers: { 'idempotency-key': key } });

  /** Asks the authorizer for an identity, as the service does. */
  const identify = (operation: string): Promise<Reply> =>
    openClient({ baseUrl: String(urls.authorizer) })('/internal/identities', {
      method: 'POST',
      headers: { authorization: formatServiceAuthorization('loyalty', secret) },
      body: { audience: 'contacts', institution: 'opera', operation },
    });

  beforeAll(async () => {
    urls = JSON.parse(readFileSync(join(product.directory, 'running.json'), 'utf8')).urls;
    ({ contactNumber } = await must(full, '/svc/v3/contacts/individuals', 'POST', { lastName: 'Martin' }));
    // Another program may have the port of the example.
    if (row) row.url = `http://127.0.0.1:${await findFreePort()}`;
    // From here on the installation runs, and nothing of it is restarted.
    save([row as object]);
    if (TEST_AMQP_URL) await operator('topology', 'declare');
    secret = await operator('service-secrets', 'loyalty');
    const named = ['--name', 'cards', '--scopes', 'catalog:read', '--json'];
    const client: Json = JSON.parse(await operator('clients', 'create', 'opera', ...named));
    await operator('clients', 'update', 'opera', client.clientId, '--add-scopes', 'loyalty:read,loyalty:write');
    start(service, description);
    const anybody = openClient(product.address);
    direct = openClient(product.address, { headers: { authorization: await requestAuthorization(anybody, client) } });
    own = patient(direct);
    await becomes(200, `${POINTS}/${contactNumber}`);
  });
  afterAll(stop);

  test('is under 100 lines of Python', () => {
    expect(service.split('\n').length - 1).toBeLessThan(100);
  });

  test('answers to a token of its own scope, and to no other', async () => {
    expect((await own(`${POINTS}/${contactNumber}`)).body).toEqual({
      status: 'success',
      details: null,
      data: { points: 0 },
    });
    expect((await own(`${POINTS}/${contactNumber}`, { method: 'HEAD' })).status).toBe(200);
    expect((await full(`${POINTS}/${contactNumber}`)).status).toBe(403);
    expect((await openClient(product.address)(`${POINTS}/${contactNumber}`)).status).toBe(401);
    expect((await own('/svc/v3/orders')).status).toBe(403);
  });

  test('is described with the others', async () => {
    const { paths, components } = (await own('/openapi.json')).body;
    expect(paths[`${POINTS}/{contactNumber}`].post.operationId).toBe('addLoyaltyPoints');
    expect(components.schemas.LoyaltyPoints).toBeDefined();
  });

  test('gives requests with one Idempotency-Key one effect', async () => {
    const before = await pointsOf(contactNumber);
    const [first, second] = await Promise.all([add(7, 'seven'), add(7, 'seven')]);
    expect([first?.status, second?.status, second?.body]).toEqual([200, 200, first?.body]);
    expect(await pointsOf(contactNumber)).toBe(before + 7);
    expect((await add(8, 'seven')).body).toMatchObject({ status: 'idempotency_key_reused', data: null });
    expect((await add('many', 'eight')).body).toMatchObject({ status: 'validation_error', data: null });
  });

  test('refuses points beyond the bounds of its description', async () => {
    const before = await pointsOf(contactNumber);
    for (const points of ['0', '1000001', '9223372036854775807', '99999999999999999999999']) {
      const headers = { 'content-type': 'application/json' };
      const reply = await own(`${POINTS}/${contactNumber}`, { method: 'POST', body: `{"points":${points}}`, headers });
      expect([reply.status, reply.body]).toMatchObject([400, { status: 'validation_error', data: null }]);
    }
    expect(await pointsOf(contactNumber)).toBe(before);
  });

  test('reaches the one operation that its row names, and no second', async () => {
    // That there is no such contact is the answer of contacts.
    expect((await own(`${POINTS}/nobody`)).body).toMatchObject({ status: 'not_found', data: null });
    expect((await identify('getContactInternally')).status).toBe(200);
    expect((await identify('getShopContact')).status).toBe(403);
  });

  test('takes identities for itself alone', async () => {
    const unguarded = openClient({ baseUrl: String(row?.url) });
    const { identity } = (await identify('getContactInternally')).body.data;
    for (const token of ['', 'eyJ.e.x', identity as string])
      expect((await unguarded(`${POINTS}/${contactNumber}`, { headers: { [IDENTITY_HEADER]: token } })).status).toBe(
        401,
      );
  });

  const withBroker = TEST_AMQP_URL ? test : test.skip;
  if (withBroker === test.skip) process.stdout.write('skipped: facts for a service of a team need TEST_AMQP_URL\n');

  withBroker('receives the facts that its row consumes from RabbitMQ', async () => {
    const buyer = (await must(full, '/svc/v3/contacts/individuals', 'POST', { lastName: 'Roux' })).contactNumber;
    const performanceId = String(product.demo.fixtures.opera?.numbered?.performanceId);
    const [{ seatCategoryId, tariffId }] = (await must(full, `/svc/v3/catalog/performances/${performanceId}`)).prices;
    const items = [{ performanceId, seatCategoryId, tariffId, quantity: 2 }];
    const { id } = await must(full, '/svc/v3/orders', 'POST', { contactNumber: buyer, items });
    await must(full, `/svc/v3/orders/${id}/confirmation`, 'POST', { onAccount: true });
    await waitUntil(async () => (await pointsOf(buyer)) === 20, { what: 'the points of two tickets' });
  });

  test.each([-5, 5])('takes identities while its clock is %i seconds off', async (seconds) => {
    await stop();
    start(`import time; now = time.time; time.time = lambda: now() + ${seconds}\n${service}`, description);
    // While it starts, callers get a 503.
    expect((await own(`${POINTS}/${contactNumber}`)).status).toBe(200);
  });

  test('goes away, comes back with other operations, says what fails, and is removed', async () => {
    expect((await own(TERMS)).status).toBe(404);
    await stop();
    await becomes(503, `${POINTS}/${contactNumber}`);
    const document = JSON.parse(description);
    Object.assign(document.paths, furtherPath);
    // It is described, and has no function: the service fails.
    document.paths[LOST] = { get: { ...document.paths[TERMS].get, operationId: 'getLoyaltyLost' } };
    start(service.replace('\ndef envelope', `\n${furtherFunction}\ndef envelope`), JSON.stringify(document));
    await becomes(200, TERMS);
    expect((await must(own, TERMS)).pointsPerTicket).toBe(10);
    const failed = await own(LOST);
    expect([failed.status, failed.body]).toMatchObject([500, { status: 'internal_error', data: null }]);
    save([]);
    await becomes(404, TERMS);
    expect((await own(`${POINTS}/${contactNumber}`)).status).toBe(404);
  });
});
