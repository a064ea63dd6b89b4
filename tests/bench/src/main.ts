// Benchmarks of the product, each against a baseline measured in the same run.

import { parseArgs } from 'node:util';
import { events } from './events.ts';
import { gateway } from './gateway.ts';
import { type Benchmark, formatTable } from './measure/report.ts';
import { payments } from './payments.ts';
import { peers } from './peers.ts';
import { purchase } from './purchase.ts';
import { revisions } from './revisions.ts';
import { start } from './start.ts';

// npm run bench -- NAME… [--json] [--option value]; without a name: lists the benchmarks
const benchmarks: Readonly<Record<string, Benchmark>> = {
  gateway,
  start,
  purchase,
  payments,
  peers,
  events,
  revisions,
};

const text = { type: 'string' } as const;
const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    seconds: text,
    rounds: text,
    against: text,
    pairs: text,
    only: text,
    amqp: text,
    mongodb: text,
    venv: text,
  },
});
const { json, ...options } = values;
const unknown = names.filter((name) => !(name in benchmarks));
if (names.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`no such benchmark: ${unknown.join(', ')}\n`);
  process.stdout.write('npm run bench -- NAME… [--json]\n\n');
  for (const [name, { about }] of Object.entries(benchmarks)) process.stdout.write(`  ${name.padEnd(10)} ${about}\n`);
  process.exitCode = unknown.length > 0 ? 2 : 0;
}
const reports = [];
for (const name of unknown.length > 0 ? [] : names) {
  const { run, about, strict, findMissing } = benchmarks[name] as Benchmark;
  const missing = findMissing?.(options);
  if (missing) {
    process.stderr.write(`${name}: ${missing}\n`);
    process.exitCode = 2;
    continue;
  }
  const result = await run((line) => process.stderr.write(`${name}: ${line}\n`), options);
  reports.push({ name, about, ...result });
  if (strict && result.targets.some(({ met }) => !met)) process.exitCode = 1;
  if (!json) process.stdout.write(`${formatTable(name, about, result)}\n`);
}
if (json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
process.exit();
