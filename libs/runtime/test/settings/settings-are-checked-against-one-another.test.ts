import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { certificateFiles, differentPorts, port, publicUrl, readSettings, SettingsFault } from '../../src/index.ts';

const https = port('GATEWAY_PORT', { default: 8443 });
const http = port('GATEWAY_HTTP_PORT', { default: 8080 });
const operations = port('OPERATIONS_PORT', { optional: true });
const spec = {
  https,
  http,
  operations,
  ports: differentPorts(https, http, operations),
  certificate: certificateFiles('TLS'),
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
