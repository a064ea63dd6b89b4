import { describe, expect, test } from '@jest/globals';
import { cidrs, flag, integer, oneOf, port, readSettings, SettingsFault, text, url } from '../../src/index.ts';

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
