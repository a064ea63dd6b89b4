import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  cidrs,
  declareCertificateFiles,
  ensureDirectory,
  flag,
  host,
  integer,
  oneOf,
  port,
  publicUrl,
  readServerSettings,
  readSettings,
  requireDifferentPorts,
  SettingsFault,
  StartFault,
  secret,
  text,
  url,
} from '../src/index.ts';

const spec = {
  port: port('GATEWAY_PORT', { default: 8443 }),
  limit: integer('RATE_LIMIT_PER_MINUTE', { default: 60_000, min: 1 }),
  level: oneOf('LOG_LEVEL', ['debug', 'info'], { default: 'info' }),
  proxies: cidrs('TRUST_PROXY'),
  demo: flag('BOXOFFICE_DEMO', { default: true }),
  upstream: url('CATALOG_URL', { optional: true, origin: true }),
  name: text('NAME', { optional: true }),
};

const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readSettings(spec, env);
  } catch (error) {
    if (error instanceof SettingsFault) return error.faults;
    throw error;
  }
  return [];
};

describe('settings', () => {
  test('take their defaults when unset or empty', () => {
    expect(readSettings(spec, { GATEWAY_PORT: '' })).toEqual({
      port: 8443,
      limit: 60_000,
      level: 'info',
      proxies: [],
      demo: true,
      upstream: undefined,
      name: undefined,
    });
  });

  test('are all named if they are wrong, with the expected form', () => {
    const faults = faultsOf({
      GATEWAY_PORT: '8443x',
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'loud',
      TRUST_PROXY: '10.0.0.0/33',
      BOXOFFICE_DEMO: 'perhaps',
      CATALOG_URL: 'http://catalog/path',
    });
    expect(faults).toEqual([
      'GATEWAY_PORT: expected a port from 0 to 65535, got "8443x"',
      'RATE_LIMIT_PER_MINUTE: expected a whole number of at least 1, got "0"',
      'LOG_LEVEL: expected one of debug, info, got "loud"',
      'TRUST_PROXY: expected address ranges like 10.0.0.0/8, separated by commas, or 1 for loopback, got "10.0.0.0/33"',
      'BOXOFFICE_DEMO: expected on or off, got "perhaps"',
      'CATALOG_URL: expected an origin like http://host:port without a path, got "http://catalog/path"',
    ]);
  });

  test.each([
    ['1', ['127.0.0.0/8', '::1/128']],
    ['10.0.0.0/8, 192.168.1.7', ['10.0.0.0/8', '192.168.1.7/32']],
    ['fd00::/8', ['fd00::/8']],
  ])('TRUST_PROXY %s', (value, ranges) => {
    expect(readSettings({ proxies: cidrs('TRUST_PROXY') }, { TRUST_PROXY: value }).proxies).toEqual(ranges);
  });
});

describe('host is an address of this machine', () => {
  const spec = { host, limit: integer('RATE_LIMIT_PER_MINUTE', { default: 1 }) };

  test.each(['127.0.0.1', '0.0.0.0', 'localhost', ''])('%j is an address of this machine', async (HOST) => {
    expect((await readServerSettings(spec, { HOST })).host).toBe(HOST || '127.0.0.1');
  });

  test.each(['not_a_host', '192.0.2.1', 'host.invalid', '999.1.1.1'])(
    '%j is not one, which is reported with the other faults',
    async (HOST) => {
      await expect(readServerSettings(spec, { HOST, RATE_LIMIT_PER_MINUTE: 'many' })).rejects.toThrow(
        `2 settings are wrong\n  RATE_LIMIT_PER_MINUTE: expected a whole number, got "many"\n  HOST: ${HOST} is no address of this machine`,
      );
    },
  );
});

const file = join(mkdtempSync(join(tmpdir(), 'boxoffice-settings-')), 'secret');
writeFileSync(file, 'from the file\n');
const ofSecret = { secret: secret('SERVICE_SECRET') };

