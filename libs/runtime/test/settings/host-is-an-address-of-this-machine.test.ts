import { expect, test } from '@jest/globals';
import { host, integer, readServerSettings } from '../../src/index.ts';

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
