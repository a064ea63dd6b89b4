import { createHealth, listen } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { probe } from '../../src/status/probe.ts';
import { operatorOf, temporaryDirectory } from '../program.ts';

const describing = (version: string) => (_request: unknown, response: { end(text: string): unknown }) =>
  void response.end(JSON.stringify({ openapi: '3.1.0', info: { version } }));

test('each tells its version and its readiness, or why it cannot be reached', async () => {
  const health = createHealth(() => ['store', 'broker']);
  const one = await listen(describing('1.2.3'), { host: '127.0.0.1', port: 0, health });
  const other = await listen(describing('1.3.0'), { host: '127.0.0.1', port: 0, health: createHealth() });
  try {
    const url = `http://127.0.0.1:${one.port}`;
    expect(await probe({ service: 'orders', url })).toEqual([
      { service: 'orders', at: `127.0.0.1:${one.port}`, version: '1.2.3', state: 'starting: store, broker' },
    ]);
    health.ready();
    expect(await probe({ service: 'orders', url })).toMatchObject([{ state: 'ready' }]);
    expect(await probe({ service: 'orders', url: `http://localhost:${one.port}` })).toMatchObject([
      { version: '1.2.3' },
    ]);
    expect(await probe({ service: 'orders', url: other.url })).toMatchObject([{ version: '1.3.0' }]);
    const apart = { service: 'gateway', url, versionUrl: other.url };
    expect(await probe(apart)).toMatchObject([{ version: '1.3.0', state: 'ready' }]);
  } finally {
    await one.close();
    await other.close();
  }
  expect(await probe({ service: 'orders', url: 'http://127.0.0.1:1' })).toEqual([
    { service: 'orders', at: '127.0.0.1:1', version: null, state: 'unreachable: ECONNREFUSED' },
  ]);
  expect(await probe({ service: 'orders', url: 'http://orders.invalid' })).toMatchObject([
    { at: 'orders.invalid', state: expect.stringMatching(/^unreachable: E/) },
  ]);
});

test('by the settings that the services have, with what cannot be reached told as such', async () => {
  const catalog = await listen(describing('2.0.0'), { host: '127.0.0.1', port: 0, health: createHealth() });
  try {
    const operator = operatorOf(temporaryDirectory(), {
      CATALOG_URL: catalog.url,
      ORDERS_URL: 'http://127.0.0.1:1',
      MONGODB_URL: 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100',
    });
    const { status, out } = await operator('status');
    expect(status).toBe(1);
    expect(out).toMatch(/catalog\s+127\.0\.0\.1:\d+\s+2\.0\.0\s+starting/);
    expect(out).toMatch(/queues: unreachable: MONGODB_URL: .*\n/);
    expect(out).toMatch(/orders: unreachable: MONGODB_URL: .*\n/);
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/^WRONG: .*orders at 127\.0\.0\.1:1 is unreachable/);
  } finally {
    await catalog.close();
  }
}, 60_000);
