import { setTimeout as pause } from 'node:timers/promises';
import { test } from '@jest/globals';
import { createMetrics } from '../../src/index.ts';

test('the lag of the event loop is told without the pause between two measurements', async () => {
  const metrics = await createMetrics();
  /**
   * Each reading begins the measurement anew, so it is asked for again after some of its pauses until it is as wanted.
   */
  const lag = async (name: string, isWanted: (seconds: number) => boolean): Promise<void> => {
    for (let figure = Number.NaN; !isWanted(figure); ) {
      await pause(100);
      const { text } = await metrics.text();
      figure = Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text)?.[1]);
    }
  };
  // With the pause, which is of 20 ms, no measurement would ever be below it.
  await lag('min', (seconds) => seconds > -1 && seconds < 0.01);
  // The timer has to have run once since the reading.
  await pause(100);
  const busyUntil = Date.now() + 300;
  while (Date.now() < busyUntil) Math.sqrt(busyUntil);
  await lag('max', (seconds) => seconds > 0.2);
});
