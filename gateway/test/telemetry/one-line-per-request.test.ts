import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bufferedAccess } from '../../src/index.ts';
import { until } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

const lines: string[] = [];
let its: Installation;
beforeAll(async () => {
  its = await startInstallation({ accessLog: bufferedAccess((text) => lines.push(...text.trimEnd().split('\n'))) });
});
afterAll(() => its.close());

const lineOf = async (requestId: string): Promise<Record<string, unknown>> => {
  await until(() => lines.some((line) => line.includes(requestId)));
  const found = lines.filter((line) => line.includes(requestId));
  expect(found).toHaveLength(1);
  return JSON.parse(found[0] ?? '');
};

test('a line has client, operation, status and duration, and no client text', async () => {
  const token = its.authorizer.token(['contacts:write']);
  const path = '/contacts/individuals?email=ana%40example.org&allowDuplicateEmail=true';
  await its.as(token)(path, {
    method: 'POST',
    body: '{"email":"ana@example.org"}',
    headers: { 'x-request-id': 'first' },
  });
  const line = await lineOf('"first"');
  expect(line).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    level: 'info',
    service: 'gateway',
    message: 'request',
    requestId: 'first',
    client: its.authorizer.client(token).id,
    operation: 'createIndividualUnprefixed',
    method: 'POST',
    status: 200,
    durationMs: expect.any(Number),
  });
  expect(lines.join()).not.toMatch(/ana|example|eyJ/);
});

test('refused requests are logged too', async () => {
  await its.call('/nowhere?secret=1', { headers: { 'x-request-id': 'second' } });
  expect(await lineOf('"second"')).toMatchObject({ client: null, operation: 'none', status: 404 });
  await its.call('/svc/v3/contacts/individuals', { headers: { 'x-request-id': 'third' } });
  expect(await lineOf('"third"')).toMatchObject({ client: null, operation: 'listIndividuals', status: 401 });
  await its.call('/errors', { headers: { 'x-request-id': 'fourth' } });
  expect(await lineOf('"fourth"')).toMatchObject({ operation: 'listErrors', status: 200 });
});

test('no other log line contains a token', async () => {
  const token = its.authorizer.token(['contacts:read']);
  its.contacts.answer((_, response) => response.destroy());
  await its.as(token)('/svc/v3/contacts/individuals');
  await until(() => its.log.some(({ message }) => message === 'a service did not answer'));
  expect(JSON.stringify(its.log)).not.toContain('eyJ');
});
