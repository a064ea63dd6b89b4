import { type TestEngine, useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { until } from '../fixture/receiver.ts';
import { engines, openFixture, type ServedCall } from '../fixture/service.ts';
import { factOf, ownOrders, ownSalesHere, recordAll, salesHere, THERE, whole, within } from './fixture.ts';

const types = ['contact.*', 'order.*', 'payment.*', 'refund.*', 'ticket.*', 'product.*', 'performance.*'];

// On one engine: the feed, which is tested on each, decides what is within bounds.
const [engine] = engines as [TestEngine];

describe('webhooks of a client with bounds', () => {
  const its = useFixture(async () => {
    const fixture = await openFixture(engine);
    return { ...fixture, at: await fixture.receiver() };
  });

  /** Calls of the client "partner", whose bounds are those that the authorizer answers; of others by `client`. */
  const callsOf = (institution: string, bounds: ServedCall['bounds'] = null): ServedCall => {
    if (bounds) its.clients.bounds.set('partner', bounds);
    else its.clients.bounds.delete('partner');
    return { institution, bounds };
  };
  const delivered = () => its.at.received.map(({ event }) => event.resource.id);
  const attempted = async (id: string, call: ServedCall) =>
    (await its.call<{ items: { eventId: string }[] }>('GET', `/${id}/deliveries?limit=500`, call)).data.items.length;
  const textOf = (value: unknown) => JSON.stringify(value).replaceAll(/\W/g, '');

  /** A webhook of the client for a test, in an institution of its own. */
  const using = async (
    institution: string,
    bounds: ServedCall['bounds'],
    work: (id: string, call: ServedCall, others: ServedCall) => Promise<void>,
  ) => {
    const call = callsOf(institution, bounds);
    const others = { institution, client: 'another' };
    its.at.received.length = 0;
    const { id } = await its.webhook(its.at.url, { types }, call);
    await work(id, call, others);
    await its.call('DELETE', `/${id}`, others);
  };

  test.each(within)('$seen.length of 17 events within $bounds are delivered, and delivered again', ({ bounds, seen }) =>
    using(`all${textOf(bounds)}`, bounds, async (id, call) => {
      // The contact is not the client's when its event comes: it is delivered when it is asked for again.
      await recordAll(its, call.institution ?? '', () => until('the contacts', () => delivered().includes('con_own')));
      const first = seen.filter((one) => one !== 'con_named' || !bounds?.ownOrders);
      await until('all deliveries', () => delivered().length >= first.length);
      const again = await its.call('POST', `/${id}/redeliveries`, { ...call, body: { after: 'start' } });
      expect([again.status, again.data]).toEqual([202, { count: seen.length }]);
      await until('all again', () => delivered().length === first.length + seen.length);
      expect(delivered().toSorted()).toEqual([...first, ...seen].toSorted());
    }),
  );

  test('an event out of bounds is delivered again to nobody, and unknown to the client', () =>
    using('single', ownOrders, async (id, call, others) => {
      for (const one of ['ord_other_here', 'ord_own_here']) await its.take(factOf('single', one));
      await until('the own one', () => delivered().length === 1);
      const { data } = await its.events('?after=start&resource=ord_other_here', others);
      const eventId = data.items[0]?.id;
      const ask = (eventId: unknown, more: ServedCall) =>
        its.open('POST', `/svc/v3/webhooks/${id}/redeliveries`, { ...more, body: { eventId } }).then(whole);
      const refused = await ask(eventId, call);
      expect(refused.status).toBe(422);
      expect(refused).toEqual(await ask('evt_unknown', call));
      const counted = await ask(eventId, others);
      expect([counted.status, JSON.parse(counted.text).data]).toEqual([202, { count: 0 }]);
      expect(delivered()).toEqual(['ord_own_here']);
    }));

  test('other bounds hold for what was planned before, for the records of attempts and for redeliveries', () =>
    using('narrowed', salesHere, async (id, call, others) => {
      await its.take(factOf('narrowed', 'ord_other_here'));
      await until('the sale here', () => delivered().length === 1);
      await its.call('POST', `/${id}/test`, call);
      const paused = { ...call, body: { state: 'paused' } };
      expect((await its.call('PATCH', `/${id}`, paused)).status).toBe(200);
      await its.call('POST', `/${id}/redeliveries`, { ...call, body: { after: 'start' } });
      await until('the planned one', async () => (await attempted(id, call)) === 3);
      const narrowed = callsOf('narrowed', ownSalesHere);
      expect(await attempted(id, narrowed)).toBe(1);
      expect(await attempted(id, others)).toBe(3);
      const again = await its.call('POST', `/${id}/redeliveries`, { ...narrowed, body: { after: 'start' } });
      expect(again.status).toBe(409);
      await its.call('PATCH', `/${id}`, { ...narrowed, body: { state: 'active' } });
      await its.take(factOf('narrowed', 'tic_own_here'));
      await until('the own ticket', () => delivered().includes('tic_own_here'));
      expect(delivered().filter((one) => one === 'ord_other_here')).toHaveLength(1);
    }));

  test('one that a client without bounds sets follows that client, and is lost to the other', () =>
    using('lost', ownOrders, async (id, call, others) => {
      const described = { ...others, body: { description: 'looked at' } };
      expect((await its.call('PATCH', `/${id}`, described)).status).toBe(200);
      expect((await its.call('GET', `/${id}`, call)).status).toBe(200);
      expect((await its.call('PATCH', `/${id}`, { ...others, body: { types } })).status).toBe(200);
      expect((await its.call('GET', `/${id}`, call)).status).toBe(404);
      await its.take(factOf('lost', 'ord_other_there'));
      await until('the order of another', () => delivered().includes('ord_other_there'));
    }));

  test.each([ownOrders, salesHere])('no operation finds anything of others within %j', async (bounds) => {
    const institution = `walk${textOf(bounds)}`;
    const others = { institution, client: 'another' };
    const call = callsOf(institution, bounds);
    const belongsTo = { clientIds: ['another'], pointOfSale: THERE };
    await its.take(factOf(institution, 'ord_foreign', ['order.created', belongsTo, 'con_foreign']));
    const { id: webhookId } = await its.webhook(its.at.url, {}, others);
    const { data } = await its.events('?after=start', others);
    const foreign: Record<string, string> = { eventId: data.items[0]?.id ?? '', webhookId };
    const before = await its.call('GET', `/${webhookId}`, others);

    for (const { id, method, path, example } of its.operations) {
      const body = id === 'createWebhook' ? { url: its.at.url, types } : example.body;
      const answerFor = async (ids: Record<string, string>) => {
        const at = path.replace(/\{(\w+)\}/, (_, name) => ids[name] ?? name);
        const query = id === 'listEvents' ? '?after=start' : '';
        const sent = { ...call, ...(body === undefined ? {} : { body }) };
        return whole(await its.open(method.toUpperCase(), `${at}${query}`, sent));
      };
      const isOfOne = path.includes('{');
      const answer = await answerFor(foreign);
      expect([id, answer.status]).toEqual([id, isOfOne ? 404 : method === 'get' ? 200 : 201]);
      if (isOfOne) expect(answer).toEqual(await answerFor({ eventId: 'evt_unknown', webhookId: 'whk_unknown' }));
      for (const hidden of [...Object.values(foreign), 'ord_foreign', 'con_foreign'])
        expect(answer.text).not.toContain(hidden);
    }
    const after = await its.call('GET', `/${webhookId}`, others);
    expect(after.text).toBe(before.text);
  });

  test('the twenty webhooks are those of the institution, also where the client sees none of them', async () => {
    const institution = 'full';
    for (let nth = 0; nth < 20; nth += 1) await its.webhook(its.at.url, {}, { institution, client: 'another' });
    const call = callsOf(institution, ownOrders);
    expect((await its.call<{ items: unknown[] }>('GET', '', call)).data.items).toEqual([]);
    const refused = await its.call('POST', '', { ...call, body: { url: its.at.url, types } });
    expect([refused.status, refused.body.status]).toEqual([409, 'webhook_too_many']);
  });
});
