// Benchmarks of the product, each against a baseline measured in the same run.

import { cancellation } from './cancellation.ts';
import { events } from './events/events.ts';
import { gateway } from './gateway.ts';
import { idle } from './idle.ts';
import { lists } from './lists.ts';
import { type Benchmark, table } from './measure/report.ts';
import { purchase } from './purchase.ts';
import { revisions } from './revisions/revisions.ts';
import { shop } from './shop/shop.ts';
import { signInBenchmark } from './sign-in.ts';
import { start } from './start.ts';
import { store } from './store.ts';
import { tokens } from './tokens.ts';

// npm run bench -- NAME… [--json] [--option value]; without a name: lists the benchmarks
const benchmarks: Readonly<Record<string, Benchmark>> = {
  gateway,
  tokens,
  'sign-in': signInBenchmark,
  lists,
  store,
  start,
  purchase,
  shop,
  cancellation,
  events,
  idle,
  revisions,
};

const names: string[] = [];
const options: Record<string, string> = {};
const words = process.argv.slice(2);
for (let index = 0; index < words.length; index += 1) {
  const word = words[index] ?? '';
  if (word === '--json' || word === '--help') options[word.slice(2)] = 'true';
  else if (word.startsWith('--')) options[word.slice(2)] = words[++index] ?? '';
  else names.push(word);
}

const unknown = names.filter((name) => !(name in benchmarks));
if (names.length === 0 || unknown.length > 0 || options.help) {
  if (unknown.length > 0) process.stderr.write(`no such benchmark: ${unknown.join(', ')}\n`);
  process.stdout.write('npm run bench -- NAME… [--json]\n\n');
  for (const [name, { about }] of Object.entries(benchmarks)) process.stdout.write(`  ${name.padEnd(13)} ${about}\n`);
  process.exitCode = unknown.length > 0 ? 2 : 0;
} else {
  const reports = [];
  for (const name of names) {
    const report = await benchmarks[name]?.run((line) => process.stderr.write(`${name}: ${line}\n`), options);
    if (!report) continue;
    reports.push(report);
    if (benchmarks[name]?.strict && report.targets.some(({ met }) => !met)) process.exitCode = 1;
    if (!options.json) process.stdout.write(`${table(report)}\n`);
  }
  if (options.json) process.stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
}
process.exit();
