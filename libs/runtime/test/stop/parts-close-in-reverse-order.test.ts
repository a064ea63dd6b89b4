import { describe, expect, test } from '@jest/globals';
import { createLogger, createStop } from '../../src/index.ts';

const lines: string[] = [];
const logger = createLogger({ service: 'test', pretty: false, write: (line) => lines.push(line) });

describe('stop', () => {
  test('closes the last part first, each after the one before, also after a failure', async () => {
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

  test('gives up in time', async () => {
    const stop = createStop(logger, { withinMs: 20 });
    stop.add('stuck', () => new Promise(() => undefined));
    expect(await stop.run()).toBe(false);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ message: 'did not close in time', part: 'stuck' });
  });
});
