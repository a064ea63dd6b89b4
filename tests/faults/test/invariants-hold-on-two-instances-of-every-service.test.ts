import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Deployment } from '../src/deployment/deployment.ts';
import { NO_SCALED_ENGINES, scaledEngines, startScaled } from '../src/deployment/scaled.ts';
import { checkout } from '../src/scenarios/checkout.ts';
import { closing } from '../src/scenarios/closing.ts';
import { contention } from '../src/scenarios/contention.ts';
import { doubled } from '../src/scenarios/doubled.ts';
import { kills } from '../src/scenarios/kills.ts';
import { outage } from '../src/scenarios/outage.ts';
import { poison } from '../src/scenarios/poison.ts';
import { races } from '../src/scenarios/races.ts';
import { seats } from '../src/scenarios/seats.ts';
import { checkDuringSale, FINDS_NOTHING } from './operator/check-during-sale.ts';
import { play } from './play.ts';

// Two processes of every service behind a balancer, on the MongoDB wire protocol and RabbitMQ; one is killed at a time.

// Its broker is killed, so it needs one of its own.
const engines = process.env.TEST_RABBITMQ_CONTROL ? scaledEngines(process.env) : undefined;
const scaled = engines ? test : test.skip;
if (!engines) process.stdout.write(`skipped: ${NO_SCALED_ENGINES}\n`);

let deployment: Deployment | undefined;
const started = (): Deployment => {
  if (!deployment) throw new Error('it has not started');
  return deployment;
};
beforeAll(async () => {
  if (engines) deployment = await startScaled(engines);
});
afterAll(async () => deployment?.close());

scaled(
  'crashes, a broker that is down, contention, races, a cancelled performance and poison leave everything as it must be',
  async () => {
    const all = [[kills, checkout], closing, outage, poison, contention, seats, races];
    expect(await play(started(), all)).toEqual([]);
  },
  600_000,
);

scaled(
  'every message twice, and once more late, changes nothing',
  async () => {
    expect(await play(started(), [doubled])).toEqual([]);
  },
  600_000,
);

scaled('the operator finds nothing wrong, neither while everything is sold and cancelled nor afterwards', async () => {
  expect(await checkDuringSale(started())).toMatchObject(FINDS_NOTHING);
});
