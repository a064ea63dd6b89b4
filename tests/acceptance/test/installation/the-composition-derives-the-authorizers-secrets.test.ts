import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deriveServiceSecret } from '@boxoffice/runtime';
import { builtInRows } from '@boxoffice/runtime/services';
import { expect, test } from '@jest/globals';

const PROGRAM = fileURLToPath(new URL('../../../../deploy/compose/make-secrets.mjs', import.meta.url));

const services = builtInRows.map(({ name }) => name).filter((name) => name !== 'authorizer');

test('each container gets the secret that the authorizer derives for it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'boxoffice-secrets-'));
  mkdirSync(join(folder, 'own'));
  execFileSync(process.execPath, [PROGRAM], { env: { SECRETS_DIR: folder } });
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const root = read('authorizer/service-root-secret');
  expect(services.map((name) => read(`${name}/service-secret`))).toEqual(
    services.map((name) => deriveServiceSecret(root, name)),
  );
  rmSync(folder, { recursive: true });
});
