import { setTimeout as pause } from 'node:timers/promises';
import { test } from '@jest/globals';
import { createMetrics } from '../../src/index.ts';

test('the lag of the event loop excludes the interval between two measurements', async () => {
  const metrics = await createMetrics();
  /**
   * Each scrape restarts the measurement, so this scrapes again after several intervals until the value is as expected.
   */
  const lag = async (name: string, isWanted: (seconds: number) => boolean): Promise<void> => {
    for (let value = Number.NaN; !isWanted(value); ) {
      await pause(100);
      const { text } = await metrics.text();
      value = Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text)?.[1]);
    }
  };
  // Including the interval of 20 ms, no measurement would ever be below it.
  await lag('min', (seconds) => seconds > -1 && seconds < 0.01);
  // The timer must have run once since the scrape.
  await pause(100);
  const busyUntil = Date.now() + 300;
  while (Date.now() < busyUntil) Math.sqrt(busyUntil);
  await lag('max', (seconds) => seconds > 0.2);
});
