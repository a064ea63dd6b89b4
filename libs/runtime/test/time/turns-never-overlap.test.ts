import { repeat } from '@boxoffice/runtime';
import { describe, expect, it } from '@jest/globals';

const soon = (ms = 5) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const unexpected = (error: unknown): never => {
  throw error;
};

describe('an interval', () => {
  it('skips the turns that are due while one runs', async () => {
    let running = 0;
    let most = 0;
    let turns = 0;
    const third = Promise.withResolvers<void>();
    const task = async () => {
      running += 1;
      most = Math.max(most, running);
      await soon(10);
      running -= 1;
      turns += 1;
      if (turns === 3) third.resolve();
    };
    const interval = repeat(task, { everyMs: 1, failed: unexpected });
    await third.promise;
    await interval.close();
    expect(most).toBe(1);
  });

  it('begins at once where that is wanted', async () => {
    let turns = 0;
    const task = async () => {
      turns += 1;
    };
    const options = { everyMs: 60_000, failed: unexpected };
    const intervals = [repeat(task, { ...options, atOnce: true }), repeat(task, options)];
    expect(turns).toBe(1);
    await Promise.all(intervals.map((one) => one.close()));
  });

  it('goes on after a turn that fails', async () => {
    const errors: unknown[] = [];
    const again = Promise.withResolvers<void>();
    const task = async () => {
      if (errors.length === 2) again.resolve();
      else throw new Error('this turn');
    };
    const interval = repeat(task, { everyMs: 1, failed: (error) => errors.push(error) });
    await again.promise;
    await interval.close();
    expect(errors.map(String)).toEqual(['Error: this turn', 'Error: this turn']);
  });

  it('ends with the turn that is under way', async () => {
    const begun = Promise.withResolvers<void>();
    let isOver = false;
    const task = async () => {
      begun.resolve();
      await soon(10);
      isOver = true;
    };
    const interval = repeat(task, { everyMs: 60_000, atOnce: true, failed: unexpected });
    await begun.promise;
    await interval.close();
    expect(isOver).toBe(true);
  });
});
