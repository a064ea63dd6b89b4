import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectRabbitmq, declaredOf, rightsOf } from '@boxoffice/messaging';
import { createLogger, deriveServiceSecret } from '@boxoffice/runtime';
import { rowsWith } from '@boxoffice/runtime/services';
import { beforeAll, expect, test } from '@jest/globals';
import { operatorOf, temporaryDirectory } from './program.ts';

const { TEST_AMQP_URL } = process.env;
const directory = temporaryDirectory();
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
  const operator = operatorOf(nowhere, { AMQP_URL: String(TEST_AMQP_URL) });
  for (let times = 0; times < 2; times += 1) {
    const { status, out, err } = await operator('topology', 'declare');
    expect([status, out, err]).toEqual([0, expect.stringContaining('orders.fulfilment.v1'), '']);
  }
});

withBroker('topology declare makes the queue of a team’s service, which then receives facts', async () => {
  const url = String(TEST_AMQP_URL);
  const settings = { AMQP_URL: url, SERVICES_FILE: file };
  const { status, out } = await operatorOf(nowhere, settings)('topology', 'declare');
  expect([status, out]).toEqual([0, expect.stringContaining(`${name}.facts.v1`)]);
  const options = { url, logger: createLogger({ service: 'test', level: 'error' }) };
  const orders = await connectRabbitmq(options);
  const team = await connectRabbitmq({ ...options, declared: declaredOf(rowsWith(readFileSync(file, 'utf8'))) });
  const received = Promise.withResolvers<string>();
  await team.subscribe({ name: `${name}.facts.v1`, types: ['order.confirmed'] }, async ({ id }) =>
    received.resolve(id),
  );
  const fact = { key: 'ord_1', version: 1, institution: 'opera', occurredAt: new Date().toISOString(), data: {} };
  await orders.publish({ ...fact, id: 'evt_team', type: 'order.confirmed' });
  expect(await received.promise).toBe('evt_team');
  // Its own fact arrives at the exchange, although nobody takes it.
  await team.publish({ ...fact, id: 'evt_own', type: `${name}.issued` });
  await Promise.all([orders.close(), team.close()]);
});

test('topology declare names the setting when the broker is not set or unreachable', async () => {
  const none = await operatorOf(nowhere)('topology', 'declare');
  expect([none.status, none.err]).toEqual([1, expect.stringContaining('AMQP_URL is not set')]);
  const gone = await operatorOf(nowhere, { AMQP_URL: 'amqp://nobody:secret@127.0.0.1:1' })('topology', 'declare');
  expect([gone.status, gone.err]).toEqual([
    1,
    expect.stringMatching(/^operator: AMQP_URL: RabbitMQ at 127\.0\.0\.1:1 /),
  ]);
  expect(gone.err).not.toContain('secret');
});

test('topology rights prints what each user needs', async () => {
  const { out } = await operatorOf(nowhere)('topology', 'rights', '--json');
  expect(JSON.parse(out)).toEqual(rightsOf());
});

test('topology rights and service-secrets have a team’s service as well, and a wrong file stops them', async () => {
  const operator = operatorOf(nowhere, { SERVICES_FILE: file, SERVICE_ROOT_SECRET: 'a root secret of the tests' });
  const rights: { user: string }[] = JSON.parse((await operator('topology', 'rights', '--json')).out);
  expect(rights.find(({ user }) => user === name)).toMatchObject({ configure: '^$' });
  const secret = deriveServiceSecret('a root secret of the tests', name);
  expect((await operator('service-secrets', name)).out).toBe(`${secret}\n`);
  const wrong = join(directory, 'wrong.json');
  writeFileSync(wrong, '[{"name": "loyalty", "prefixes": ["/svc/v3/orders"]}]');
  const refused = await operatorOf(nowhere, { SERVICES_FILE: wrong })('topology', 'rights');
  expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('row 1 "loyalty": prefixes:')]);
});
