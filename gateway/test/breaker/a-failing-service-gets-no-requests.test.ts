// rule 7: 503 `service_unavailable`: maintenance or circuit breaker | gateway/src/upstream/breaker.ts

import { describe, expect, test } from '@jest/globals';
import { createBreaker } from '../../src/upstream/breaker.ts';
import { contacts } from '../fixtures/describe.ts';
import { until } from '../fixtures/http.ts';
import { startInstallation } from '../fixtures/installation.ts';
import { startUpstream } from '../fixtures/upstream.ts';

describe('the breaker', () => {
  test('opens after consecutive failures, admits one probe, and closes at its success', () => {
    const breaker = createBreaker({ failures: 2, openMs: 100 });
    breaker.enter(0);
    breaker.failed(0);
    breaker.enter(0);
    breaker.succeeded();
    breaker.enter(0);
    breaker.failed(0);
    expect(breaker.enter(0)).toBe(true);
    breaker.failed(0);
    expect([breaker.state, breaker.enter(99), breaker.retryAfterSeconds(99)]).toEqual(['open', false, 1]);
    expect([breaker.enter(100), breaker.state, breaker.enter(100)]).toEqual([true, 'half-open', false]);
    breaker.failed(100);
    expect([breaker.enter(199), breaker.enter(200)]).toEqual([false, true]);
    breaker.succeeded();
    expect([breaker.state, breaker.enter(200), breaker.enter(200)]).toEqual(['closed', true, true]);
  });

  test('a probe whose client disconnects has no outcome: the next request probes', () => {
    const breaker = createBreaker({ failures: 1, openMs: 100 });
    breaker.enter(0);
    breaker.failed(0);
    expect(breaker.enter(100)).toBe(true);
    breaker.abandoned();
    expect(breaker.enter(100)).toBe(true);
  });

  test('a slow probe blocks requests for no longer than an open breaker does', () => {
    const breaker = createBreaker({ failures: 1, openMs: 100 });
    breaker.enter(0);
    breaker.failed(0);
    expect([breaker.enter(100), breaker.enter(199), breaker.enter(200)]).toEqual([true, false, true]);
    breaker.succeeded();
    // The first probe's client stops sending, which is no outcome for the service.
    breaker.abandoned();
    expect([breaker.state, breaker.enter(201)]).toEqual(['closed', true]);
  });
});

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
