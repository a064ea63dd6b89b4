import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openClient } from '@boxoffice/testkit';
import { afterAll, expect, test } from '@jest/globals';
import { type Program, startProgram, temporaryDirectory } from './program.ts';

// One installation through two starts, in this order.

const directory = temporaryDirectory();
let program: Program | undefined;
afterAll(() => program?.kill('SIGKILL'));

const start = async (settings: Readonly<Record<string, string>> = {}): Promise<Program> => {
  program = await startProgram({ BOXOFFICE_DEMO: 'off', ...settings }, directory);
  await program.printed('boxoffice is ready');
  await program.printed('No demo data');
  return program;
};

/** The audit lines in the terminal after three failed requests of a token, and the end of the program. */
const auditLinesOf = async ({ output, kill, ended }: Program): Promise<number> => {
  const [, baseUrl = ''] = /documentation +(\S+)\/docs/.exec(output()) ?? [];
  const client = openClient({ baseUrl, ca: readFileSync(join(directory, 'development-certificate.pem'), 'utf8') });
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'wrong' });
  for (let count = 0; count < 3; count += 1)
    expect((await client('/auth/token', { method: 'POST', body: form })).status).toBe(401);
  kill('SIGTERM');
  expect(await ended).toBe(0);
  return output().split('audit.authentication_failed').length - 1;
};

test('all files of the data directory are readable by their owner only, whatever the mode of the directory', async () => {
  chmodSync(directory, 0o755);
  await start();
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  expect(names).toEqual(
    expect.arrayContaining(['authorizer.sqlite', 'authorizer.sqlite-wal', 'service-root-secret', 'key-encryption-key']),
  );
  const modes = names.flatMap((name) => {
    // A file that is being replaced may be gone by now.
    const found = statSync(join(directory, name), { throwIfNoEntry: false });
    return found ? [[name, (found.mode & 0o777).toString(8)]] : [];
  });
  expect(modes.filter(([, mode]) => mode !== '600' && mode !== '700')).toEqual([]);
});

test('another npm start on its data directory is refused in one line', async () => {
  const other = await startProgram({}, directory);
  expect(await other.ended).toBe(1);
  expect(other.output()).toBe(
    `boxoffice cannot start: BOXOFFICE_DATA_DIR: ${directory} is in use by another npm start\n`,
  );
});

test('audit lines are not among the warnings, and none names a database', async () => {
  const running = program as Program;
  expect(await auditLinesOf(running)).toBe(0);
  expect(running.output()).not.toContain('.sqlite');
});

test('a missing database is logged in one line and created again; audit lines are shown with the requests', async () => {
  for (const end of ['', '-wal', '-shm']) rmSync(join(directory, `contacts.sqlite${end}`), { force: true });
  const running = await start({ LOG_LEVEL: 'info' });
  expect(await auditLinesOf(running)).toBe(3);
  const logged = running
    .output()
    .split('\n')
    .filter((line) => line.includes('.sqlite'));
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'warn',
      message: 'a database file is missing and is created empty; if it was lost, stop and restore a backup',
      part: join(directory, 'contacts.sqlite'),
    },
  ]);
});
