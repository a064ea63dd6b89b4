import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const START = new URL('../src/start.ts', import.meta.url).href;

/** Packages that an installation on embedded engines needs late or never. */
const LATER = [
  'mongodb',
  'amqplib',
  'prom-client',
  'selfsigned',
  '@opentelemetry/sdk-trace-base',
  'typebox/build/value',
];

/** Prints the files that an import loads. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });
  await import(${JSON.stringify(START)});
`;

test('importing the program loads no package that a default start does not use', async () => {
  const options = ['--conditions=source', '--no-warnings', '--input-type=module', '-e', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, options, { maxBuffer: 10_000_000 });
  const files = stdout.split('\n');
  expect(LATER.filter((name) => files.some((file) => file.includes(`/node_modules/${name}/`)))).toEqual([]);
  expect(files.some((file) => file.includes('/node_modules/express/'))).toBe(true);
});
