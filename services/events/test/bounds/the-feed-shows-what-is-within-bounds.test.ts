import { notExercised, useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { engines, openFixture, type ServedCall } from '../fixture/service.ts';
import { all, factOf, HERE, ownOrders, ownSalesHere, recordAll, salesHere, whole, within } from './fixture.ts';

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

    const leaving = new AbortController();
    const headers = { accept: 'text/event-stream' };
    const call = { institution: FULL, bounds, headers };
    const stream = await its.open('GET', '/svc/v3/events?after=start', call, leaving.signal);
    let text = '';
    // The last event is everybody's, so all before it were decided.
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes('"id":"prf_1"')) break;
    }
    leaving.abort();
    expect(all.filter((id) => text.includes(`"id":"${id}"`))).toEqual(seen);

    const unknown = await whole(await get(FULL, '/evt_unknown', { bounds }));
    expect(unknown.status).toBe(404);
    const { items } = await page(FULL, '?after=start&limit=500');
    expect(items).toHaveLength(all.length);
    for (const { id, resource } of items) {
      const found = await whole(await get(FULL, `/${id}`, { bounds }));
      if (seen.includes(resource.id)) expect(found.status).toBe(200);
      else expect(found).toEqual(unknown);
    }
  });

  test('asked for a resource out of bounds, answers as for one that there never was', async () => {
    for (const bounds of [ownOrders, salesHere, ownSalesHere]) {
      const answers = ['ord_other_there', 'ord_unknown'].map(async (id) =>
        whole(await get(FULL, `?after=start&limit=1&resource=${id}`, { bounds })),
      );
      const [outside, unknown] = await Promise.all(answers);
      expect(outside).toEqual(unknown);
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
    for (const id of ['ord_other_here', 'ord_old', 'ord_own_there']) await its.take(factOf('waiting', id));
    expect((await waiting).items.map(({ resource }) => resource.id)).toEqual(['ord_own_there']);
  });

  test('pages are full, however many events of others are between', async () => {
    const institution = 'sparse';
    const others = Array.from({ length: 600 }, (_, nth) => factOf(institution, `ord_${nth}`, ['order.changed']));
    await its.take(factOf(institution, 'ord_own_here'));
    await Promise.all(others.map(its.take));
    await its.take(factOf(institution, 'ord_own_there'));
    const { items, nextCursor } = await page(institution, '?after=start&limit=3', { bounds: ownOrders });
    expect(items.map(({ resource }) => resource.id)).toEqual(['ord_own_here', 'ord_own_there']);
    expect((await page(institution, `?after=${nextCursor}`)).items).toEqual([]);
  });

  test('a contact belongs to the client from the moment that an order of it names the contact', async () => {
    const institution = 'named';
    const call = { bounds: ownOrders };
    await its.take(factOf(institution, 'con_named'));
    await its.take(factOf(institution, 'ord_other_here', ['order.created', { clientIds: ['another'] }, 'con_named']));
    expect(await seenBy(institution, call)).toEqual([]);
    for (let turn = 0; turn < 2; turn += 1) await its.take(factOf(institution, 'ord_own_here'));
    expect(await seenBy(institution, call)).toEqual(['con_named', 'ord_own_here']);
    expect(await seenBy('elsewhere', call)).toEqual([]);
  });

  test('a contact belongs to the client as long as an order of it names the contact', async () => {
    const institution = 'renamed';
    const other = await its.another();
    const take = (order: string, version: number, contact?: string, { take } = its as Pick<typeof its, 'take'>) => {
      const said = { clientIds: ['partner'], pointOfSale: null };
      const at = { version, before: version === 1 ? null : version - 1 };
      return take(factOf(institution, order, ['order.changed', said, contact], at));
    };
    const contacts = () => seenBy(institution, { bounds: ownOrders }, '&types=contact.created,contact.changed');
    for (const id of ['con_named', 'con_other']) await its.take(factOf(institution, id));
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
    await its.context.waiting.resumeOwn();
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
    await its.take(factOf('case', 'ord_1', ['order.created', belongsTo]));
    expect(await seenBy('case', { bounds: salesHere })).toEqual(['ord_1']);
  });
});
