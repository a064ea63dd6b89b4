import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startProgram } from '../program.ts';

test('a missing database of an existing installation is logged in one line and created again', async () => {
  const first = await startProgram({ BOXOFFICE_DEMO: 'off' });
  await first.printed('boxoffice is ready');
  first.kill('SIGTERM');
  await first.ended;
  expect(first.output()).not.toContain('.sqlite');

  for (const end of ['', '-wal', '-shm']) rmSync(join(first.directory, `contacts.sqlite${end}`), { force: true });
  const second = await startProgram({ BOXOFFICE_DEMO: 'off' }, first.directory);
  await second.printed('boxoffice is ready');
  second.kill('SIGTERM');
  expect(await second.ended).toBe(0);
  const logged = second
    .output()
    .split('\n')
    .filter((line) => line.includes('.sqlite'));
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'warn',
      message: 'a database file is missing and is created empty; if it was lost, stop and restore a backup',
      part: join(first.directory, 'contacts.sqlite'),
    },
  ]);
});
