import { createHmac } from 'node:crypto';
import { type TestEvent, verifyWebhook, WebhookVerificationError } from '@boxoffice/client';
import { expect, test } from '@jest/globals';

const secret = `whsec_${'aZ09'.repeat(8)}`;
const body = '{"id":"evt_1","type":"order.confirmed","data":{"name":"Café"}}';
const now = 1_800_000_000_000;

const signature = (key: string, signed = `evt_1.${now / 1_000}.${body}`): string =>
  `v1,${createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
    .update(signed)
    .digest('base64')}`;

const headers = (signatures: string, more: object = {}) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': `${now / 1_000}`,
  'webhook-signature': signatures,
  ...more,
});

test.each([
  ['a body as text', { body, headers: headers(signature(secret)) }],
  ['a body in bytes', { body: Buffer.from(body), headers: headers(signature(secret)) }],
  ['headers of fetch', { body, headers: new Headers(headers(signature(secret))) }],
  ['headers as written', { body, headers: { 'Webhook-Id': 'evt_1', ...headers(signature(secret)) } }],
  ['two signatures', { body, headers: headers(`${signature(`whsec_${'b'.repeat(32)}`)} ${signature(secret)}`) }],
  ['a signature of a later version', { body, headers: headers(`v2,abc v1a,abc ${signature(secret)}`) }],
  ['two secrets', { body, headers: headers(signature(secret)), secret: [`whsec_${'b'.repeat(32)}`, secret] }],
  ['a clock 299 s behind', { body, headers: headers(signature(secret)), now: now - 299_000 }],
  ['a clock 299 s ahead', { body, headers: headers(signature(secret)), now: now + 299_000 }],
])('a delivery passes with %s', async (_, delivery) => {
  const event = await verifyWebhook({ secret, now, ...delivery });
  expect(event).toMatchObject({ id: 'evt_1', type: 'order.confirmed' });
});

test.each([
  ['another body', { body: body.replace('evt_1', 'evt_2'), headers: headers(signature(secret)) }],
  ['another id', { body, headers: headers(signature(secret), { 'webhook-id': 'evt_2' }) }],
  ['another time', { body, headers: headers(signature(secret), { 'webhook-timestamp': '1800000001' }) }],
  ['another secret', { body, headers: headers(signature(`whsec_${'b'.repeat(32)}`)) }],
  ['a cut signature', { body, headers: headers(signature(secret).slice(0, -8)) }],
  ['an empty signature', { body, headers: headers('v1,') }],
  ['a signature that is no base64', { body, headers: headers('v1,***') }],
  ['no headers', { body, headers: {} }],
  ['a time that is no number', { body, headers: headers(signature(secret), { 'webhook-timestamp': 'NaN' }) }],
  ['a clock 301 s behind', { body, headers: headers(signature(secret)), now: now - 301_000 }],
  ['a clock 301 s ahead', { body, headers: headers(signature(secret)), now: now + 301_000 }],
])('a delivery is refused with %s', async (_, delivery) => {
  await expect(verifyWebhook({ secret, now, ...delivery })).rejects.toBeInstanceOf(WebhookVerificationError);
});

test('a secret that is none is an error of the program, not of the delivery', async () => {
  const delivery = { body, headers: headers(signature(secret)), now };
  await expect(verifyWebhook({ ...delivery, secret: 'whsec_' })).rejects.toBeInstanceOf(TypeError);
});

test('the vector of Standard Webhooks passes', async () => {
  const vector = {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    now: 1_614_265_330_000,
  };
  expect(await verifyWebhook(vector)).toEqual({ test: 2432232314 });
});

test('the event of a test is told from the others by its type, and has no sequence', async () => {
  const sent: TestEvent = {
    id: 'evt_1',
    type: 'webhook.test',
    occurredAt: '2027-02-01T12:00:00.000Z',
    institution: 'opera',
    resource: { type: 'webhook', id: 'whk_1', version: 2, url: 'https://tickets.example/svc/v3/webhooks/whk_1' },
    data: {},
  };
  // @ts-expect-error: a test says nothing of anything
  const more: TestEvent = { ...sent, data: { orderId: 'ord_1' } };
  expect(more).not.toEqual(sent);
  const text = JSON.stringify(sent);
  const signed = headers(signature(secret, `evt_1.${now / 1_000}.${text}`));
  const event = await verifyWebhook({ secret, now, body: text, headers: signed });
  if (event.type !== 'webhook.test') throw new Error('it is of another type');
  // @ts-expect-error: it is no part of the feed
  expect(event.sequence).toBeUndefined();
  const { resource }: TestEvent = event;
  expect(resource).toEqual(sent.resource);
});
