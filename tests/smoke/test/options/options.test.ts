import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readOptions } from '../../src/options.ts';

test('without arguments both scenarios run on the public base images', () => {
  const defaults = { scenarios: ['demo', 'sale'], revision: 'HEAD', buildArgs: [], composeFiles: [], seconds: 10 };
  expect(readOptions([])).toMatchObject(defaults);
});

test('base images and files of the composition of one’s own are passed on', () => {
  const args = ['--build-arg', 'BASE=own/run:1', '--build-arg', 'BUILD_BASE=own/build:1', '--compose-file', 'own.yml'];
  expect(readOptions([...args, '--scenario', 'sale'])).toMatchObject({
    buildArgs: ['BASE=own/run:1', 'BUILD_BASE=own/build:1'],
    composeFiles: [resolve('own.yml')],
    scenarios: ['sale'],
  });
});

test.each([
  [['--scenario', 'play'], '--scenario must be demo or sale, not play'],
  [['--build-arg', 'BASE'], '--build-arg must be NAME=VALUE, not BASE'],
  [['--buyers', 'many'], '--buyers must be a number above 0, not many'],
  [['--local'], "Unknown option '--local'"],
])('%j is refused', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});

test('npm run images prints its usage when asked for it, and with a wrong argument, without a stack trace', () => {
  const program = fileURLToPath(new URL('../../src/images-main.ts', import.meta.url));
  const images = (argument: string) =>
    spawnSync(process.execPath, ['--conditions=source', program, argument], { encoding: 'utf8' });
  const help = images('--help');
  expect([help.status, help.stderr]).toEqual([0, '']);
  expect(help.stdout).toMatch(/^npm run images -- /);
  const wrong = images('--unknown');
  expect(wrong.status).toBe(1);
  expect(wrong.stderr).toContain('npm run images -- ');
  expect(wrong.stderr).not.toMatch(/^ {4}at /m);
});