describe('a secret setting', () => {
  test('is read from the file that NAME_FILE names, without the line end', () => {
    expect(readSettings(ofSecret, { SERVICE_SECRET_FILE: file }).secret).toBe('from the file');
  });

  test('that is set twice is a fault', () => {
    expect(() => readSettings(ofSecret, { SERVICE_SECRET: 'a', SERVICE_SECRET_FILE: file })).toThrow(/is set twice/);
  });

  test('whose file is missing is a fault that names the file', () => {
    expect(() => readSettings(ofSecret, { SERVICE_SECRET_FILE: '/nowhere' })).toThrow(
      'SERVICE_SECRET: SERVICE_SECRET_FILE names /nowhere, which cannot be read: it does not exist',
    );
  });

  test('has one line', () => {
    const several = `${file}s`;
    writeFileSync(several, '127.0.0.1 localhost\n::1 localhost\n');
    const both = { ...ofSecret, key: secret('KEY_ENCRYPTION_KEY', { pattern: /^.{16,}$/s }) };
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

describe('settings are checked against one another', () => {
  const https = port('GATEWAY_PORT', { default: 8443 });
  const http = port('GATEWAY_HTTP_PORT', { default: 8080 });
  const operations = port('OPERATIONS_PORT', { optional: true });
  const spec = {
    https,
    http,
    operations,
    ports: requireDifferentPorts(https, http, operations),
    certificate: declareCertificateFiles('TLS'),
    publicUrl,
  };

  const nonsense = join(mkdtempSync(join(tmpdir(), 'boxoffice-settings-')), 'nonsense.pem');
  writeFileSync(nonsense, 'nonsense');

  test.each([
    [{}, []],
    [{ GATEWAY_PORT: '0', GATEWAY_HTTP_PORT: '0', OPERATIONS_PORT: '0' }, []],
    [
      { GATEWAY_PORT: '9000', GATEWAY_HTTP_PORT: '9000', OPERATIONS_PORT: '9000' },
      [
        'GATEWAY_HTTP_PORT: 9000 is the port of GATEWAY_PORT already; each listener needs its own',
        'OPERATIONS_PORT: 9000 is the port of GATEWAY_PORT already; each listener needs its own',
      ],
    ],
    // Two invalid ports are not reported as equal.
    [
      { GATEWAY_PORT: 'x', GATEWAY_HTTP_PORT: 'x', TLS_KEY_FILE: nonsense },
      [
        'GATEWAY_PORT: expected a port from 0 to 65535, got "x"',
        'GATEWAY_HTTP_PORT: expected a port from 0 to 65535, got "x"',
        'TLS_CERT_FILE: is not set, but TLS_KEY_FILE is; they belong together',
        `TLS_KEY_FILE: ${nonsense} holds no readable private key`,
      ],
    ],
    [
      { OPERATIONS_PORT: '8080', TLS_CERT_FILE: nonsense, TLS_KEY_FILE: nonsense },
      [
        'OPERATIONS_PORT: 8080 is the port of GATEWAY_HTTP_PORT already; each listener needs its own',
        `TLS_CERT_FILE: ${nonsense} holds no readable certificate`,
        `TLS_KEY_FILE: ${nonsense} holds no readable private key`,
      ],
    ],
    [
      { TLS_CERT_FILE: '/nowhere', TLS_KEY_FILE: nonsense },
      [
        'TLS_CERT_FILE: /nowhere cannot be read: it does not exist',
        `TLS_KEY_FILE: ${nonsense} holds no readable private key`,
      ],
    ],
    // The port is invalid; PUBLIC_URL, whose default depends on it, is not set.
    [{ GATEWAY_PORT: '443x' }, ['GATEWAY_PORT: expected a port from 0 to 65535, got "443x"']],
    [
      { GATEWAY_PORT: '443x', PUBLIC_URL: 'here' },
      [
        'GATEWAY_PORT: expected a port from 0 to 65535, got "443x"',
        'PUBLIC_URL: expected an address like http://host, got "here"',
      ],
    ],
  ])('%o', (env, faults) => {
    const found = (() => {
      try {
        readSettings(spec, env);
        return [];
      } catch (error) {
        if (error instanceof SettingsFault) return error.faults;
        throw error;
      }
    })();
    expect(found).toEqual(faults);
  });
});

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
