// Benchmarks of the product, each against a baseline measured in the same run.

import { parseArgs } from 'node:util';
import { events } from './events.ts';
import { idle } from './idle.ts';
import { type Benchmark, formatTable } from './measure/report.ts';
import { payments } from './payments.ts';
import { peers } from './peers.ts';
import { prices } from './prices.ts';
import { purchase } from './purchase.ts';
import { revisions } from './revisions.ts';
import { start } from './start.ts';

// npm run bench -- NAME… [--json] [--option value]; without a name, or with --help: lists the benchmarks
const benchmarks: Readonly<Record<string, Benchmark>> = {
  start,
  idle,
  purchase,
  payments,
  prices,
  peers,
  events,
  revisions,
};

const flag = { type: 'boolean' } as const;
const text = { type: 'string' } as const;
const own = { seconds: text, rounds: text, pairs: text, only: text, against: text };
const options = { json: flag, help: flag, ...own, amqp: text, mongodb: text, venv: text };

/** Lists the benchmarks, and ends with status 2 for a problem. */
const end = (problem?: string): never => {
  if (problem) process.stderr.write(`${problem}\n`);
  process.stdout.write('npm run bench -- NAME… [--json]\n\n');
  for (const [name, { about }] of Object.entries(benchmarks)) process.stdout.write(`  ${name.padEnd(10)} ${about}\n`);
  return process.exit(problem ? 2 : 0);
};

const read = () => {
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    return end((error as Error).message);
  }
};

const { values, positionals: names } = read();
const { json, help, ...more } = values;
if (help || names.length === 0) end();
const unknown = names.filter((name) => !(name in benchmarks));
if (unknown.length > 0) end(`no such benchmark: ${unknown.join(', ')}`);
const reports = [];
for (const name of names) {
  const { run, about, strict, findMissing } = benchmarks[name] as Benchmark;
  const missing = findMissing?.(more);
  if (missing) {
    process.stderr.write(`${name}: ${missing}\n`);
    process.exitCode = 2;
    continue;
  }
  const result = await run((line) => process.stderr.write(`${name}: ${line}\n`), more);
  reports.push({ name, about, ...result });
  if (strict && result.targets.some(({ met }) => !met)) process.exitCode = 1;
  if (!json) process.stdout.write(`${formatTable(name, about, result)}\n`);
}
if (json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
process.exit();
