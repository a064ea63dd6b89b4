import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ensureDirectory, StartFault } from '../../src/index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'directory-'));
afterAll(() => rmSync(scratch, { recursive: true }));

describe('ensureDirectory', () => {
  test('creates the directory and its parents, private to the owner, and accepts an existing one', () => {
    const path = join(scratch, 'a', 'b', 'c');
    expect(ensureDirectory(path, 'X')).toBe(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(ensureDirectory(path, 'X')).toBe(path);
  });

  test.each(['/proc/x', '/proc/x/y/z'])('refuses %s in one line', (path) => {
    const refusal = () => ensureDirectory(path, 'BOXOFFICE_DATA_DIR');
    expect(refusal).toThrow(StartFault);
    expect(refusal).toThrow(/^BOXOFFICE_DATA_DIR: the data directory \/proc\/x\S* is not writable: [^\n]+$/);
  });

  test('refuses a path with a file in the way, and a dangling link', () => {
    const file = join(scratch, 'file');
    writeFileSync(file, '');
    expect(() => ensureDirectory(file, 'X')).toThrow('X: the data directory');
    expect(() => ensureDirectory(join(file, 'a'), 'X')).toThrow('a part of the path is no directory');
    const link = join(scratch, 'link');
    symlinkSync(join(scratch, 'nowhere'), link);
    expect(() => ensureDirectory(link, 'X')).toThrow('a file of that name is in the way');
  });
});
