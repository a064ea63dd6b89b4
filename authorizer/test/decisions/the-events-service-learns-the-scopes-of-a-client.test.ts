import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, type Installation, startInstallation } from '../installation.ts';

describe.each(engines)('on $name', (engine) => {
  let its: Installation;
  beforeAll(async () => {
    its = await startInstallation({ engine });
  });
  afterAll(() => its.close());

  const ask = async (body: object, service = 'events') => its.internal('/internal/client-scopes', body, service);

  test('the scopes of a client as they are now, of its own institution only', async () => {
    const { clientId } = await its.newClient(['events:read', 'orders:read']);
    const asked = await ask({ institution: 'opera', clientId });
    expect([asked.status, asked.body.data]).toEqual([200, { scopes: ['events:read', 'orders:read'] }]);
    expect((await ask({ institution: 'museum', clientId })).body.data).toEqual({ scopes: [] });
    expect((await ask({ institution: 'opera', clientId: 'cli_none' })).body.data).toEqual({ scopes: [] });
  });

  test('no other process is told', async () => {
    const { clientId } = await its.newClient(['orders:read']);
    expect((await ask({ institution: 'opera', clientId }, 'orders')).status).toBe(403);
  });
});
