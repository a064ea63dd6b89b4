import { describe, expect, test } from '@jest/globals';
import { createLogger, createStop } from '../../src/index.ts';

const lines: string[] = [];
const logger = createLogger({ service: 'test', pretty: false, write: (line) => lines.push(line) });

describe('stop', () => {
  test('closes the last part first, one after the other, also after a failure', async () => {
    const closed: string[] = [];
    const stop = createStop(logger);
    stop.add('store', async () => {
      closed.push('store');
    });
    stop.add('broker', () => Promise.reject(new Error('gone')));
    stop.add('server', async () => {
      await new Promise(setImmediate);
      closed.push('server');
    });
    expect(await stop.run()).toBe(false);
    expect(closed).toEqual(['server', 'store']);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'error', part: 'broker' });
  });

  test('ends after its time', async () => {
    const stop = createStop(logger, { withinMs: 20 });
    stop.add('stuck', () => new Promise(() => undefined));
    expect(await stop.run()).toBe(false);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ message: 'did not close in time', part: 'stuck' });
  });

  test('lets a running start reach its next part, ends it there, and closes that part before those it depends on', async () => {
    const closed: string[] = [];
    const stop = createStop(logger);
    const step = Promise.withResolvers<void>();
    const start = async (): Promise<void> => {
      stop.add('engines', () => void closed.push('engines'));
      await step.promise;
      stop.add('service', () => void closed.push('service'));
      closed.push('never');
    };
    const started = stop.during(start());
    const stopped = stop.run();
    expect(stop.signal.aborted).toBe(true);
    step.resolve();
    await started;
    expect([await stopped, closed]).toEqual([true, ['service', 'engines']]);
  });

  test('does not wait for ever for a running start', async () => {
    const stop = createStop(logger);
    const closed: string[] = [];
    stop.add('engines', () => void closed.push('engines'));
    void stop.during(new Promise(() => undefined));
    expect([await stop.run(), closed]).toEqual([true, ['engines']]);
  });
});
