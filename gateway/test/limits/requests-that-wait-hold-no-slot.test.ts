import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import * as descriptions from '../fixtures/describe.ts';
import { flood, lines, until } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { echo, startUpstream, type Upstream } from '../fixtures/upstream.ts';

const EVENTS = '/svc/v3/events';
/** However it is written. */
const WAIT = `${EVENTS}?after=start&w%61it=30`;
/** More than the requests that a service may have in flight. */
const FLOOD = 2_100;
const MOST_OF_CALLER = 100;
/** Requests that a client of the test pipelines. */
const PIPELINED = 20;

let events: Upstream;
let its: Installation;
let waiting = 0;
beforeAll(async () => {
  events = await startUpstream(descriptions.events);
  its = await startInstallation({ trustProxy: ['127.0.0.0/8'] }, { services: { events: events.url } });
});
beforeEach(() => {
  waiting = 0;
  events.answer((request, response, raw) => {
    if (new URL(request.url, 'http://a').searchParams.has('wait')) waiting += 1;
    else echo(request, response, raw);
  });
});
afterAll(async () => {
  await its.close();
  await events.close();
});

const tokenOf = (institution: string): string => its.authorizer.token(['events:read'], { institution });
const pipelined = (token: string, count: number): string =>
  lines('GET', WAIT, [`Authorization: Bearer ${token}`]).repeat(count);

/** The statuses of events and webhooks with a token. */
const statusesFor = async (token: string): Promise<number[]> => {
  const call = its.as(token);
  return [(await call(EVENTS)).status, (await call('/svc/v3/webhooks')).status];
};

test('of 2,100 of one caller 100 wait, and another institution is answered', async () => {
  const { close } = flood(its.gateway.httpPort, 1, () => pipelined(tokenOf('opera'), FLOOD));
  await until(() => waiting === MOST_OF_CALLER);
  expect(await statusesFor(tokenOf('ballet'))).toEqual([200, 200]);
  expect(waiting).toBe(MOST_OF_CALLER);
  close();
});

test('2,100 of several callers wait; these callers and others are answered, and none has more than its part', async () => {
  const tokens = Array.from({ length: FLOOD / MOST_OF_CALLER }, () => tokenOf('opera'));
  const { close } = flood(its.gateway.httpPort, FLOOD / PIPELINED, (index) =>
    pipelined(tokens[index % tokens.length] ?? '', PIPELINED),
  );
  await until(() => waiting === FLOOD);
  const [one = ''] = tokens;
  const refused = await its.as(one)(WAIT);
  expect([refused.status, refused.body.status]).toEqual([429, 'too_many_requests']);
  expect(await statusesFor(one)).toEqual([200, 200]);
  expect(await statusesFor(tokenOf('ballet'))).toEqual([200, 200]);
  close();
});
