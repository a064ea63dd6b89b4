import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Control } from '../src/controls/control.ts';
import { acknowledgedEarly } from '../src/controls/messaging.ts';
import { claimWithoutSwap } from '../src/controls/store.ts';
import type { Deployment } from '../src/deployment/deployment.ts';
import { startEmbedded } from '../src/deployment/embedded.ts';
import type { DataLocation } from '../src/deployment/installation.ts';
import type { Violation } from '../src/invariants/verdict.ts';
import type { Scenario } from '../src/round/round.ts';
import { checkout } from '../src/scenarios/checkout.ts';
import { closing } from '../src/scenarios/closing.ts';
import { contention } from '../src/scenarios/contention.ts';
import { doubled } from '../src/scenarios/doubled.ts';
import { kills, killsAt } from '../src/scenarios/kills.ts';
import { poison } from '../src/scenarios/poison.ts';
import { races } from '../src/scenarios/races.ts';
import { seats } from '../src/scenarios/seats.ts';
import { checkDuringSale, FINDS_NOTHING } from './operator/check-during-sale.ts';
import { operate } from './operator/operator.ts';
import { play } from './play.ts';

// npm start as one process on SQLite and the in-process bus, killed as a whole.

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startEmbedded();
}, 600_000);
afterAll(async () => deployment?.close());

test('the invariants hold after crashes, contention, races, a cancelled performance and poison messages', async () => {
  expect(await play(deployment, [[kills, checkout], closing, poison, contention, seats, races])).toEqual([]);
}, 600_000);

test('messages that arrive twice, and once more late, change nothing', async () => {
  expect(await play(deployment, [doubled])).toEqual([]);
}, 600_000);

test('operator check finds no violation during sales and cancellations, nor afterwards', async () => {
  expect(await checkDuringSale(deployment)).toMatchObject(FINDS_NOTHING);
});

/** Plays scenarios on another process, in which the bug of a control is planted. */
const withBug = async (
  { mutations }: Control,
  scenario: Scenario,
  patienceMs: number,
  look: (violations: readonly Violation[], data: DataLocation) => Promise<void> | void,
): Promise<void> => {
  const broken = await startEmbedded(mutations);
  try {
    await look(await play(broken, [scenario], { patienceMs }), broken.data);
    expect([...(await broken.planted())]).toEqual(mutations.map(({ file }) => file));
  } finally {
    await broken.close();
  }
};

test(
  'negative control: messages acknowledged before they are handled are lost in a crash, and the checks find it',
  () =>
    withBug(acknowledgedEarly, killsAt(['tickets-cancelled-received']), 4_000, (violations) => {
      expect(violations.map(({ invariant }) => invariant)).toContain('I3');
    }),
  600_000,
);

test(
  'negative control: places claimed without compare-and-swap are sold twice, and the checks find it',
  () =>
    withBug(claimWithoutSwap, contention, 0, async (violations, data) => {
      // The order with the sale may be listed first or last, and one that has a time limit shows it.
      const twice = /^place \S+ is claimed by (?=.*, sold\b)ord_.+\), ord_/;
      expect(violations.map(({ text }) => text)).toContainEqual(expect.stringMatching(twice));
      const { status, out } = await operate(data, 'check');
      expect([status, out]).toEqual([1, expect.stringMatching(/place \S+ is in two live orders: ord_\S+ and ord_/)]);
    }),
  600_000,
);
