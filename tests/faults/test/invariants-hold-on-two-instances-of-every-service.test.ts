import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Deployment } from '../src/deployment/deployment.ts';
import { lacksScaledEngines, startScaled } from '../src/deployment/scaled.ts';
import { contention, races, seats } from '../src/scenarios/contention.ts';
import { outage } from '../src/scenarios/engines.ts';
import { checkout, closing, kills } from '../src/scenarios/kills.ts';
import { messages } from '../src/scenarios/messages.ts';
import { checkDuringSale, FINDS_NOTHING } from './operator/check-during-sale.ts';
import { play } from './play.ts';

// Two processes of every service behind a balancer, on the MongoDB wire protocol and RabbitMQ; one is killed at a time.

// Its broker is killed, so it needs one of its own.
const { TEST_RABBITMQ_CONTROL, TEST_MONGODB_URL } = process.env;
const env = { TEST_RABBITMQ_CONTROL, TEST_MONGODB_URL };
const lacking = lacksScaledEngines(env);
const scaled = lacking === undefined ? test : test.skip;
if (lacking !== undefined) process.stdout.write(`skipped: ${lacking}\n`);

let deployment: Deployment | undefined;
const started = (): Deployment => {
  if (!deployment) throw new Error('it has not started');
  return deployment;
};
beforeAll(async () => {
  if (lacking === undefined) deployment = await startScaled(env);
});
afterAll(async () => deployment?.close());

scaled(
  'crashes, a broker that is down, contention, races, and a cancelled performance leave everything as it must be',
  async () => {
    const all = [[kills, checkout], closing, outage, contention, seats, races];
    expect(await play(started(), all)).toEqual([]);
  },
  600_000,
);

scaled(
  'messages that arrive twice and out of order change nothing, and unreadable ones become dead letters',
  async () => {
    expect(await play(started(), [messages])).toEqual([]);
  },
  600_000,
);

scaled('the operator finds nothing wrong, neither while everything is sold and cancelled nor afterwards', async () => {
  expect(await checkDuringSale(started())).toMatchObject(FINDS_NOTHING);
});
