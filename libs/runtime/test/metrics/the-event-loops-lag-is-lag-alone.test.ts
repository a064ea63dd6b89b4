import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createMetrics } from '../../src/index.ts';

test('the lag of the event loop is told without the pause between two measurements', async () => {
  const metrics = await createMetrics();
  /** Each reading begins the measurement anew, so it is asked for again after some of its pauses. */
  const lag = async (name: string): Promise<number> => {
    for (let tries = 0; tries < 50; tries += 1) {
      await pause(100);
      const { text } = await metrics.text();
      const figure = Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text)?.[1]);
      if (figure > -1) return figure;
    }
    return Number.NaN;
  };
  expect(await lag('min')).toBeLessThan(0.01);
  // The timer has to have run once since the reading.
  await pause(100);
  const busyUntil = performance.now() + 300;
  while (performance.now() < busyUntil) Math.sqrt(busyUntil);
  expect(await lag('max')).toBeGreaterThan(0.2);
});
