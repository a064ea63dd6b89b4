import { afterEach, expect, test } from '@jest/globals';
import { requireControl } from '../../src/controls.ts';
import { type Deployment, startEmbeddedDeployment } from '../../src/deployment/deployment.ts';
import { contention, races, seats } from '../../src/scenarios/contention.ts';
import { checkout, closing, kills } from '../../src/scenarios/kills.ts';
import { messages } from '../../src/scenarios/messages.ts';
import { payments } from '../../src/scenarios/payments.ts';
import { checking, play } from './play.ts';

// npm start as one process on SQLite and the in-process bus, killed as a whole.

let deployment: Deployment | undefined;
afterEach(async () => deployment?.close());

test('the invariants hold after crashes, contention, races, a cancelled performance, and messages that arrive twice, out of order or unreadable', async () => {
  deployment = await startEmbeddedDeployment();
  const all = [[kills, checkout, closing, payments], contention, [seats, races, checking], messages];
  expect(await play(deployment, all)).toEqual([]);
}, 1_200_000);

test('negative control: the checks find two planted bugs, early acknowledgements and claims without compare-and-swap', async () => {
  const early = requireControl('acknowledged-early');
  const sloppy = requireControl('claim-without-compare-and-swap');
  const mutations = [...early.mutations, ...sloppy.mutations];
  deployment = await startEmbeddedDeployment(mutations);
  const violations = await play(deployment, [sloppy.scenario, early.scenario], {
    // Longer than a settlement of three facts takes with the first bug.
    patienceMs: 6_000,
    points: early.points?.slice(0, 1),
  });
  expect([...(await deployment.planted())].toSorted()).toEqual(mutations.map(({ file }) => file).toSorted());
  const texts = violations.flatMap(({ invariant, text }) => (invariant === 'stored' ? [text] : []));
  expect(texts).toContainEqual(expect.stringMatching(/ is cancelled and not settled/));
  expect(texts).toContainEqual(expect.stringMatching(/place \S+ is in two live orders: ord_\S+ and ord_/));
}, 1_200_000);
