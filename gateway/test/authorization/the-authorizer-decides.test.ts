// rule 4: The token's client and scopes decide what data is visible | gateway/src/authorization/authorize.ts

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { json } from '../fixtures/upstream.ts';

const LIST = '/svc/v3/contacts/individuals';
const ONE = `${LIST}/C1`;

let its: Installation;
beforeAll(async () => {
  its = await startInstallation();
});
afterAll(() => its.close());

const questionsOf = (token: string) => its.authorizer.decisionRequests.filter((question) => question.token === token);

describe('a decision', () => {
  test('is requested with token, operation, scope and service', async () => {
    const token = its.authorizer.token(['contacts.sensitive:read']);
    expect((await its.as(token)(`${ONE}/sensitive`)).status).toBe(200);
    expect(questionsOf(token)).toEqual([
      { token, operation: 'getSensitive', scope: 'contacts.sensitive:read', audience: 'contacts' },
    ]);
  });

  test('against the client is relayed with the authorizer’s details', async () => {
    const token = its.authorizer.token(['contacts:write']);
    const reply = await its.as(token)(LIST);
    expect(reply.status).toBe(403);
    expect(reply.body).toEqual({ status: 'forbidden', details: 'forbidden by the fake authorizer', data: null });
    expect(reply.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="contacts:read"');
    expect(its.contacts.received.filter(({ url }) => url === 'none')).toEqual([]);
  });

  test('is cached for seconds, by token and operation', async () => {
    const token = its.authorizer.token(['contacts:read']);
    const call = its.as(token);
    for (const path of [LIST, LIST, ONE, `${LIST}/C2`, LIST]) expect((await call(path)).status).toBe(200);
    expect(questionsOf(token).map(({ operation }) => operation)).toEqual(['listIndividuals', 'getIndividual']);
    expect((await call(LIST, { method: 'POST', body: '{}' })).status).toBe(403);
    const other = its.authorizer.token(['contacts:read']);
    expect((await its.as(other)(LIST)).status).toBe(200);
    expect(questionsOf(other)).toHaveLength(1);
  });

  test('is not cached when it is a refusal', async () => {
    const token = its.authorizer.token([]);
    for (const _ of [1, 2, 3]) expect((await its.as(token)(LIST)).status).toBe(403);
    expect(questionsOf(token)).toHaveLength(3);
  });

  test('is requested once for equal concurrent requests', async () => {
    const token = its.authorizer.token(['contacts:read']);
    const replies = await Promise.all(Array.from({ length: 20 }, () => its.as(token)(LIST)));
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(questionsOf(token)).toHaveLength(1);
  });

  test('is requested again after its cache time', async () => {
    const token = its.authorizer.token(['contacts:read']);
    await its.as(token)(LIST);
    its.authorizer.client(token).scopes = [];
    await until(async () => (await its.as(token)(LIST)).status === 403, 10 * 5_000);
  });
});

describe('an authorizer that does not decide', () => {
  test.each([
    ['fails', 500],
    ['is starting', 503],
    ['sends another answer', 418],
    ['does not know the gateway', 400],
    ['refuses the gateway’s secret', 401],
  ])('that %s makes the request 503', async (_, status) => {
    its.authorizer.decide = (response) => json(response, status, { status: 'x', details: 'x', data: null });
    const token = its.authorizer.token(['contacts:read']);
    const reply = await its.as(token)(LIST);
    its.authorizer.decide = undefined;
    expect([reply.status, reply.body.status]).toEqual([503, 'service_unavailable']);
    expect(reply.headers['retry-after']).toBeDefined();
  });

  test('that closes the connection is called once more', async () => {
    its.authorizer.decide = (response) => {
      its.authorizer.decide = undefined;
      response.destroy();
    };
    const token = its.authorizer.token(['contacts:read']);
    expect((await its.as(token)(LIST)).status).toBe(200);
    expect(questionsOf(token)).toHaveLength(2);
  });
});
