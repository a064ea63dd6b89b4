import { sendEightAtOnce } from '@boxoffice/service/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  Clock,
  engines,
  type Instance,
  openInstance,
  openReceiver,
  type Receiver,
  Registrations,
} from '../webhooks/fixture.ts';

describe.each(engines)('of eight requests with one key at two instances, on $name', (engine) => {
  let discard: () => Promise<void>;
  let instances: readonly [Instance, Instance];
  let at: Receiver;

  beforeAll(async () => {
    const opened = await engine.open();
    discard = opened.discard;
    at = await openReceiver();
    const surroundings = { clock: new Clock(), clients: new Registrations() };
    instances = [await openInstance(opened.store, surroundings), await openInstance(opened.store, surroundings)];
  });
  afterAll(async () => {
    for (const one of instances) await one.close();
    await at.close();
    await discard();
  });

  const send = (method: string, path: string, body?: object) =>
    sendEightAtOnce(instances, (on, key) =>
      on.call<{ webhookId: string }>(method, path, { body, headers: { 'idempotency-key': key } }),
    );

  test('one makes, changes, or gives another secret to, a webhook', async () => {
    const made = await send('POST', '', { url: at.url, types: ['order.*'] });
    expect(made.status).toBe(201);
    const [{ call }] = instances;
    expect((await call<{ items: unknown[] }>('GET', '')).data.items).toHaveLength(1);
    const path = `/${made.data.webhookId}`;
    expect((await send('PATCH', path, { description: 'accounts' })).status).toBe(200);
    expect((await send('POST', `${path}/secret-rotation`)).status).toBe(200);
  });

  test('one asks for a redelivery', async () => {
    const [its] = instances;
    const { id } = await its.webhook(at.url);
    const eventId = await its.emit('order.created');
    const reply = await send('POST', `/${id}/redeliveries`, { eventId });
    expect([reply.status, reply.data]).toEqual([202, { count: 1 }]);
  });

  test('all answer the outcome of one test', async () => {
    const [its] = instances;
    const { id } = await its.webhook(at.url);
    expect((await send('POST', `/${id}/test`)).status).toBe(200);
  });
});
