import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  declareServiceSecret,
  declareServiceSecretFromRoot,
  deriveSealingKey,
  deriveServiceSecret,
  ensureDirectory,
  readSettings,
  readStoredSecret,
  seal,
  serviceRootSecret,
  storeSecret,
  unseal,
} from '../src/index.ts';

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

describe('each process has its own secret', () => {
  const ROOT = 'a root secret of the tests';
  const directory = () => mkdtempSync(join(tmpdir(), 'boxoffice-secrets-'));
  const of = (process: string, env: Record<string, string>) =>
    readSettings({ secret: declareServiceSecret(process) }, { BOXOFFICE_DATA_DIR: directory(), ...env }).secret;

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
      expect(() => of('pos', {})).toThrow(
        /^SERVICE_SECRET: is not set, .*operator service-secrets prints that of pos$/,
      );
    });

    test('is not derived from a root secret that is too short; the fault names the root secret', () => {
      expect(() => of('pos', { SERVICE_ROOT_SECRET: 'short' })).toThrow(/^SERVICE_ROOT_SECRET: expected at least 16/);
    });
  });

  test('the authorizer reports once that the root secret is missing', () => {
    const spec = { own: declareServiceSecretFromRoot('authorizer'), root: serviceRootSecret };
    expect(() => readSettings(spec, { BOXOFFICE_DATA_DIR: directory() })).toThrow(
      /^SERVICE_ROOT_SECRET: is not set, nor stored in [^\n]*$/,
    );
  });
});

describe('sealed keys open only for their purpose', () => {
  const plain = Buffer.from('a private key');
  const key = deriveSealingKey('a secret', 'one purpose');

  test('a sealed text opens with the key of the same secret and purpose, under its name', () => {
    const sealed = seal(key, 'name', plain);
    expect(sealed).not.toContain(plain.toString('base64url'));
    expect(unseal(deriveSealingKey('a secret', 'one purpose'), 'name', sealed)).toEqual(plain);
  });

  test('a sealed text does not open with another secret, purpose or name, or when it was changed', () => {
    const sealed = seal(key, 'name', plain);
    expect(unseal(deriveSealingKey('another', 'one purpose'), 'name', sealed)).toBeUndefined();
    expect(unseal(deriveSealingKey('a secret', 'another'), 'name', sealed)).toBeUndefined();
    expect(unseal(key, 'another', sealed)).toBeUndefined();
    for (const changed of ['', sealed.slice(0, -4), `${sealed.slice(0, 20)}AAAA${sealed.slice(24)}`])
      expect(unseal(key, 'name', changed)).toBeUndefined();
  });
});
