import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Unresolvable } from '../../src/addresses.ts';
import { webhooksCollection } from '../../src/store.ts';
import { deleteWebhook, listDeliveries, listWebhooks, pauseWebhook } from '../../src/webhooks/operator.ts';
import { type Json, type Receiver, waitUntil } from '../fixture/receiver.ts';
import { Clock, engines, openFixture } from '../fixture/service.ts';

const ORDERS = ['orders:read'];
const COMING = 'https://coming.example/hook';

describe.each(engines)('on $name', (engine) => {
  const clock = new Clock();
  const its = useFixture(() => {
    const resolve = async (host: string): Promise<readonly string[]> => {
      if (host === 'inside.example') return ['10.0.0.9'];
      throw new Unresolvable('ENOTFOUND');
    };
    return openFixture(engine, { clock, resolve });
  });
  let at: Receiver;
  beforeAll(async () => {
    at = await its.receiver();
  });

  const make = (body: object = {}, more: object = {}) =>
    its.call<Json & { webhookId: string; secret: string }>('POST', '', {
      body: { url: at.url, types: ['order.*'], ...body },
      ...more,
    });
  const remove = (id: string) => its.call('DELETE', `/${id}`);

  test('a webhook is answered once with its secret, and has defaults', async () => {
    const { status: code, data, headers } = await make({ types: ['order.*', 'contact.erased'] });
    const { secret, ...shown } = data;
    expect(code).toBe(201);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9]{32}$/);
    expect(shown).toEqual({
      webhookId: expect.stringMatching(/^whk_[0-9a-z]+$/),
      url: at.url,
      types: ['order.*', 'contact.erased'],
      description: null,
      state: 'active',
      disabledReason: null,
      lastDelivery: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(headers.get('location')).toBe(`/svc/v3/webhooks/${shown.webhookId}`);
    expect(await its.state(shown.webhookId)).toEqual(shown);
    const { data: listed } = await its.call<{ items: Json[] }>('GET', '');
    expect(listed.items).toContainEqual(shown);
    const stored = await its.context.store.collection(webhooksCollection).acrossInstitutions.get(shown.webhookId);
    expect(JSON.stringify(stored)).not.toContain(secret.slice(6));
    expect((await remove(shown.webhookId)).data).toEqual({ ...shown, updatedAt: expect.any(String) });
    expect((await its.call('GET', `/${shown.webhookId}`)).status).toBe(404);
  });

  test('the replay of a creation and of a rotation shows no secret', () =>
    its.using(async (_at, { id }) => {
      const headers = { 'idempotency-key': randomUUID() };
      const [first, again] = [await make({}, { headers }), await make({}, { headers })];
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(again.data).toEqual({ ...first.data, secret: null });
      await remove(first.data.webhookId);
      const rotate = { headers: { 'idempotency-key': randomUUID() } };
      const rotated = await its.call<Json>('POST', `/${id}/secret-rotation`, rotate);
      const repeated = await its.call<Json>('POST', `/${id}/secret-rotation`, rotate);
      expect(repeated.data).toEqual({ ...rotated.data, secret: null });
    }));

  test.each([
    ['without a host', { url: 'https://' }, 400],
    ['of another scheme', { url: 'ftp://receiver.example/' }, 400],
    ['with user and password', { url: 'https://me:secret@receiver.example/' }, 400],
    ['of an unknown type', { types: ['order.made'] }, 400],
    ['of no type', { types: [] }, 400],
    ['of a test', { types: ['webhook.test'] }, 400],
    ['that is disabled from the start', { state: 'disabled' }, 400],
  ])('a webhook %s is refused', async (_what, body, code) => {
    const answer = await make(body);
    expect([answer.status, answer.body.status]).toEqual([code, 'validation_error']);
  });

  test.each([
    ['to no valid host', 'https://1.2.3.999/hook'],
    ['into an internal network', 'https://10.0.0.9/hook'],
    ['into one that is written as a number', 'https://167772169/hook'],
    ['into one in another notation', 'https://0xa.9/hook'],
    ['into one mapped into IPv6', 'https://[::ffff:10.0.0.9]/hook'],
    ['into one by a name', 'https://inside.example/hook'],
    ['with http where its name does not resolve yet', 'http://coming.example/hook'],
    ['to the installation', 'https://tickets.example/hook'],
    ['to a listener of this machine', 'http://127.0.0.1:8443/hook'],
  ])('an address that leads %s is refused', async (_where, url) => {
    const made = await make({ url });
    expect([made.status, made.body.status]).toEqual([422, 'webhook_address_refused']);
    expect(made.body.details).not.toMatch(/\d|private|loopback|listener/);
    await its.using(async (_at, { id }) => {
      const changed = await its.call('PATCH', `/${id}`, { body: { url } });
      expect([changed.status, changed.body.status]).toEqual([422, 'webhook_address_refused']);
    });
  });

  test('a name that does not resolve yet is accepted', () =>
    its.using(async (_at, { id }) => expect(await its.state(id)).toMatchObject({ url: COMING }), { url: COMING }));

  test('a token that does not see all types may do nothing but read and delete', async () => {
    const limited = { scopes: ORDERS };
    expect((await make({ types: ['ticket.issued'] }, limited)).body.status).toBe('forbidden');
    const { data } = await make({ types: ['order.*', 'payment.*'] });
    const path = `/${data.webhookId}`;
    for (const [method, below, body] of [
      ['PATCH', '', { description: 'mine' }],
      ['PATCH', '', { types: ['order.created'] }],
      ['POST', '/secret-rotation', undefined],
      ['POST', '/test', undefined],
      ['POST', '/redeliveries', { after: its.cursor(0) }],
    ] as const) {
      const { status: code, headers } = await its.call(method, `${path}${below}`, { body, ...limited });
      expect(code).toBe(403);
      expect(headers.get('www-authenticate')).toContain('scope="orders.sensitive:read"');
    }
    expect((await its.call('GET', path, limited)).status).toBe(200);
    expect((await its.call('DELETE', path, limited)).status).toBe(200);
    const { data: own } = await make({}, limited);
    const widened = await its.call('PATCH', `/${own.webhookId}`, { body: { types: ['ticket.*'] }, ...limited });
    expect(widened.status).toBe(403);
    await remove(own.webhookId);
  });

  test('can be written back as it was read, and honours If-Match', () =>
    its.using(async (_at, { id }) => {
      const read = await its.call<Json>('GET', `/${id}`);
      const patch = (body: object, headers = {}) => its.call('PATCH', `/${id}`, { body, headers });
      expect((await patch(read.data)).status).toBe(200);
      expect((await patch({ disabledReason: 'mine' })).status).toBe(422);
      expect((await patch({ state: 'disabled' })).status).toBe(422);
      const stale = { 'if-match': String(read.headers.get('etag')) };
      expect((await patch({ description: 'late' }, stale)).status).toBe(412);
      const fresh = { 'if-match': String((await its.call('GET', `/${id}`)).headers.get('etag')) };
      expect((await patch({ description: 'in time' }, fresh)).data).toMatchObject({ description: 'in time' });
      expect((await patch({ description: null })).data).toMatchObject({ description: null });
    }));

  test('an institution has at most twenty, however many are made at once', async () => {
    const institution = 'museum';
    const all = await Promise.all(Array.from({ length: 24 }, () => make({}, { institution })));
    expect(all.filter((one) => one.status === 201)).toHaveLength(20);
    const refused = all.filter((one) => one.status !== 201);
    expect(refused.map(({ body }) => body.status)).toEqual(Array.from({ length: 4 }, () => 'webhook_too_many'));
    const [first] = all.filter((one) => one.status === 201);
    await its.call('DELETE', `/${first?.data.webhookId}`, { institution });
    expect((await make({}, { institution })).status).toBe(201);
    expect((await its.call('GET', `/${all.at(-1)?.data?.webhookId ?? 'whk_none'}`)).status).toBe(404);
  });

  test('after a rotation two secrets sign, and a day later the new one alone', () =>
    its.using(async (at, { id, secret: before }) => {
      const { data } = await its.call<{ secret: string }>('POST', `/${id}/secret-rotation`);
      const verified = async (secret: string): Promise<boolean> => {
        at.received.length = 0;
        await its.call('POST', `/${id}/test`);
        const { text = '', headers = {} } = at.received[0] ?? {};
        // The verifier compares the timestamp with its own clock.
        const shift = clock.now() - Date.now();
        const now = Date.now;
        Date.now = () => now() + shift;
        try {
          return Boolean(new Webhook(secret).verify(text, headers as never));
        } catch {
          return false;
        } finally {
          Date.now = now;
        }
      };
      expect([await verified(before), await verified(data.secret)]).toEqual([true, true]);
      clock.advance(24 * 60 * 60_000);
      expect([await verified(before), await verified(data.secret)]).toEqual([false, true]);
    }));

  test('an operator lists, pauses and deletes them', async () => {
    const { store } = its.context;
    const { data } = await make();
    const id = data.webhookId;
    await pauseWebhook(store, 'opera', id);
    const listed = await listWebhooks(store, 'opera');
    expect(listed).toContainEqual({ ...(await its.state(id)), state: 'paused', waiting: 0 });
    await its.call('POST', `/${id}/test`);
    expect(await listDeliveries(store, 'opera', id, 5)).toEqual(await its.attempts(id));
    await deleteWebhook(store, 'opera', id);
    expect((await its.call('GET', `/${id}`)).status).toBe(404);
    await expect(deleteWebhook(store, 'opera', id)).rejects.toThrow('no webhook');
  });

  test('attempts of types that a token does not see are not listed', () =>
    its.using(
      async (_at, { id }) => {
        const [order] = [await its.emit('order.created'), await its.emit('ticket.issued')];
        await waitUntil('both', async () => (await its.attempts(id, '&outcome=succeeded')).length === 2);
        const { data } = await its.call<{ items: Json[] }>('GET', `/${id}/deliveries`, { scopes: ORDERS });
        expect(data.items.map(({ eventId }) => eventId)).toEqual([order]);
        const { data: one } = await its.call<{ items: Json[] }>('GET', `/${id}/deliveries?eventId=${order}`);
        expect(one.items).toHaveLength(1);
      },
      { types: ['order.*', 'ticket.*'] },
    ));
});
