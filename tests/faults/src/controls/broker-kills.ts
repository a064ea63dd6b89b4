import { setTimeout as pause } from 'node:timers/promises';
import { beginRound, type Scenario } from '../round/round.ts';
import { duringTraffic } from '../round/traffic.ts';

const KILLS = 4;
const DOWN_MS = 1_000;

/** The broker is killed in the middle of a sale, and restarted. */
export const brokerKills: Scenario = {
  name: 'broker-kills',
  about: 'the broker killed during a sale, and restarted',
  needsBroker: true,
  async play(context) {
    const { broker } = context.deployment;
    if (!broker) throw new Error('this deployment has no broker');
    const round = await beginRound(context, 'broker-kills', [
      { code: 'FLOOR', capacity: 600 },
      { code: 'FREE', capacity: 200, amount: 0 },
    ]);
    await duringTraffic(context, round, { buyers: 8, visitors: 2 }, async () => {
      for (let kill = 0; kill < KILLS; kill++) {
        await pause(context.random.between(500, 2_000));
        await broker.kill();
        round.faults.push('RabbitMQ');
        await pause(DOWN_MS);
        await broker.start();
      }
    });
    return round;
  },
};
