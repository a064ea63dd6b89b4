import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Reply } from '@boxoffice/testkit';
import { expect, test } from '@jest/globals';
import { readCommandLine } from '../../src/faults/command-line.ts';
import { createBudget } from '../../src/faults/siege/attacker/budget.ts';
import { createTally } from '../../src/faults/siege/attacker/tally.ts';
import { measureCapacity } from '../../src/faults/siege/capacity.ts';
import { dueAfter, intendedAt, openLoop } from '../../src/faults/siege/open-loop.ts';
import { percentile } from '../../src/faults/siege/percentiles.ts';
import type { Phase } from '../../src/faults/siege/phase.ts';
import { createSamples, patternOf, sampled, serverErrorOf } from '../../src/faults/siege/samples.ts';
import { defectsOf, type SiegeReport } from '../../src/faults/siege/siege-report.ts';
import { ratioOf, siegeTable } from '../../src/faults/siege/table.ts';
import { writeTable } from '../../src/faults/write-table.ts';

const reply = (status: number, headers: Reply['headers'] = {}, body: object = {}) =>
  ({ status, headers, body, rawHeaders: [], bytes: Buffer.alloc(0), text: '', ms: 1 }) as Reply;

test('a percentile is the nearest rank, of values in any order', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([50, 99, 100]);
  expect(percentile([7], 0.99)).toBe(7);
  expect(percentile([], 0.5)).toBeNull();
  expect(() => percentile([1], 0)).toThrow(RangeError);
});

test('arrivals are due at a fixed rate, at most as many as the time has', () => {
  expect([0, 1, 4].map((index) => intendedAt(index, 4))).toEqual([0, 250, 1_000]);
  expect([0, 249, 250, 10_000].map((elapsed) => dueAfter(elapsed, 4, 2))).toEqual([1, 1, 2, 8]);
});

