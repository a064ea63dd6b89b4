import { join } from 'node:path';
import { rightsOf } from '@boxoffice/messaging';
import { expect, test } from '@jest/globals';
import { operatorOf, temporaryDirectory } from './program.ts';

const { TEST_AMQP_URL } = process.env;
const directory = temporaryDirectory();
// The commands need no installation.
const nowhere = join(directory, 'nowhere');

const withBroker = TEST_AMQP_URL ? test : test.skip;
if (withBroker === test.skip) process.stdout.write('skipped: declaring the topology needs TEST_AMQP_URL\n');

withBroker('topology declare declares every queue, as often as it is asked', async () => {
  const operator = operatorOf(nowhere, { AMQP_URL: String(TEST_AMQP_URL) });
  for (let times = 0; times < 2; times += 1) {
    const { status, out, err } = await operator('topology', 'declare');
    expect([status, out, err]).toEqual([0, expect.stringContaining('orders.fulfilment.v1'), '']);
  }
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
