import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startProduct } from './product.ts';
import { createClub, operatorOf, temporaryDirectory } from './program.ts';

test('an installation without its key encryption key does not start, and the printed remedy works', async () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'key-encryption-key');
  const operator = operatorOf(directory);
  const refusal = async () => (await startProduct(directory)).ended;
  await createClub(operator);
  writeFileSync(file, 'the key of the operator tests\n');
  await operator('keys', 'rotate');
  const wayOut = `restore ${file} or the setting; if it is lost for good, put a new one there and run npm run operator -- keys rotate --compromised\n`;

  rmSync(file);
  expect(await refusal()).toEqual({
    status: 1,
    out: expect.not.stringContaining('is ready'),
    err: `boxoffice cannot start: KEY_ENCRYPTION_KEY: is neither set nor stored, but the authorizer's store holds signing keys that are encrypted under it: ${wayOut}`,
  });
  expect(existsSync(file)).toBe(false);

  writeFileSync(file, 'a new key of the operator tests\n');
  expect(await refusal()).toEqual({
    status: 1,
    out: expect.not.stringContaining('is ready'),
    err: `boxoffice cannot start: KEY_ENCRYPTION_KEY: is not the one that the stored signing keys are encrypted under: ${wayOut}`,
  });

  expect(await operator('keys', 'rotate', '--compromised')).toMatchObject({ status: 0, err: '' });
  expect(await (await startProduct(directory)).stop()).toMatchObject({ status: 0, err: '' });
});
