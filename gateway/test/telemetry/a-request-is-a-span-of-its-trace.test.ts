import { type Attributes, recordSpans, type SpanStart } from '@boxoffice/runtime';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

interface Ended {
  readonly start: SpanStart;
  name: string;
  attributes: Attributes;
  failure: string | undefined;
}

const ended: Ended[] = [];
const OWN = '00-0af7651916cd43dd8448eb211c80319c-00000000000000ff-01';
const path = '/svc/v3/contacts/individuals';

let its: Installation;
beforeAll(async () => {
  its = await startInstallation();
  recordSpans((start) => {
    const span: Ended = { start, name: start.name, attributes: { ...start.attributes }, failure: undefined };
    return {
      traceparent: OWN,
      rename: (name) => void Object.assign(span, { name }),
      set: (more) => void Object.assign(span.attributes, more),
      end: (failure) => void ended.push(Object.assign(span, { failure })),
    };
  });
});
beforeEach(() => void ended.splice(0));
afterAll(async () => {
  recordSpans(undefined);
  await its.close();
});

const served = () => ended.filter(({ start }) => start.kind === 'server');
const call = (headers: Record<string, string> = {}, token = its.authorizer.token(['contacts:read'])) =>
  its.as(token)(path, { headers });

test('a client’s well-formed trace is continued, and the service receives the span', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await call({ traceparent });
  await call({ traceparent: '00-4bf92f-1' });
  expect(served().map(({ start }) => start.parent)).toEqual([traceparent, undefined]);
  expect(its.contacts.received.at(-1)?.headers.traceparent).toBe(OWN);
});

test('a span is named by its route, and only a status from 500 on is a failure', async () => {
  await call();
  await its.call('/svc/v3/contacts/nobody@example.org');
  await call({}, 'no token');
  await its.contacts.close();
  await call();
  const recorded = served().map(({ name, attributes, failure }) => [
    name,
    attributes['http.response.status_code'],
    failure,
  ]);
  const route = `GET ${path}`;
  expect(recorded).toEqual([
    [route, 200, undefined],
    ['GET', 404, undefined],
    [route, 401, undefined],
    [route, 503, '503'],
  ]);
  expect(JSON.stringify(ended)).not.toContain('nobody');
});
