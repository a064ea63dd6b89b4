import { expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { createTestApp, signTestIdentity } from '../fixture.ts';
import { things } from '../things.ts';

const identity = signTestIdentity({ operation: 'getThing', scopes: ['things:read'] });

test('it is tested without a port', async () => {
  const answer = await request(createTestApp(things)).get('/svc/v3/things/thg_1').set('X-Internal-Identity', identity);
  expect([answer.status, answer.body]).toMatchObject([200, { status: 'success', data: { id: 'thg_1' } }]);
  const unknown = await request(createTestApp(things)).get('/svc/v3/thing');
  expect([unknown.status, unknown.body.status]).toEqual([404, 'not_found']);
});

test('it answers with the headers of the interface alone', async () => {
  const { headers } = await request(createTestApp(things)).get('/svc/v3/thing');
  expect(Object.keys(headers).toSorted()).toEqual([
    ...['cache-control', 'connection', 'content-length', 'content-type', 'date', 'traceparent', 'x-request-id'],
  ]);
});

test('another application can have it below a path, with middleware in front', async () => {
  const outer = express()
    .use((_request, response, next) => {
      response.setHeader('X-Outer', 'seen');
      next();
    })
    .use('/below', createTestApp(things));
  const answer = await request(outer).get('/below/svc/v3/things/thg_1').set('X-Internal-Identity', identity);
  expect([answer.status, answer.headers['x-outer'], answer.body.data.id]).toEqual([200, 'seen', 'thg_1']);
});
