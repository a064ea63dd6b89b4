import { setTimeout as pause } from 'node:timers/promises';
import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { startWatched } from './installation.ts';

/**
 * Store calls in a window without requests: of orders, which sweeps; of the changes that the authorizer reads for the
 * gateway, more after a start; and of everything else together.
 */
const MOST = { orders: 20, changes: 8, others: 14 };
const PARTS: readonly [keyof typeof MOST, RegExp][] = [
  ['orders', /service="orders"/],
  ['changes', /service="authorizer",collection="(?:clients|revocations)"/],
  ['others', /./],
];
const WINDOW_MS = 5_000;
/** Windows until what follows a start has ended; a retention's turn spoils one in twelve. */
const WINDOWS = 20;

const watched = useFixture(() => startWatched({}));

const countCalls = async (): Promise<Map<string, number>> => {
  const found = (await watched.metrics()).matchAll(/^store_operation_duration_seconds_count\{(.*)\} (\S+)$/gm);
  return new Map([...found].map(([, labels = '', count]) => [labels, Number(count)]));
};

test('without requests the stores are called a counted number of times', async () => {
  let listed: readonly (readonly [string, number])[] = [];
  const callsOf = (part: keyof typeof MOST) =>
    listed
      .filter(([labels]) => PARTS.find(([, pattern]) => pattern.test(labels))?.[0] === part)
      .reduce((sum, [, count]) => sum + count, 0);
  const isMore = () => PARTS.some(([part]) => callsOf(part) > MOST[part]);
  for (let nth = 0; nth === 0 || (nth < WINDOWS && isMore()); nth += 1) {
    const before = await countCalls();
    // The window itself: nothing is waited for.
    await pause(WINDOW_MS);
    const after = await countCalls();
    listed = [...after].map(([labels, count]) => [labels, count - (before.get(labels) ?? 0)] as const);
  }
  const calls = listed.filter(([, count]) => count > 0).map(([labels, count]) => `${count} ${labels}`);
  expect(isMore() ? calls : []).toEqual([]);
  // Counting works: orders looks for what is due.
  expect(callsOf('orders')).toBeGreaterThan(0);
}, 180_000);
