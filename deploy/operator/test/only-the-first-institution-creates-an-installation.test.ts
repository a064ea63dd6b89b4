import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { operatorOf, temporaryDirectory } from './program.ts';

test('a mistyped data directory is reported and not created', async () => {
  const mistyped = join(temporaryDirectory(), 'dta');
  const operator = operatorOf(mistyped, { KEY_ENCRYPTION_KEY: 'a key of the operator tests' });
  for (const words of [
    ['institutions', 'list'],
    ['keys', 'rotate'],
    ['dead-letters', 'list'],
    ['demo', 'status'],
  ]) {
    const refused = await operator(...words);
    expect(refused.status).toBe(1);
    expect(refused.err).toBe(
      `operator: there is no installation in ${mistyped} (BOXOFFICE_DATA_DIR); institutions create or npm start creates one\n`,
    );
  }
  expect(existsSync(mistyped)).toBe(false);
});

test('commands on stores need no broker; dead-letter commands do', async () => {
  const operator = operatorOf(temporaryDirectory(), {
    AMQP_URL: 'amqp://127.0.0.1:1',
    KEY_ENCRYPTION_KEY: 'a key of the operator tests',
  });
  const club = ['institutions', 'create', 'club', '--name', 'Club', '--currency', 'EUR', '--languages', 'en'];
  for (const words of [club, ['clients', 'create', 'club', '--name', 'x'], ['keys', 'rotate'], ['demo', 'status']]) {
    expect(await operator(...words)).toMatchObject({ status: 0, err: '' });
  }
  const letters = await operator('dead-letters', 'list');
  expect(letters.err).toMatch(/^operator: AMQP_URL: [^\n]*\n$/);
  expect(letters.status).toBe(1);
});
