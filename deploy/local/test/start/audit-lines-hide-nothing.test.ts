import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openClient } from '@boxoffice/testkit';
import { expect, test } from '@jest/globals';
import { startProgram } from '../program.ts';

test.each([
  ['not among the warnings', {}, 0],
  ['with the requests', { LOG_LEVEL: 'info' }, 3],
])('the terminal of npm start shows audit lines %s', async (_where, settings, shown) => {
  const program = await startProgram({ BOXOFFICE_DEMO: 'off', ...settings });
  await program.printed('boxoffice is ready');
  await program.printed('/docs');
  const [, baseUrl = ''] = /documentation +(\S+)\/docs/.exec(program.output()) ?? [];
  const ca = readFileSync(join(program.directory, 'development-certificate.pem'), 'utf8');
  const client = openClient({ baseUrl, ca });
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'wrong' });
  for (let count = 0; count < 3; count += 1)
    expect((await client('/auth/token', { method: 'POST', body: form })).status).toBe(401);
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(program.output().split('audit.authentication_failed').length - 1).toBe(shown);
});
