import { afterAll, expect, test } from '@jest/globals';
import type { Deployment } from '../../src/deployment/deployment.ts';
import { describeMissingScaledEngines, grouped, startScaledDeployment } from '../../src/deployment/scaled.ts';
import { contention, races, seats } from '../../src/scenarios/contention.ts';
import { outage } from '../../src/scenarios/engines.ts';
import { checkout, closing, kills } from '../../src/scenarios/kills.ts';
import { messages } from '../../src/scenarios/messages.ts';
import { payments } from '../../src/scenarios/payments.ts';
import { checking, play } from './play.ts';

// Two instances of every service behind a balancer, on the MongoDB wire protocol and RabbitMQ; one is killed at a time.

// Its broker is killed, so it needs one of its own.
const { TEST_RABBITMQ_CONTROL, TEST_MONGODB_URL } = process.env;
const env = { TEST_RABBITMQ_CONTROL, TEST_MONGODB_URL };
const lacking = describeMissingScaledEngines(env);
const scaled = lacking === undefined ? test : test.skip;
if (lacking !== undefined) process.stdout.write(`skipped: ${lacking}\n`);

let deployment: Deployment | undefined;
afterAll(async () => deployment?.close());

scaled(
  'the invariants hold after crashes, contention, races, a cancelled performance, an outage of the broker, and messages that arrive twice, out of order or unreadable',
  async () => {
    deployment = await startScaledDeployment(env, { groups: grouped });
    const all = [[kills, checkout, closing, payments], contention, [seats, races], [outage, checking], messages];
    expect(await play(deployment, all)).toEqual([]);
  },
  1_200_000,
);
