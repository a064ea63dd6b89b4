import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ensureDirectory, readStoredSecret, storeSecret } from '../../src/index.ts';

describe('a stored secret', () => {
  test('is 256 random bits, created once, readable by its owner only', () => {
    const directory = mkdtempSync(join(tmpdir(), 'boxoffice-secret-'));
    expect(readStoredSecret(directory, 'service-secret')).toBeUndefined();
    const secret = storeSecret(directory, 'service-secret');
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(storeSecret(directory, 'service-secret')).toBe(secret);
    expect(statSync(join(directory, 'service-secret')).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['service-secret']);
  });

  test('that cannot be written is an error with the path and the reason', () => {
    const directory = join(mkdtempSync(join(tmpdir(), 'boxoffice-secret-')), 'gone');
    expect(() => storeSecret(directory, 'service-secret')).toThrow(
      `${directory}/service-secret cannot be written: it does not exist`,
    );
  });
});

describe('a data directory that cannot be created', () => {
  test('is named with its setting', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'boxoffice-secret-')), 'file');
    writeFileSync(file, '');
    expect(() => ensureDirectory(join(file, 'data'), 'BOXOFFICE_DATA_DIR')).toThrow(
      `BOXOFFICE_DATA_DIR: the data directory ${file}/data is not writable: a part of the path is no directory`,
    );
  });
});
