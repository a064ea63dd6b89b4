import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectDeclarations, connectRabbitmq, listRights } from '@boxoffice/messaging';
import { orders as ordersService } from '@boxoffice/orders';
import { createLogger, deriveServiceSecret } from '@boxoffice/runtime';
import { parseRows } from '@boxoffice/runtime/services';
import { beforeAll, expect, test } from '@jest/globals';
import { createOperator, createTemporaryDirectory } from './program.ts';

const { TEST_AMQP_URL } = process.env;
const ROOT = 'a root secret of the operator tests';
const PROCESSES = ['gateway', 'catalog', 'contacts', 'orders', 'tickets', 'events', 'payments', 'pos'];
const directory = createTemporaryDirectory();
// The commands need no installation.
const nowhere = join(directory, 'nowhere');
// Of this run: the broker is shared.
const name = `team-${randomBytes(4).toString('hex')}`;
const file = join(directory, 'services.json');
beforeAll(() => {
  writeFileSync(file, JSON.stringify([{ name, publishes: [`${name}.issued`], consumes: ['order.confirmed'] }]));
});

const withBroker = TEST_AMQP_URL ? test : test.skip;
if (withBroker === test.skip) process.stdout.write('skipped: declaring the topology needs TEST_AMQP_URL\n');

withBroker('topology declare declares every queue, as often as it is asked', async () => {
  const operator = createOperator(nowhere, { AMQP_URL: String(TEST_AMQP_URL) });
  for (let times = 0; times < 2; times += 1) {
    const { status, out, err } = await operator('topology', 'declare');
    expect([status, out, err]).toEqual([0, expect.stringContaining('orders.fulfilment.v1'), '']);
  }
});

withBroker('topology declare makes the queue of a team’s service, which then receives facts', async () => {
  const url = String(TEST_AMQP_URL);
  const settings = { AMQP_URL: url, SERVICES_FILE: file };
  const { status, out } = await createOperator(nowhere, settings)('topology', 'declare');
  expect([status, out]).toEqual([0, expect.stringContaining(`${name}.facts.v1`)]);
  const options = { url, logger: createLogger({ service: 'test', level: 'error' }) };
  const orders = await connectRabbitmq(options);
  const team = await connectRabbitmq({
    ...options,
    declared: collectDeclarations(parseRows(readFileSync(file, 'utf8'))),
  });
  // Installations of other tests may publish and consume as well: only the own fact counts, and they can read it.
  const own = randomUUID();
  const isReceived = Promise.withResolvers<void>();
  await team.subscribe({ name: `${name}.facts.v1`, types: ['order.confirmed'] }, async ({ id }) => {
    if (id === own) isReceived.resolve();
  });
  const data = ordersService.facts?.examples['order.confirmed'] ?? {};
  const fact = { key: 'ord_1', version: 1, institution: name, occurredAt: new Date().toISOString(), data };
  await orders.publish({ ...fact, id: own, type: 'order.confirmed' });
  await isReceived.promise;
  // Its own fact arrives at the exchange, although nobody takes it.
  await team.publish({ ...fact, id: randomUUID(), type: `${name}.issued` });
  await Promise.all([orders.close(), team.close()]);
});

test('topology declare names the setting when the broker is not set', async () => {
  const none = await createOperator(nowhere)('topology', 'declare');
  expect([none.status, none.err]).toEqual([1, expect.stringContaining('AMQP_URL is not set')]);
});

withBroker('topology declare names the setting when the broker cannot be used, without its password', async () => {
  const url = new URL(String(TEST_AMQP_URL));
  url.password = 'secret';
  const refused = await createOperator(nowhere, { AMQP_URL: url.href })('topology', 'declare');
  expect([refused.status, refused.err]).toEqual([
    1,
    expect.stringContaining(`operator: AMQP_URL: RabbitMQ at ${url.host} refuses the login`),
  ]);
  expect(refused.err).not.toContain('secret');
});

test('topology rights prints what each user needs', async () => {
  const { out } = await createOperator(nowhere)('topology', 'rights', '--json');
  expect(JSON.parse(out)).toEqual(listRights());
});

test('topology rights and service-secrets have a team’s service as well, and a wrong file stops them', async () => {
  const operator = createOperator(nowhere, { SERVICES_FILE: file, SERVICE_ROOT_SECRET: ROOT });
  const rights: { user: string }[] = JSON.parse((await operator('topology', 'rights', '--json')).out);
  expect(rights.find(({ user }) => user === name)).toMatchObject({ configure: '^$' });
  const secret = deriveServiceSecret(ROOT, name);
  expect((await operator('service-secrets', name)).out).toBe(`${secret}\n`);
  const wrong = join(directory, 'wrong.json');
  writeFileSync(wrong, '[{"name": "loyalty", "prefixes": ["/svc/v3/orders"]}]');
  const refused = await createOperator(nowhere, { SERVICES_FILE: wrong })('topology', 'rights');
  expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('row 1 "loyalty": prefixes:')]);
});

const withRoot = createOperator(nowhere, { SERVICE_ROOT_SECRET: ROOT });

test('service-secrets prints the secret of each process, or of one, and creates no files', async () => {
  expect(JSON.parse((await withRoot('service-secrets', '--json')).out)).toEqual(
    PROCESSES.map((process) => ({ process, secret: deriveServiceSecret(ROOT, process) })),
  );
  expect((await withRoot('service-secrets', 'pos')).out).toBe(`${deriveServiceSecret(ROOT, 'pos')}\n`);
  expect(existsSync(nowhere)).toBe(false);
});

test('--directory writes them into files that only the owner can read, whatever was there, and prints none', async () => {
  writeFileSync(join(directory, 'pos.service-secret'), 'an earlier one', { mode: 0o644 });
  const { status, out } = await withRoot('service-secrets', '--directory', directory);
  expect(status).toBe(0);
  for (const process of PROCESSES) {
    const file = join(directory, `${process}.service-secret`);
    expect(readFileSync(file, 'utf8')).toBe(deriveServiceSecret(ROOT, process));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(out).not.toContain(deriveServiceSecret(ROOT, process));
  }
});

test.each([
  ['there is no process shop; there are: gateway,', { SERVICE_ROOT_SECRET: ROOT }, ['service-secrets', 'shop']],
  ['SERVICE_ROOT_SECRET: is not set', {}, ['service-secrets']],
])('refused: %s', async (message, settings, words) => {
  const { status, err } = await createOperator(nowhere, settings)(...words);
  expect([status, err]).toEqual([1, expect.stringContaining(message)]);
});
