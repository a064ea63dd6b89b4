import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { claimsOf } from '../fixtures/jws.ts';

let its: Installation;
beforeAll(async () => {
  its = await startInstallation();
});
afterAll(() => its.close());

describe('a matched request', () => {
  test('is forwarded with the caller’s signed identity, and its response is unchanged', async () => {
    const token = its.authorizer.token(['contacts:read']);
    const reply = await its.as(token)('/svc/v3/contacts/individuals/C1?x=1%20y', {
      headers: { 'x-request-id': 'abc' },
    });
    expect(reply.status).toBe(200);
    expect(reply.headers['x-request-id']).toBe('abc');
    expect(reply.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    const received = its.contacts.received.at(-1);
    expect(received?.url).toBe('/svc/v3/contacts/individuals/C1?x=1%20y');
    expect(received?.headers).toMatchObject({
      'x-request-id': 'abc',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      host: new URL(its.contacts.url).host,
    });
    expect(received?.headers.authorization).toBeUndefined();
    expect(claimsOf(received?.headers['x-internal-identity'])).toMatchObject({
      aud: 'contacts',
      operation: 'getIndividual',
      institution: 'opera',
    });
  });

  test('may be HEAD wherever GET is described, and bodies are forwarded', async () => {
    const token = its.authorizer.token(['contacts:read', 'contacts:write']);
    const head = await its.as(token)('/svc/v3/contacts/individuals', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(its.contacts.received.at(-1)?.method).toBe('HEAD');
    const post = await its.as(token)('/contacts/individuals', { method: 'POST', body: '{"lastName":"é"}' });
    expect(post.body.data?.body).toBe('{"lastName":"é"}');
  });

  test('of an operation without a token is forwarded with the client’s own credentials', async () => {
    const headers = { authorization: 'Basic YTpi' };
    const reply = await its.call('/auth/token', { method: 'POST', body: 'grant_type=x', headers });
    expect(reply.body.data).toMatchObject({ url: '/auth/token', authorization: 'Basic YTpi' });
  });
});
