import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { firstCommands } from '../../src/screen.ts';

test('the printed command for the credentials works with any name of the directory', () => {
  const file = join(mkdtempSync(join(tmpdir(), "it's a $(box) ")), 'demo.json');
  writeFileSync(file, JSON.stringify({ clients: [{ clientId: 'cli_1', clientSecret: 's3cret' }] }));
  const [pick] = firstCommands('https://localhost:8443', file, '/tmp/ca.pem');
  expect(execFileSync('bash', ['-c', `${pick}\nprintf %s "$CLIENT"`], { encoding: 'utf8' })).toBe('cli_1:s3cret');
});
