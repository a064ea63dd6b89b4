import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { createLogger, createStop } from '../src/index.ts';

/** Starts a program that fails in this way after its start. */
const start = (failing: string) => {
  const script = `
  import { createLogger, createStop } from '${new URL('../src/index.ts', import.meta.url).href}';
  const stop = createStop(createLogger({ service: 'test', pretty: false }));
  stop.onSignal();
  stop.onFault();
  stop.add('server', () => new Promise((resolve) => setImmediate(resolve)).then(() => console.log('{"closed":true}')));
  const fail = () => { throw new TypeError('broken'); };
  setInterval(() => undefined, 1_000);
  ${failing}`;
  return spawn(process.execPath, ['--conditions=source', '--input-type=module', '--eval', script]);
};

/** Runs it, and returns its end. */
const run = async (failing: string) => {
  const child = start(failing);
  const [printed, complaints] = [[] as string[], [] as string[]];
  child.stdout.setEncoding('utf8').on('data', (text) => printed.push(text));
  child.stderr.setEncoding('utf8').on('data', (text) => complaints.push(text));
  const [status] = await once(child, 'close');
  const lines = printed.join('').trim().split('\n');
  return { status, lines: lines.map((line) => JSON.parse(line)), complaints: complaints.join('') };
};

describe('an uncaught error', () => {
  test.each([
    ['an exception was not caught', 'setImmediate(fail);'],
    ['a rejection was not handled', 'setImmediate(async () => fail());'],
    ['a rejection was not handled', 'Promise.reject(new TypeError("broken"));'],
  ])('is logged with its stack, and stops the process in order with status 1: %s', async (message, failing) => {
    const { status, lines, complaints } = await run(failing);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'error',
        message,
        error: { name: 'TypeError', message: 'broken', stack: expect.stringContaining('\n    at ') },
      }),
      { closed: true },
    ]);
    expect([status, complaints]).toEqual([1, '']);
  });

  test('is logged after a signal, too', async () => {
    const { status, lines } = await run(`
    stop.add('late', async () => { setImmediate(fail); await new Promise((resolve) => setImmediate(resolve)); });
    process.kill(process.pid, 'SIGTERM');`);
    expect(lines.map(({ message }) => message)).toEqual(['stopping', 'an exception was not caught', undefined]);
    expect(status).toBe(1);
  });

  test('also stops a process whose log nobody reads any more', async () => {
    const child = start("setInterval(() => process.stdout.write('{}\\n'), 5);");
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([1, null]);
  });
});

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
