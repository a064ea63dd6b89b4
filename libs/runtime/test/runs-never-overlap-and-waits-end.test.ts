import { repeat, settleWithin } from '@boxoffice/runtime';
import { describe, expect, it, test } from '@jest/globals';
import { openPersistently } from '../src/index.ts';

const MUCH_MS = 60_000;

describe('a deadline', () => {
  it('settles like a promise that is in time', async () => {
    const late = () => 'late';
    await expect(settleWithin(Promise.resolve('value'), MUCH_MS, late)).resolves.toBe('value');
    await expect(settleWithin(Promise.reject(new Error('failed')), MUCH_MS, late)).rejects.toThrow('failed');
  });

  it('settles like `late` for a promise that is late', async () => {
    const never = new Promise<string>(() => undefined);
    await expect(settleWithin(never, 1, () => 'late')).resolves.toBe('late');
    await expect(settleWithin(never, 1, async () => 'late')).resolves.toBe('late');
    const refused = settleWithin(never, 1, () => {
      throw new Error('not within 1 ms');
    });
    await expect(refused).rejects.toThrow('not within 1 ms');
  });

  it('lets the work continue, and its later failure is not an unhandled rejection', async () => {
    const work = Promise.withResolvers<string>();
    await settleWithin(work.promise, 1, () => undefined);
    work.reject(new Error('too late to matter'));
    await expect(work.promise).rejects.toThrow('too late to matter');
  });
});

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

describe('the first attempt is reported', () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };

  /** The events of an engine, in order, whose attempts end as the test decides. */
  const begin = () => {
    const attempts: PromiseWithResolvers<string>[] = [];
    const events: string[] = [];
    const engine = openPersistently('engine', silent, () => {
      const attempt = Promise.withResolvers<string>();
      attempts.push(attempt);
      return attempt.promise;
    });
    void engine.tried.then(() => events.push('tried'));
    void engine.opened.then(
      () => events.push('opened'),
      () => events.push('cancelled'),
    );
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    return { attempts, events, engine, turn };
  };

  test('an engine has been tried when its first attempt has ended, successful or not', async () => {
    const { attempts, events, engine, turn } = begin();
    await turn();
    expect(events).toEqual([]);
    attempts[0]?.reject(new Error('planted'));
    await turn();
    expect(events).toEqual(['tried']);
    while (attempts.length < 2) await soon();
    attempts[1]?.resolve('there');
    expect(await engine.opened).toBe('there');
    expect(events).toEqual(['tried', 'opened']);
  });

  test('cancel does not wait for an attempt', async () => {
    const { events, engine, turn } = begin();
    engine.cancel();
    await turn();
    expect(events.toSorted()).toEqual(['cancelled', 'tried']);
  });
});