test('a stall of the loop delays no intended start, and arrivals do not wait for each other', async () => {
  let clock = 1_000;
  const intended: number[] = [];
  const ends: (() => void)[] = [];
  const pause = async () => {
    clock += intended.length === 3 ? 600 : 100;
  };
  const arrive = (_: number, at: number) => {
    intended.push(at);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const loop = openLoop({ rate: 10, seconds: 1, now: () => clock, pause, arrive });
  // No arrival ends before every one has begun.
  while (intended.length < 10) await Promise.resolve();
  for (const end of ends) end();
  expect(await loop).toEqual({ started: 10, skipped: 0 });
  expect(intended).toEqual(Array.from({ length: 10 }, (_, index) => 1_000 + index * 100));
});

test('a loop whose arrivals never end skips those over its bound', async () => {
  let clock = 0;
  const ends: (() => void)[] = [];
  const arrive = () => new Promise<void>((resolve) => ends.push(resolve));
  const pause = async () => {
    clock += 1_000;
  };
  const loop = openLoop({ rate: 10, seconds: 1, most: 4, now: () => clock, pause, arrive });
  // No arrival ends before the bound is reached.
  while (ends.length < 4) await Promise.resolve();
  for (const end of ends) end();
  expect(await loop).toEqual({ started: 4, skipped: 6 });
});

test('the capacity counts the arrivals that end in the second half', async () => {
  let clock = 0;
  const arrive = async () => {
    clock += 100;
  };
  expect(await measureCapacity(1, 10, arrive, () => clock)).toBeCloseTo(10, 0);
});

test('the first request of an arrival is measured from its intended start, the others from their own', async () => {
  const samples = createSamples();
  let clock = 5_000;
  const answer = async () => {
    clock += 10;
    return reply(200);
  };
  const client = sampled(answer, samples, 1_000, () => clock);
  await client('/svc/v3/orders', { method: 'POST' });
  await client('/svc/v3/orders/ord_1');
  const [first, second] = samples.all;
  expect(first).toEqual({ kind: 'order', status: 200, failed: false, ms: 4_010 });
  expect(second).toEqual({ kind: 'read', status: 200, failed: false, ms: 10 });
});

test.each([
  ['a request without a response', () => Promise.reject(new Error('reset')), null],
  ['429', () => Promise.resolve(reply(429)), 429],
  ['500', () => Promise.resolve(reply(500)), 500],
])('%s has failed', async (_, answer, status) => {
  const samples = createSamples();
  const client = sampled(answer, samples, 0, () => 0);
  await client('/tnwr/v1/orders', { method: 'POST' }).catch(() => undefined);
  expect(samples.all).toMatchObject([{ kind: 'checkout', status, failed: true }]);
});

test('a 5xx is planned only if it says when to try again, or what became of the order, and has the status of its interface', () => {
  const later = { 'retry-after': '1' };
  const planned = (request: string, status: number, headers = {}, body = {}) =>
    serverErrorOf(request, reply(status, headers, body))?.planned;
  expect(planned('GET /svc/v3/orders', 503, later)).toBe(true);
  expect(planned('GET /svc/v3/orders', 503)).toBe(false);
  expect(planned('GET /svc/v3/orders', 500, later)).toBe(false);
  expect(planned('POST /tnwr/v1/orders', 500, later)).toBe(true);
  expect(planned('POST /tnwr/v1/orders', 503, later)).toBe(false);
  expect(planned('POST /tnwr/v1/orders', 500, {}, { orderCancelled: true })).toBe(true);
  expect(planned('POST /tnwr/v1/orders', 500)).toBe(false);
  expect(planned('GET /tnwr/v1/orders', 500, {}, { orderCancelled: true })).toBe(false);
  expect(planned('GET /svc/v3/orders', 429)).toBeUndefined();
  expect(patternOf('/svc/v3/orders/ord_a1B2/confirmation?x=1')).toBe('/svc/v3/orders/{id}/confirmation');
});

test('an attacker waits while it has used more than its share', async () => {
  let [cpu, clock, looks] = [0, 0, 0];
  const look = () => {
    looks += 1;
    return cpu;
  };
  const budget = createBudget({ share: 0.25, cpu: look, now: () => clock });
  [cpu, clock] = [30, 100];
  let acted = false;
  const turn = budget.turn().then(() => {
    acted = true;
  });
  while (looks < 5) await new Promise(setImmediate);
  expect(acted).toBe(false);
  clock = 200;
  await turn;
  expect(budget.used()).toBeCloseTo(0.15);
  budget.close();
});

const phase = (ms: number, failed = false): Phase => ({
  started: 100,
  skipped: 0,
  seconds: 60,
  harnessMs: 2,
  samples: {
    all: Array.from({ length: 100 }, () => ({ kind: 'order' as const, ms, status: failed ? 500 : 200, failed })),
    errors: failed ? [{ request: 'POST /svc/v3/orders', status: 500, code: 'internal_error', planned: false }] : [],
  },
});

const reportOf = (attacked: Phase): SiegeReport => {
  const tally = createTally();
  tally.answered('random paths', 'GET /x', reply(404));
  tally.answered('random paths', 'GET /x', reply(404));
  tally.answered('wrong logins', 'POST /tnwr/v1/sessions', undefined);
  tally.answered('wrong client secrets', 'POST /auth/token', reply(503, { 'retry-after': '1' }));
  return {
    engines: 'embedded',
    seed: '7',
    minutes: 1,
    share: 0.25,
    cores: 2,
    load: 0.5,
    capacity: 200,
    rate: 100,
    phases: { calm: phase(10), attacked, after: phase(11) },
    attack: { ...tally.counts(), open: 0, mostOpen: 9_000, connected: 9_500, reset: 12, share: 0.24 },
    attackAddresses: 50,
    wantedConnections: 10_000,
    resident: { before: 200e6, peak: 300e6, after: 250e6 },
    stored: { without: { bytes: 10e6, documents: 1_000 }, with: { bytes: 12e6, documents: 1_200 } },
    settled: { checked: 5_000, violations: [], seconds: 1 },
  };
};

test('the table has the latencies with their ratio, what the attacker was answered, and every 5xx', () => {
  const table = siegeTable(reportOf(phase(40)));
  expect(table).toContain('npm run faults -- --siege 1 --engines embedded --attacker-share 0.25 --seed 7');
  expect(table).toContain('| orders: create, confirm | 100 | 10.0 | 10.0 | 40.0 | 40.0 | **4.0** | 11.0 | 0, 0, 0 |');
  expect(table).toContain('| random paths | 2 | 404 × 2 |');
  expect(table).toContain('| wrong logins | 1 | none × 1 |');
  expect(table).toContain('503 × 1 to the attacker, POST /auth/token, planned');
  expect(table).toContain('9,000 of 10,000 open at most');
  expect([ratioOf(10, 30), ratioOf(10, 31), ratioOf(null, 1)]).toEqual(['3.0', '**3.1**', '–']);
});

test('only an unplanned 5xx and a violation are defects', () => {
  expect(defectsOf(reportOf(phase(400)))).toBe(0);
  const failing = reportOf(phase(10, true));
  expect(defectsOf(failing)).toBe(1);
  expect(siegeTable(failing)).toContain(
    '500 internal_error × 1 to honest buyers, POST /svc/v3/orders, **not planned**',
  );
  const settled = { checked: 1, violations: [{ invariant: 'I2' as const, text: 'an order is gone' }], seconds: 1 };
  expect(defectsOf({ ...reportOf(phase(10)), settled })).toBe(1);
});

test('a table replaces the one of its name only', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-siege-'));
  try {
    const file = pathToFileURL(join(directory, 'page.md'));
    const place = (name: string, text: string) => `<!-- ${name}: begin -->\n${text}\n<!-- ${name}: end -->\n`;
    await writeFile(file, `${place('plan', 'old')}${place('siege', 'old')}`);
    await writeTable(file, 'siege', 'new');
    expect(await readFile(file, 'utf8')).toBe(`${place('plan', 'old')}${place('siege', 'new')}`);
    await expect(writeTable(file, 'other', 'new')).rejects.toThrow('other');
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('the options of a siege go with --siege only', () => {
  expect(readCommandLine(['--siege', '3', '--attacker-share', '0.5'], { scenarios: [] })).toMatchObject({
    mode: 'siege',
    siege: { minutes: 3, share: 0.5 },
  });
  expect(() => readCommandLine(['--attacker-share', '0.5'], { scenarios: [] })).toThrow(
    '--attacker-share needs --siege',
  );
  expect(() => readCommandLine(['--siege', '3', '--minutes', '2'], { scenarios: [] })).toThrow(
    '--minutes does not go with --siege',
  );
  expect(() => readCommandLine(['--siege', '3', '--plan'], { scenarios: [] })).toThrow(
    '--plan does not go with --siege',
  );
  expect(() => readCommandLine(['--siege', 'x'], { scenarios: [] })).toThrow('--siege is a number above 0');
});
