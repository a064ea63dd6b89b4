import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readSettings, secret, url } from '../../src/index.ts';

const file = join(mkdtempSync(join(tmpdir(), 'boxoffice-settings-')), 'secret');
writeFileSync(file, 'from the file\n');
const spec = { secret: secret('SERVICE_SECRET') };

describe('a secret setting', () => {
  test('is read from the file that NAME_FILE names, without the line end', () => {
    expect(readSettings(spec, { SERVICE_SECRET_FILE: file }).secret).toBe('from the file');
  });

  test('that is set twice is a fault', () => {
    expect(() => readSettings(spec, { SERVICE_SECRET: 'a', SERVICE_SECRET_FILE: file })).toThrow(/is set twice/);
  });

  test('whose file is missing is a fault that names the file', () => {
    expect(() => readSettings(spec, { SERVICE_SECRET_FILE: '/nowhere' })).toThrow(
      'SERVICE_SECRET: SERVICE_SECRET_FILE names /nowhere, which cannot be read: it does not exist',
    );
  });

  test('has one line', () => {
    const several = `${file}s`;
    writeFileSync(several, '127.0.0.1 localhost\n::1 localhost\n');
    const both = { ...spec, key: secret('KEY_ENCRYPTION_KEY', { pattern: /^.{16,}$/s }) };
    expect(() => readSettings(both, { SERVICE_SECRET_FILE: several, KEY_ENCRYPTION_KEY_FILE: several })).toThrow(
      [
        '2 settings are wrong',
        `  SERVICE_SECRET: SERVICE_SECRET_FILE names ${several}, which holds several lines; a secret is one`,
        `  KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY_FILE names ${several}, which holds several lines; a secret is one`,
      ].join('\n'),
    );
  });

  test('is never shown in a message', () => {
    const database = { url: url('MONGODB_URL', { schemes: ['mongodb'], secret: true }) };
    expect(() => readSettings(database, { MONGODB_URL: 'postgres://me:hunter2@host' })).toThrow(
      'MONGODB_URL: expected an address like mongodb://host, got another value (not shown)',
    );
  });
});
