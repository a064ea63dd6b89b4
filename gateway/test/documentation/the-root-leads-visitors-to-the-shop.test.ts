import { expect, test } from '@jest/globals';
import { startInstallation, useFixture } from '../fixtures/installation.ts';

const its = useFixture(() => startInstallation({}, { ready: false }));

test('who enters the address of the house in a browser comes to its shop; for programs it is 404', async () => {
  const led = await its.call('/', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  expect([led.status, led.headers.location, led.headers.vary]).toEqual([302, '/shop/', 'Accept']);
  expect((await its.call('/', { headers: { accept: 'application/json' } })).status).toBe(404);
});
