import { Worker } from 'node:worker_threads';
import { expect, test } from '@jest/globals';
import { createLogos } from '../../src/document/logo.ts';

/** Logos that threads of this source try out; `exits`: when each has ended. */
const drawnBy = (source: string, limitMs?: number) => {
  const exits: Promise<unknown>[] = [];
  const logoOf = createLogos((svg) => {
    const thread = new Worker(`const { parentPort, workerData } = require('node:worker_threads');${source}`, {
      eval: true,
      workerData: svg,
    });
    exits.push(new Promise((resolve) => thread.once('exit', resolve)));
    return thread;
  }, limitMs);
  return { logoOf, exits };
};

test('a logo is tried out once, in a thread that ends', async () => {
  const { logoOf, exits } = drawnBy(
    'parentPort.postMessage({ svg: workerData, width: 2, height: 1 });setInterval(() => {}, 1_000)',
  );
  expect(await Promise.all([logoOf('one'), logoOf('one'), logoOf('two')])).toEqual(
    ['one', 'one', 'two'].map((svg) => ({ svg, width: 2, height: 1 })),
  );
  expect(exits).toHaveLength(2);
  await Promise.all(exits);
});

test.each([
  ['fails', 'throw new Error("no memory")', undefined],
  ['ends without an answer', 'process.exit(3)', undefined],
  ['draws for ever', 'parentPort.postMessage("started");for (;;);', 300],
])('a logo whose thread %s is left out', async (_what, source, limitMs) => {
  const { logoOf, exits } = drawnBy(source, limitMs);
  expect(await logoOf('one')).toBeNull();
  await Promise.all(exits);
});

test('a thread that is late to start, as on a busy machine, has its time then', async () => {
  const late = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900)';
  const answer = 'parentPort.postMessage({ svg: workerData, width: 2, height: 1 })';
  const { logoOf, exits } = drawnBy(`${late};parentPort.postMessage("started");${answer}`, 300);
  expect(await logoOf('one')).toEqual({ svg: 'one', width: 2, height: 1 });
  await Promise.all(exits);
});
