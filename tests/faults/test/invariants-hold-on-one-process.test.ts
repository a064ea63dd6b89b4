import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { controlNamed } from '../src/controls.ts';
import type { Deployment } from '../src/deployment/deployment.ts';
import { startEmbedded } from '../src/deployment/embedded.ts';
import type { Violation } from '../src/invariants/verdict.ts';
import { contention, races, seats } from '../src/scenarios/contention.ts';
import { checkout, closing, kills } from '../src/scenarios/kills.ts';
import { messages } from '../src/scenarios/messages.ts';
import { checkDuringSale, FINDS_NOTHING } from './operator/check-during-sale.ts';
import { play } from './play.ts';

// npm start as one process on SQLite and the in-process bus, killed as a whole.

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startEmbedded();
}, 600_000);
afterAll(async () => deployment?.close());

test('the invariants hold after crashes, contention, races and a cancelled performance', async () => {
  expect(await play(deployment, [[kills, checkout], closing, contention, seats, races])).toEqual([]);
}, 600_000);

test('messages that arrive twice and out of order change nothing, and unreadable ones become dead letters', async () => {
  expect(await play(deployment, [messages])).toEqual([]);
}, 600_000);

test('operator check finds no violation during sales and cancellations, nor afterwards', async () => {
  expect(await checkDuringSale(deployment)).toMatchObject(FINDS_NOTHING);
});

/** Plays the scenario of a control on another process, in which its bug is planted. */
const violationsWith = async (name: string, patienceMs: number): Promise<readonly Violation[]> => {
  const { mutations, scenario, points } = controlNamed(name);
  const broken = await startEmbedded(mutations);
  try {
    const violations = await play(broken, [scenario], { patienceMs, points });
    expect([...(await broken.planted())]).toEqual(mutations.map(({ file }) => file));
    return violations;
  } finally {
    await broken.close();
  }
};

test('negative control: messages acknowledged before they are handled are lost in a crash, and the checks find it', async () => {
  const violations = await violationsWith('acknowledged-early', 4_000);
  expect(violations.map(({ invariant }) => invariant)).toContain('stored');
}, 600_000);

test('negative control: places claimed without compare-and-swap are sold twice, and operator check finds it', async () => {
  const texts = (await violationsWith('claim-without-compare-and-swap', 0)).map(({ text }) => text);
  expect(texts).toContainEqual(expect.stringMatching(/place \S+ is in two live orders: ord_\S+ and ord_/));
}, 600_000);
