import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  deriveServiceSecret,
  readSettings,
  serviceRootSecret,
  serviceSecretFromRoot,
  serviceSecretOf,
} from '../../src/index.ts';

const ROOT = 'a root secret of the tests';
const directory = () => mkdtempSync(join(tmpdir(), 'boxoffice-secrets-'));
const of = (process: string, env: Record<string, string>) =>
  readSettings({ secret: serviceSecretOf(process) }, { BOXOFFICE_DATA_DIR: directory(), ...env }).secret;

test('a derived secret is HKDF-SHA-256 of the root and the name, different for each process', () => {
  // Computed with openssl kdf (HKDF, SHA-256, no salt), info "boxoffice service pos", in base64url.
  expect(deriveServiceSecret(ROOT, 'pos')).toBe('-B_RE5A0q4Ar4MhUOeHoA5qx693EUHfPOtOy5K2ZIVI');
  const names = ['gateway', 'authorizer', 'catalog', 'contacts', 'orders', 'tickets', 'pos'];
  expect(new Set(names.map((name) => deriveServiceSecret(ROOT, name))).size).toBe(names.length);
});

describe('SERVICE_SECRET of a process', () => {
  test('is the set value, even if the root secret is set, too', () => {
    const env = { SERVICE_SECRET: 'the secret of this process', SERVICE_ROOT_SECRET: ROOT };
    expect(of('pos', env)).toBe('the secret of this process');
  });

  test('is derived from the root secret that is set, or stored in the data directory', () => {
    const stored = directory();
    writeFileSync(join(stored, 'service-root-secret'), `${ROOT}\n`);
    writeFileSync(join(stored, 'root'), `${ROOT}\n`);
    expect(of('pos', { BOXOFFICE_DATA_DIR: stored })).toBe(deriveServiceSecret(ROOT, 'pos'));
    expect(of('orders', { BOXOFFICE_DATA_DIR: stored })).toBe(deriveServiceSecret(ROOT, 'orders'));
    expect(of('pos', { SERVICE_ROOT_SECRET_FILE: join(stored, 'root') })).toBe(deriveServiceSecret(ROOT, 'pos'));
  });

  test('is required, and the message says where to get it', () => {
    expect(() => of('pos', {})).toThrow(/^SERVICE_SECRET: is not set, .*operator service-secrets prints that of pos$/);
  });

  test('is not derived from a root secret that is too short; the fault names the root secret', () => {
    expect(() => of('pos', { SERVICE_ROOT_SECRET: 'short' })).toThrow(/^SERVICE_ROOT_SECRET: expected at least 16/);
  });
});

test('the authorizer reports once that the root secret is missing', () => {
  const spec = { own: serviceSecretFromRoot('authorizer'), root: serviceRootSecret };
  expect(() => readSettings(spec, { BOXOFFICE_DATA_DIR: directory() })).toThrow(
    /^SERVICE_ROOT_SECRET: is not set, nor stored in [^\n]*$/,
  );
});
