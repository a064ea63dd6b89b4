import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startProgram, temporaryDirectory } from '../program.ts';

const modes = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => [
      name,
      (statSync(join(directory, name)).mode & 0o777).toString(8),
    ]),
  );

test('all files of the data directory are readable by their owner only, whatever the mode of the directory', async () => {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o755);
  const program = await startProgram({ BOXOFFICE_DEMO: 'off' }, directory);
  await program.printed('boxoffice is ready');
  const found = modes(directory);
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(Object.keys(found)).toEqual(
    expect.arrayContaining(['authorizer.sqlite', 'authorizer.sqlite-wal', 'service-root-secret', 'key-encryption-key']),
  );
  const wrong = Object.entries(found).filter(([, mode]) => mode !== '600' && mode !== '700');
  expect(wrong).toEqual([]);
});
