import { setTimeout as pause } from 'node:timers/promises';
import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { startWatched } from './installation.ts';

/** Store calls in a window without requests: of orders, which sweeps, and of the other services together. */
const MOST = { orders: 20, others: 12 };
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
  const callsOf = (own: boolean) =>
    listed.filter(([labels]) => labels.includes('service="orders"') === own).reduce((sum, [, count]) => sum + count, 0);
  const isMore = () => callsOf(true) > MOST.orders || callsOf(false) > MOST.others;
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
  expect(callsOf(true)).toBeGreaterThan(0);
}, 180_000);
