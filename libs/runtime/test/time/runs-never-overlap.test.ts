import { repeat } from '@boxoffice/runtime';
import { describe, expect, it } from '@jest/globals';

const soon = (ms = 5) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const unexpected = (error: unknown): never => {
  throw error;
};

describe('an interval', () => {
  it('skips the runs that are due while one continues', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const third = Promise.withResolvers<void>();
    const task = async () => {
      running += 1;
      most = Math.max(most, running);
      await soon(10);
      running -= 1;
      runs += 1;
      if (runs === 3) third.resolve();
    };
    const interval = repeat(task, { everyMs: 1, failed: unexpected });
    await third.promise;
    await interval.close();
    expect(most).toBe(1);
  });

  it('starts at once if `atOnce` is set', async () => {
    let runs = 0;
    const task = async () => {
      runs += 1;
    };
    const options = { everyMs: 60_000, failed: unexpected };
    const intervals = [repeat(task, { ...options, atOnce: true }), repeat(task, options)];
    expect(runs).toBe(1);
    await Promise.all(intervals.map((one) => one.close()));
  });

  it('continues after a run that fails', async () => {
    const errors: unknown[] = [];
    const again = Promise.withResolvers<void>();
    const task = async () => {
      if (errors.length === 2) again.resolve();
      else throw new Error('this run');
    };
    const interval = repeat(task, { everyMs: 1, failed: (error) => errors.push(error) });
    await again.promise;
    await interval.close();
    expect(errors.map(String)).toEqual(['Error: this run', 'Error: this run']);
  });

  it('ends with the current run', async () => {
    const started = Promise.withResolvers<void>();
    let isOver = false;
    const task = async () => {
      started.resolve();
      await soon(10);
      isOver = true;
    };
    const interval = repeat(task, { everyMs: 60_000, atOnce: true, failed: unexpected });
    await started.promise;
    await interval.close();
    expect(isOver).toBe(true);
  });
});
