// rule 7: 503 `service_unavailable`: maintenance or circuit breaker | libs/runtime/src/connections/breaker.ts

import { afterEach, describe, expect, test } from '@jest/globals';
import { contacts } from '../fixtures/describe.ts';
import { waitUntil } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { type Answering, sendJson, startUpstream } from '../fixtures/upstream.ts';

const LIST = '/svc/v3/contacts/individuals';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** An instance of contacts with its description; the test controls everything else. */
const startInstance = async (address: string, port: number, answering: Answering) => {
  const instance = await startUpstream(contacts, answering, port, address);
  closing.push(instance.close);
  return instance;
};

const envelope = { status: 'success', details: null, data: {} };

/** An installation whose contacts name resolves to these addresses, in random order. */
const behindName = async (port: number, addresses: readonly string[], more = {}): Promise<Installation> => {
  const its = await startInstallation(
    { resolve: async () => addresses, ...more },
    { services: { contacts: `http://contacts.test:${port}` }, knowsContacts: true, ready: false },
  );
  closing.push(() => its.close());
  return its;
};

const opened = ({ log }: Installation, peer: string) =>
  log.filter(({ message, peer: its }) => String(message).includes('circuit breaker open') && its === peer).length;

describe('a failing instance does not affect the others', () => {
  test.each<[string, Answering]>([
    ['resets connections', (_request, response) => response.destroy()],
    ['does not answer', () => undefined],
  ])('when it %s', async (_, failing) => {
    let broken = true;
    const served = { one: 0, two: 0 };
    const { port } = await startInstance('127.0.0.1', 0, (_request, response) => {
      served.one += 1;
      sendJson(response, 200, envelope);
    });
    await startInstance('127.0.0.2', port, (request, response, raw) => {
      served.two += 1;
      if (broken) failing(request, response, raw);
      else sendJson(response, 200, envelope);
    });
    const its = await behindName(port, ['127.0.0.1', '127.0.0.2'], { timeouts: { answer: 4_000, total: 12_000 } });
    const call = its.as(its.authorizer.token(['contacts:read']));
    const at = async (length = 12) =>
      (await Promise.all(Array.from({ length }, () => call(LIST)))).map(({ status }) => status);
    while (opened(its, '127.0.0.2') === 0) expect(await at()).not.toContain(503);
    // From now on at most one request at a time probes it; the service as a whole is never refused.
    const tried = served.two;
    const statuses = [...(await at()), ...(await at()), ...(await at())];
    expect(statuses).not.toContain(503);
    expect(statuses.filter((status) => status !== 200).length).toBeLessThanOrEqual(served.two - tried);
    expect(opened(its, '127.0.0.1')).toBe(0);
    broken = false;
    const before = served.two;
    // More concurrent requests than pooled connections, so that new ones are opened; one address may have 200.
    let atOnce = 12;
    await waitUntil(async () => {
      atOnce = atOnce < 180 ? atOnce + 6 : 12;
      await at(atOnce);
      return served.two > before + 2;
    }, 200_000);
    expect(its.log.some(({ message, peer }) => String(message).includes('answers again') && peer === '127.0.0.2')).toBe(
      true,
    );
  });

  test('when an instance accepts no connection, no request fails, not even one that cannot be repeated', async () => {
    const { port } = await startInstance('127.0.0.1', 0, (_, response) => sendJson(response, 200, envelope));
    const its = await behindName(port, ['127.0.0.1', '127.0.0.3']);
    const call = its.as(its.authorizer.token(['contacts:read', 'contacts:write']));
    await waitUntil(async () => {
      const replies = await Promise.all(Array.from({ length: 24 }, () => call(LIST, { method: 'POST', body: '{}' })));
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      return opened(its, '127.0.0.3') > 0;
    });
    expect((await call(LIST)).status).toBe(200);
  });
});

test('an instance that is slow gets fewer requests than one that answers', async () => {
  let held = 0;
  const waiting: (() => void)[] = [];
  const { port } = await startInstance('127.0.0.1', 0, (_, response) => sendJson(response, 200, envelope));
  await startInstance('127.0.0.2', port, (_, response) => {
    held += 1;
    waiting.push(() => sendJson(response, 200, envelope));
  });
  const its = await behindName(port, ['127.0.0.1', '127.0.0.2']);
  const call = its.as(its.authorizer.token(['contacts:read', 'contacts:write']));
  let answered = 0;
  const all: Promise<{ status: number }>[] = [];
  for (let count = 1; count <= 12; count += 1) {
    const reply = call(LIST, { method: 'POST', body: '{}' });
    reply.then(() => {
      answered += 1;
    });
    all.push(reply);
    // One after the other: each is answered at once, or held by the slow instance.
    await waitUntil(async () => answered + held === count);
  }
  // The others see that it has not answered.
  expect(held).toBeLessThanOrEqual(1);
  for (const answer of waiting) answer();
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
});

test('only when every address fails the service is 503 at once, until one of them answers again', async () => {
  const { port, close } = await startInstance('127.0.0.1', 0, (_, response) => sendJson(response, 200, envelope));
  const addresses = ['127.0.0.1', '127.0.0.3'];
  const its = await behindName(port, addresses);
  const call = its.as(its.authorizer.token(['contacts:read']));
  expect((await call(LIST)).status).toBe(200);
  close();
  await waitUntil(async () => {
    const { status, body, headers } = await call(LIST);
    const refused = [503, 'service_unavailable', expect.stringMatching(/^[1-9]\d*$/)];
    if (status !== 502) expect([status, body.status, headers['retry-after']]).toEqual(refused);
    return addresses.every((address) => opened(its, address) > 0);
  });
  // A probe, the first request after some seconds, is 502.
  await waitUntil(async () => (await call(LIST)).status === 503);
  // Other routes still work.
  await waitUntil(async () => (await its.call('/tnwr/v1/products')).status === 200);
  await startInstance('127.0.0.3', port, (_, response) => sendJson(response, 200, envelope));
  await waitUntil(async () => (await call(LIST)).status === 200);
});
