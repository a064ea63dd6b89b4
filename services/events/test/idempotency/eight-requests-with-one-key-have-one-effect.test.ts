import { sendEightAtOnce, useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { engines, type Instance, openFixture } from '../fixture/service.ts';

describe.each(engines)('of eight requests with one key at two instances, on $name', (engine) => {
  const its = useFixture(async () => {
    const fixture = await openFixture(engine);
    return { ...fixture, at: await fixture.receiver() };
  });
  let instances: readonly [Instance, Instance];
  beforeAll(async () => {
    instances = [its, await its.another()];
  });

  const send = (method: string, path: string, body?: object) =>
    sendEightAtOnce(instances, (on, key) =>
      on.call<{ webhookId: string }>(method, path, { body, headers: { 'idempotency-key': key } }),
    );

  test('one makes, changes, or gives another secret to, a webhook', async () => {
    const made = await send('POST', '', { url: its.at.url, types: ['order.*'] });
    expect(made.status).toBe(201);
    expect((await its.call<{ items: unknown[] }>('GET', '')).data.items).toHaveLength(1);
    const path = `/${made.data.webhookId}`;
    expect((await send('PATCH', path, { description: 'accounts' })).status).toBe(200);
    expect((await send('POST', `${path}/secret-rotation`)).status).toBe(200);
  });

  test('one asks for a redelivery', async () => {
    const { id } = await its.webhook(its.at.url);
    const eventId = await its.emit('order.created');
    const reply = await send('POST', `/${id}/redeliveries`, { eventId });
    expect([reply.status, reply.data]).toEqual([202, { count: 1 }]);
  });

  test('all answer the outcome of one test', async () => {
    const { id } = await its.webhook(its.at.url);
    expect((await send('POST', `/${id}/test`)).status).toBe(200);
  });
});
