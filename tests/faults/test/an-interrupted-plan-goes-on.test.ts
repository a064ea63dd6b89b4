import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Deployment } from '../src/deployment/deployment.ts';
import { playPlan } from '../src/plan/plan.ts';
import { AnotherPlan, openProgress, type PlayedRound } from '../src/plan/progress.ts';
import type { PlanRow } from '../src/plan/row.ts';
import { planRows } from '../src/plan/rows/index.ts';
import { planTable, unitsOf } from '../src/plan/table.ts';
import { randomFrom } from '../src/round/random.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'boxoffice-plan-'));
});
afterEach(() => rm(directory, { recursive: true }));

const open = (options: { seed?: string; share?: number; fresh?: boolean } = {}) =>
  openProgress(join(directory, 'plan.jsonl'), { fresh: false, ...options });

const played: PlayedRound = {
  row: 1,
  engines: 'embedded',
  round: 0,
  revision: 'abc',
  units: 8,
  acknowledged: 10,
  refused: 2,
  unknown: 1,
  checked: 500,
  violations: [],
  seconds: 60,
};

/** A suite that records how often it ran, and finds what it is told to. */
const suite = (number: number, runs: number[], texts: readonly string[] = []): PlanRow => ({
  number,
  fault: `fault ${number}`,
  unit: 'histories',
  times: { embedded: 100 },
  play: {
    kind: 'suite',
    most: 6,
    run: async (count) => {
      runs.push(count);
      return { checked: count, violations: texts.map((text) => ({ invariant: 'round', text })) };
    },
  },
});

const start = (): Promise<Deployment> => Promise.reject(new Error('a suite needs no deployment'));

test('a plan that is opened again keeps its seed, its share and its rounds, without a line that was cut short', async () => {
  const first = await open({ seed: '7', share: 0.5 });
  await first.add(played);
  await appendFile(join(directory, 'plan.jsonl'), '{"row":1,"eng');
  const second = await open();
  expect(second).toMatchObject({ seed: '7', share: 0.5, resumed: true, rounds: [played] });
  await second.add({ ...played, round: 1 });
  expect((await open()).rounds.map(({ round }) => round)).toEqual([0, 1]);
});

test('another seed or share than that of the file is refused, unless the plan begins anew', async () => {
  await (await open({ seed: '7', share: 0.5 })).add(played);
  await expect(open({ seed: '8' })).rejects.toThrow(AnotherPlan);
  await expect(open({ share: 1 })).rejects.toThrow('--fresh');
  expect(await open({ seed: '8', fresh: true })).toMatchObject({ seed: '8', share: 1, rounds: [] });
});

test('rounds that were played are not played again, and a share plays a share of each row', async () => {
  const runs: number[] = [];
  const found: string[] = [];
  const print = (line: string) => void found.push(line);
  const rows = [suite(1, runs), suite(2, runs, ['a place is sold twice'])];
  for (let turn = 0; turn < 2; turn++) {
    const progress = await open({ seed: '7', share: 0.1 });
    await playPlan({ rows, engines: ['embedded'], progress, start, print });
  }
  expect(runs).toEqual([6, 4, 6, 4]);
  expect(found.join('\n')).toContain('1 VIOLATIONS');
  expect(found.join('\n')).toContain('a place is sold twice');
  expect((await open()).rounds.map(({ violations }) => violations.length)).toEqual([0, 0, 1, 1]);
});

test('a suite that was interrupted goes on with the run that did not end', async () => {
  const runs: number[] = [];
  const progress = await open({ seed: '7', share: 0.1 });
  await progress.add({ ...played, units: 6 });
  await playPlan({ rows: [suite(1, runs)], engines: ['embedded'], progress, start, print: () => {} });
  expect(runs).toEqual([4]);
  expect((await open()).rounds.map(({ round }) => round)).toEqual([0, 1]);
});

test('the table has every row on each of its engines, played or not, and the reason of those that cannot be', () => {
  const rows: PlanRow[] = [suite(1, []), { ...suite(2, []), times: { scaled: 30 }, lacks: () => 'no broker' }];
  const table = planTable(rows, { seed: '7', share: 1 }, [{ ...played, units: 40 }], (row, name) => row.lacks?.(name));
  expect(table).toContain('Seed 7, 100 % of every row, revision abc, 1 minutes');
  expect(table).toContain('| 1 | fault 1 | embedded | 40 of 100 histories | 13 | 500 | 0 |');
  expect(table).toContain('| 2 | fault 2 | scaled | 0 of 30 histories | no broker |');
});

test('every row has its number, and its rounds together have the units of its share', () => {
  expect(planRows.map(({ number }) => number)).toEqual(planRows.map((_, index) => index + 1));
  for (const row of planRows) {
    for (const engines of ['embedded', 'scaled'] as const) {
      if (row.play.kind !== 'rounds' || row.times[engines] === undefined) continue;
      for (const share of [1, 0.1, 0.001]) {
        const wanted = unitsOf(row, engines, share);
        const rounds = row.play.rounds(wanted, randomFrom('seed'), engines);
        const units = rounds.reduce((sum, one) => sum + one.units, 0);
        if (row.lacksPart?.(engines) === undefined) expect([row.number, units]).toEqual([row.number, wanted]);
        else expect(units).toBeLessThan(wanted);
      }
    }
  }
});

test('the table says why a row was played in part', () => {
  const row: PlanRow = { ...suite(1, []), lacksPart: () => 'no server to kill' };
  const table = (units: number) => planTable([row], { seed: '7', share: 1 }, [{ ...played, units }], () => undefined);
  expect(table(40)).toContain('| 40 of 100 histories; no server to kill |');
  expect(table(100)).toContain('| 100 of 100 histories |');
});
