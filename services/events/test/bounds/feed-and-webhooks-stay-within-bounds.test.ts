import { notExercised, type TestEngine, useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { waitUntil } from '../fixture/receiver.ts';
import { engines, openFixture, type ServedCall } from '../fixture/service.ts';
import {
  all,
  createResourceFact,
  HERE,
  namedLater,
  ownOrders,
  ownSalesHere,
  readComparableAnswer,
  readStreamUntil,
  recordAll,
  salesHere,
  THERE,
  within,
} from './fixture.ts';

describe.each(engines)(`the feed of a client with bounds on $name${notExercised}`, (engine) => {
  /** An institution that has an event of each resource of the table. */
  const FULL = 'full';
  const its = useFixture(async () => {
    const fixture = await openFixture(engine);
    await recordAll(fixture, FULL);
    return fixture;
  });

  const get = (institution: string, query: string, call: ServedCall = {}) =>
    its.open('GET', `/svc/v3/events${query}`, { institution, ...call });
  const page = async (institution: string, query: string, call: ServedCall = {}) =>
    (await its.events(query, { institution, ...call })).data;
  const seenBy = async (institution: string, call: ServedCall, query = '') =>
    (await page(institution, `?after=start&limit=500${query}`, call)).items.map(({ resource }) => resource.id);

  test.each(within)('has $seen.length of 17 resources within $bounds, in pages and streams, and by id', async (one) => {
    const { bounds, seen } = one;
    expect(await seenBy(FULL, { bounds })).toEqual(seen);

    const walked: string[] = [];
    for (let after = 'start'; ; ) {
      const { items, nextCursor } = await page(FULL, `?after=${after}&limit=1`, { bounds });
      if (items.length === 0) break;
      walked.push(...items.map(({ resource }) => resource.id));
      after = nextCursor;
    }
    expect(walked).toEqual(seen);

    // The last event is everybody's, so all before it were decided.
    const text = await readStreamUntil(its, { institution: FULL, bounds }, 'prf_1');
    expect(all.filter((id) => text.includes(`"id":"${id}"`))).toEqual(seen);

    const unknown = await readComparableAnswer(await get(FULL, '/evt_unknown', { bounds }));
    expect(unknown.status).toBe(404);
    const { items } = await page(FULL, '?after=start&limit=500');
    expect(items).toHaveLength(all.length);
    for (const { id, resource } of items) {
      const found = await readComparableAnswer(await get(FULL, `/${id}`, { bounds }));
      if (seen.includes(resource.id)) expect(found.status).toBe(200);
      else expect(found).toEqual(unknown);
    }
  });

  test('asked for a resource out of bounds, answers as for one that there never was', async () => {
    for (const bounds of [ownOrders, salesHere, ownSalesHere]) {
      const answers = ['ord_other_there', 'ord_unknown'].map(async (id) =>
        readComparableAnswer(await get(FULL, `?after=start&limit=1&resource=${id}`, { bounds })),
      );
      const [outside, unknown] = await Promise.all(answers);
      const withoutCursor = (
        { text, ...answer }: Awaited<(typeof answers)[0]> = { status: 0, headers: {}, text: '' },
      ) => ({ ...answer, text: text.replace(/"nextCursor":"[^"]+"/, '') });
      expect(withoutCursor(outside)).toEqual(withoutCursor(unknown));
      expect(await seenBy(FULL, { bounds }, '&resource=ord_own_here')).toEqual(['ord_own_here']);
    }
  });

  test('of equal reads at once each has what is within its own bounds', async () => {
    const read = await Promise.all(within.map(({ bounds }) => seenBy(FULL, { bounds })));
    expect(read).toEqual(within.map(({ seen }) => seen));
  });

  test('a request that waits is answered with the first event within bounds', async () => {
    const { nextCursor } = await page('waiting', '', { bounds: ownOrders });
    const waiting = page('waiting', `?after=${nextCursor}&wait=30`, { bounds: ownOrders });
    for (const id of ['ord_other_here', 'ord_old', 'ord_own_there']) await its.take(createResourceFact('waiting', id));
    expect((await waiting).items.map(({ resource }) => resource.id)).toEqual(['ord_own_there']);
  });

  test('pages are full, however many events of others are between', async () => {
    const institution = 'sparse';
    const others = Array.from({ length: 600 }, (_, nth) =>
      createResourceFact(institution, `ord_${nth}`, ['order.changed']),
    );
    await its.take(createResourceFact(institution, 'ord_own_here'));
    await Promise.all(others.map(its.take));
    await its.take(createResourceFact(institution, 'ord_own_there'));
    const { items, nextCursor } = await page(institution, '?after=start&limit=3', { bounds: ownOrders });
    expect(items.map(({ resource }) => resource.id)).toEqual(['ord_own_here', 'ord_own_there']);
    expect((await page(institution, `?after=${nextCursor}`)).items).toEqual([]);
  });

  test('a contact belongs to the client from the moment that an order of it names the contact', async () => {
    const institution = 'named';
    const call = { bounds: ownOrders };
    await its.take(createResourceFact(institution, 'con_named'));
    await its.take(
      createResourceFact(institution, 'ord_other_here', ['order.created', { clientIds: ['another'] }, 'con_named']),
    );
    expect(await seenBy(institution, call)).toEqual([]);
    for (let turn = 0; turn < 2; turn += 1) await its.take(createResourceFact(institution, 'ord_own_here'));
    expect(await seenBy(institution, call)).toEqual(['con_named', 'ord_own_here']);
    expect(await seenBy('elsewhere', call)).toEqual([]);
  });

  test('a contact belongs to the client as long as an order of it names the contact', async () => {
    const institution = 'renamed';
    const other = await its.another();
    const take = (order: string, version: number, contact?: string, { take } = its as Pick<typeof its, 'take'>) => {
      const said = { clientIds: ['partner'], pointOfSale: null };
      const at = { version, before: version === 1 ? null : version - 1 };
      return take(createResourceFact(institution, order, ['order.changed', said, contact], at));
    };
    const contacts = () => seenBy(institution, { bounds: ownOrders }, '&types=contact.created,contact.changed');
    for (const id of ['con_named', 'con_other']) await its.take(createResourceFact(institution, id));
    for (const order of ['ord_1', 'ord_2']) await take(order, 1, 'con_named');
    await take('ord_1', 2, 'con_other');
    expect(await contacts()).toEqual(['con_named', 'con_other']);
    await take('ord_2', 2);
    expect(await contacts()).toEqual(['con_other']);
    // Delivered again.
    await take('ord_2', 1, 'con_named');
    expect(await contacts()).toEqual(['con_other']);
    // Another process has what is between.
    await take('ord_1', 3, 'con_named', other);
    await take('ord_1', 4, 'con_other');
    await take('ord_1', 3, 'con_named');
    expect(await contacts()).toEqual(['con_other']);
    // In disorder.
    await take('ord_1', 6, 'con_other');
    await take('ord_1', 5, 'con_named', other);
    await waitUntil('the later one', async () => (await other.context.waiting.oldest()) === undefined);
    expect(await contacts()).toEqual(['con_other']);
    await take('ord_1', 7);
    expect(await contacts()).toEqual([]);
    await other.stop();
  });

  test('a user who signs in at the client has its bounds', async () => {
    const user = { id: 'usr_1', role: 'manager', contact: null, pointsOfSale: [] } as const;
    expect(await seenBy(FULL, { bounds: ownSalesHere, user })).toEqual(await seenBy(FULL, { bounds: ownSalesHere }));
    expect(await seenBy(FULL, { user })).toEqual(all);
  });

  test('the case of a service host does not matter', async () => {
    const belongsTo = { clientIds: ['another'], pointOfSale: HERE.toUpperCase() };
    await its.take(createResourceFact('case', 'ord_1', ['order.created', belongsTo]));
    expect(await seenBy('case', { bounds: salesHere })).toEqual(['ord_1']);
  });
});

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
      await recordAll(its, call.institution ?? '', () =>
        waitUntil('the contacts', () => delivered().includes('con_own')),
      );
      const isRestricted = bounds !== null && (bounds.ownOrders || bounds.pointsOfSale.length > 0);
      const first = seen.filter((one) => !isRestricted || !namedLater.includes(one));
      await waitUntil('all deliveries', () => delivered().length >= first.length);
      const again = await its.call('POST', `/${id}/redeliveries`, { ...call, body: { after: 'start' } });
      expect([again.status, again.data]).toEqual([202, { count: seen.length }]);
      await waitUntil('all again', () => delivered().length === first.length + seen.length);
      expect(delivered().toSorted()).toEqual([...first, ...seen].toSorted());
    }),
  );

  test('an event out of bounds is delivered again to nobody, and unknown to the client', () =>
    using('single', ownOrders, async (id, call, others) => {
      for (const one of ['ord_other_here', 'ord_own_here']) await its.take(createResourceFact('single', one));
      await waitUntil('the own one', () => delivered().length === 1);
      const { data } = await its.events('?after=start&resource=ord_other_here', others);
      const eventId = data.items[0]?.id;
      const ask = (eventId: unknown, more: ServedCall) =>
        its
          .open('POST', `/svc/v3/webhooks/${id}/redeliveries`, { ...more, body: { eventId } })
          .then(readComparableAnswer);
      const refused = await ask(eventId, call);
      expect(refused.status).toBe(422);
      expect(refused).toEqual(await ask('evt_unknown', call));
      const counted = await ask(eventId, others);
      expect([counted.status, JSON.parse(counted.text).data]).toEqual([202, { count: 0 }]);
      expect(delivered()).toEqual(['ord_own_here']);
    }));

  test('other bounds hold for what was planned before, for the records of attempts and for redeliveries', () =>
    using('narrowed', salesHere, async (id, call, others) => {
      await its.take(createResourceFact('narrowed', 'ord_other_here'));
      await waitUntil('the sale here', () => delivered().length === 1);
      await its.call('POST', `/${id}/test`, call);
      const paused = { ...call, body: { state: 'paused' } };
      expect((await its.call('PATCH', `/${id}`, paused)).status).toBe(200);
      await its.call('POST', `/${id}/redeliveries`, { ...call, body: { after: 'start' } });
      await waitUntil('the planned one', async () => (await attempted(id, call)) === 3);
      const narrowed = callsOf('narrowed', ownSalesHere);
      expect(await attempted(id, narrowed)).toBe(1);
      expect(await attempted(id, others)).toBe(3);
      const again = await its.call('POST', `/${id}/redeliveries`, { ...narrowed, body: { after: 'start' } });
      expect(again.status).toBe(409);
      await its.call('PATCH', `/${id}`, { ...narrowed, body: { state: 'active' } });
      await its.take(createResourceFact('narrowed', 'tic_own_here'));
      await waitUntil('the own ticket', () => delivered().includes('tic_own_here'));
      expect(delivered().filter((one) => one === 'ord_other_here')).toHaveLength(1);
    }));

  test('one that a client without bounds sets follows that client, and is lost to the other', () =>
    using('lost', ownOrders, async (id, call, others) => {
      const described = { ...others, body: { description: 'looked at' } };
      expect((await its.call('PATCH', `/${id}`, described)).status).toBe(200);
      expect((await its.call('GET', `/${id}`, call)).status).toBe(200);
      expect((await its.call('PATCH', `/${id}`, { ...others, body: { types } })).status).toBe(200);
      expect((await its.call('GET', `/${id}`, call)).status).toBe(404);
      await its.take(createResourceFact('lost', 'ord_other_there'));
      await waitUntil('the order of another', () => delivered().includes('ord_other_there'));
    }));

  test.each([ownOrders, salesHere])('no operation finds anything of others within %j', async (bounds) => {
    const institution = `walk${textOf(bounds)}`;
    const others = { institution, client: 'another' };
    const call = callsOf(institution, bounds);
    const belongsTo = { clientIds: ['another'], pointOfSale: THERE };
    await its.take(createResourceFact(institution, 'ord_foreign', ['order.created', belongsTo, 'con_foreign']));
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
        return readComparableAnswer(await its.open(method.toUpperCase(), `${at}${query}`, sent));
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
});
