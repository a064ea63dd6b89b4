// rule 7: 503 `service_unavailable`: maintenance or circuit breaker | libs/runtime/src/connections/breaker.ts

import { expect, test } from '@jest/globals';
import { contacts } from '../fixtures/describe.ts';
import { until } from '../fixtures/http.ts';
import { startInstallation } from '../fixtures/installation.ts';
import { startUpstream } from '../fixtures/upstream.ts';

test('an unavailable service is 503 with Retry-After at once, and 200 again after its recovery', async () => {
  const its = await startInstallation();
  const path = '/svc/v3/contacts/individuals';
  const call = its.as(its.authorizer.token(['contacts:read']));
  expect((await call(path)).status).toBe(200);
  const { port } = its.contacts;
  await its.contacts.close();
  for (let index = 0; index < 12; index += 1) {
    const reply = await call(path);
    expect([reply.status, reply.body.status]).toEqual([503, 'service_unavailable']);
    expect(reply.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  }
  expect(
    its.log.some(
      ({ message, upstream }) =>
        message === 'circuit breaker open: an address of a service fails' && upstream === 'contacts',
    ),
  ).toBe(true);
  // Other routes still work, and so do the gateway's own operations.
  expect((await its.call('/tnwr/v1/products')).status).toBe(200);
  expect((await its.plain('/health/ready')).status).toBe(200);
  const again = await startUpstream(contacts, undefined, port);
  await until(async () => (await call(path)).status === 200);
  await again.close();
  await its.close();
});
