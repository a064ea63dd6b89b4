import { Worker } from 'node:worker_threads';
import { Fault } from '@boxoffice/envelope';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createPlainContent } from '../../src/document/about.ts';
import { createDrawing, type Drawing, MOST_WAITING } from '../../src/document/drawing.ts';
import { createLogos } from '../../src/document/logo.ts';
import { drawPdf } from '../../src/document/pdf.ts';
import { createAbout } from './rendering.ts';

const about = (number: string) => createPlainContent(createAbout({ number }));

/** Answers with what was asked, after it has slept in the way that blocks a thread. */
const SLOW = `const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ id }) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  parentPort.postMessage({ id, pdf: new Uint8Array([id]), missing: [] });
});`;
/** Blocks its thread until the event loop lets it go, which the second byte says. */
const HELD = `const { parentPort, workerData: gate } = require('node:worker_threads');
parentPort.on('message', ({ id }) => {
  Atomics.store(gate, 0, 1);
  const isFreed = Atomics.wait(gate, 1, 0, 20_000) !== 'timed-out';
  parentPort.postMessage({ id, pdf: new Uint8Array([id, Number(isFreed)]), missing: [] });
});`;
const DYING = `require('node:worker_threads').parentPort.on('message', () => process.exit(3));`;
const FAILING = `const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ id }) => parentPort.postMessage({ id, error: new Error('no font') }));`;

describe('the drawing of documents', () => {
  const opened: Drawing[] = [];
  const started: Worker[] = [];
  const drawingIn = (source?: string, workerData?: Int32Array): Drawing => {
    const start = source === undefined ? undefined : () => new Worker(source, { eval: true, workerData });
    const drawing = start ? createDrawing({}, () => started[started.push(start()) - 1] as Worker) : createDrawing();
    opened.push(drawing);
    return drawing;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((drawing) => drawing.close()));
    started.length = 0;
  });

  test('gives the same bytes as drawing here', async () => {
    expect((await drawingIn().draw(about('1'))).pdf.equals((await drawPdf(about('1'))).pdf)).toBe(true);
  }, 300_000);

  test('leaves the event loop to others', async () => {
    const gate = new Int32Array(new SharedArrayBuffer(8));
    const drawing = drawingIn(HELD, gate);
    const all = Promise.all(Array.from({ length: 10 }, (_, index) => drawing.draw(about(`${index}`))));
    let isDrawn = false;
    const noted = all.then(() => {
      isDrawn = true;
    });
    const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
    while (Atomics.load(gate, 0) === 0 && !isDrawn) await turn();
    for (let turns = 0; turns < 10; turns += 1) await turn();
    expect(isDrawn).toBe(false);
    Atomics.store(gate, 1, 1);
    Atomics.notify(gate, 1);
    await noted;
    expect((await all).map(({ pdf }) => [...pdf])).toEqual(Array.from({ length: 10 }, (_, index) => [index + 1, 1]));
  });

  test('draws what shows the same once', async () => {
    const drawing = drawingIn(SLOW);
    const [first, second, other] = await Promise.all(['1', '1', '2'].map((number) => drawing.draw(about(number))));
    expect(second).toBe(first);
    expect([...(other?.pdf ?? [])]).toEqual([2]);
  });

  test(`refuses more than ${MOST_WAITING} that wait, until some are drawn`, async () => {
    const drawing = drawingIn(SLOW);
    const all = Array.from({ length: MOST_WAITING }, (_, index) => drawing.draw(about(`${index}`)));
    const refused = await drawing.draw(about('too many')).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Fault);
    expect(refused).toMatchObject({ code: 'service_unavailable', headers: { 'Retry-After': '5' } });
    await Promise.all(all);
    expect((await drawing.draw(about('too many'))).pdf.length).toBe(1);
  });

  test('draws here what waited in a thread that died, and starts another for the next', async () => {
    const drawing = drawingIn(DYING);
    const [one, two] = await Promise.all([drawing.draw(about('1')), drawing.draw(about('2'))]);
    expect([one, two].map(({ pdf }) => pdf.subarray(0, 5).toString())).toEqual(['%PDF-', '%PDF-']);
    expect(started).toHaveLength(1);
    await drawing.draw(about('3'));
    expect(started).toHaveLength(2);
  }, 300_000);

  test('a document that cannot be drawn is an error, and is tried again when it is asked for again', async () => {
    const drawing = drawingIn(FAILING);
    await expect(drawing.draw(about('1'))).rejects.toThrow('no font');
    await expect(drawing.draw(about('1'))).rejects.toThrow('no font');
  });
});

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
