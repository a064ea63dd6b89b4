import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { OrdersContext } from '../../src/context.ts';
import { nameOrderLine } from '../../src/orders/lines.ts';
import { describeOnEachEngine, type Order, waitUntil } from '../fixture/fixture.ts';
import { createOrderInHall } from '../fixture/orders.ts';

describeOnEachEngine('lines', (fixture) => {
  describe('lines are added and removed', () => {
    const add = (path: string, items: readonly object[], call: object = {}) =>
      fixture.call('POST', `${path}/lines`, { body: { items }, ...call });

    test('added places are held as long as the others, and a removed one is released', async () => {
      const { path, order, hall } = await createOrderInHall(fixture);
      const other = fixture.catalog.hall(2);
      const more = await add(path, [other.item(2)]);
      expect(more).toMatchObject({ status: 201, data: { total: 4_000, due: 4_000 } });
      expect(more.headers.get('location')).toBe(`/svc/v3/orders${path}`);
      expect(new Set(fixture.catalog.placesOf(order.id).map((place) => place.until)).size).toBe(1);
      const line = more.data.lines[0]?.id;
      const less = await fixture.call('DELETE', `${path}/lines/${line}`);
      expect(less).toMatchObject({ status: 200, data: { total: 3_000 } });
      expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 1, sold: 0 });
      expect((await fixture.call('DELETE', `${path}/lines/${line}`)).status).toBe(404);
    });

    test('an addition holds all its places or none, and a refusal leaves the order unchanged', async () => {
      const { path } = await createOrderInHall(fixture);
      const [small, other] = [fixture.catalog.hall(1), fixture.catalog.hall(1, { currency: 'EUR' })];
      expect((await add(path, [small.item(2)])).code).toBe('order_places_unavailable');
      expect(await add(path, [other.item()])).toMatchObject({ status: 422, code: 'validation_error' });
      expect([fixture.catalog.count(small).free, fixture.catalog.count(other).free]).toEqual([1, 1]);
    });

    test('one answer names a wrong quantity and an unknown item', async () => {
      const { path } = await createOrderInHall(fixture);
      const [hall, foreign] = [fixture.catalog.hall(2), fixture.catalog.hall(1, { institution: 'museum' })];
      const answer = await add(path, [foreign.item(), hall.item(1, hall.placeIds)]);
      expect(answer).toMatchObject({ status: 422, code: 'validation_error' });
      expect(answer.details).toMatch(/^\$\.items\[1\]\.quantity .*; planted: invalid_reference/);
    });

    test('an order without lines cannot be confirmed', async () => {
      const { path, order } = await createOrderInHall(fixture, 1);
      expect((await fixture.call('DELETE', `${path}/lines/${order.lines[0]?.id}`)).data.lines).toEqual([]);
      expect((await fixture.confirm(path)).status).toBe(412);
      expect((await fixture.call('POST', `${path}/extension`, { body: { minutes: 20 } })).status).toBe(200);
      expect(await fixture.call('POST', `${path}/cancellation`)).toMatchObject({
        data: { cancellation: { placesReleased: 0, settledAt: expect.any(String) } },
      });
    });
  });

  describe('lines have beneficiaries', () => {
    const ofOrder = () => ({ status: 200, headers: {}, body: '' });
    const ada = { firstName: 'Ada', lastName: 'Lovelace' };
    const eva = { firstName: 'Eva', lastName: 'Moreau' };

    const create = (items: readonly object[], more: object = {}) =>
      fixture.call('POST', '', { body: { items, ...more } });
    const get = async (id: string): Promise<Order> => (await fixture.call('GET', `/${id}`)).data;
    const name = (id: string, lineId: string | undefined, body: object, more: object = {}) =>
      fixture.call('PATCH', `/${id}/lines/${lineId}`, { body, ...more });
    const namesOf = ({ lines }: Order) => lines.map(({ beneficiary }) => beneficiary);
    const issued = (orderId: string) => fixture.tickets.issuesOf(orderId).map(({ tickets }) => tickets);

    /** A confirmed order of two places, the first one named. */
    const sold = async (more: object = {}): Promise<Order> => {
      const hall = fixture.catalog.hall(2);
      const { data } = await create([{ ...hall.item(2), beneficiaries: [ada] }], more);
      await fixture.confirm(`/${data.id}`);
      return get(data.id);
    };

    test('given in the order of the places, of the chosen or the named ones, and never sent to the catalog', async () => {
      const [hall, named] = [fixture.catalog.hall(3), fixture.catalog.hall(2)];
      const [first = '', second = ''] = named.placeIds;
      const { status, data } = await create([
        { ...hall.item(3), beneficiaries: [ada, { lastName: ' Moreau ' }] },
        { ...named.item(undefined, [second, first]), beneficiaries: [eva] },
      ]);
      expect(status).toBe(201);
      expect(namesOf(data).slice(0, 3)).toEqual([ada, { firstName: null, lastName: 'Moreau' }, null]);
      const stored = await fixture.document(data.id);
      expect(stored?.lines.find(({ place }) => place.id === second)?.beneficiary).toEqual(eva);
      expect(stored?.lines.find(({ place }) => place.id === first)?.beneficiary ?? null).toBeNull();
      expect(await get(data.id)).toEqual(data);
      const more = await fixture.call('POST', `/${data.id}/lines`, {
        body: { items: [{ ...fixture.catalog.hall(1).item(), beneficiaries: [eva] }] },
      });
      expect(namesOf(more.data).at(-1)).toEqual(eva);
      expect(JSON.stringify(fixture.catalog.calls)).not.toContain('Moreau');
    });

    test('at most as many as places, each with a name: 400 otherwise, in every body; it changes nothing', async () => {
      const { order, path, hall } = await createOrderInHall(fixture);
      const items = [hall.item(), { ...hall.item(), beneficiaries: [ada, eva] }];
      for (const at of ['', '/quotes', `${path}/lines`]) {
        const answer = await fixture.call('POST', at, { body: { items } });
        expect([at, answer.status, answer.code]).toEqual([at, 400, 'validation_error']);
        expect(answer.details).toContain('$.items[1].beneficiaries');
      }
      for (const nobody of [{}, { lastName: ' ' }]) {
        const body = { items: [{ ...hall.item(), beneficiaries: [nobody] }] };
        const answers = [
          await fixture.call('POST', '', { body }),
          await fixture.call('POST', `${path}/lines`, { body }),
          await name(order.id, order.lines[0]?.id, { beneficiary: nobody }),
        ];
        for (const { status, code } of answers) expect([status, code]).toEqual([400, 'validation_error']);
      }
      expect(fixture.catalog.count(hall).held).toBe(2);
    });

    test('changed, merged and removed before the confirmation, without a call of tickets', async () => {
      const { order } = await createOrderInHall(fixture);
      const line = order.lines[0]?.id;
      expect(namesOf((await name(order.id, line, { beneficiary: ada })).data)).toEqual([ada, null]);
      const merged = await name(order.id, line, { beneficiary: { firstName: 'Augusta' } });
      expect(namesOf(merged.data)[0]).toEqual({ firstName: 'Augusta', lastName: 'Lovelace' });
      const same = await name(order.id, line, { beneficiary: { lastName: 'Lovelace' } });
      expect(same.headers.get('etag')).toBe(merged.headers.get('etag'));
      expect(namesOf((await name(order.id, line, { beneficiary: null })).data)).toEqual([null, null]);
      expect(issued(order.id)).toEqual([]);
    });

    test('a ticket follows each change once, after a failure of tickets as well', async () => {
      const order = await sold();
      const [first, second] = order.lines.map(({ id }) => id);
      expect(issued(order.id).at(-1)).toMatchObject([{ beneficiary: ada }, { beneficiary: null }]);
      const key = randomUUID();
      const named = await name(order.id, first, { beneficiary: eva }, { key });
      expect([named.status, namesOf(named.data)]).toEqual([200, [eva, null]]);
      expect(issued(order.id).at(-1)).toMatchObject([{ beneficiary: eva, beneficiaryAsOf: 1 }, { beneficiary: null }]);
      expect(issued(order.id).at(-1)?.[1]).not.toHaveProperty('beneficiaryAsOf');
      expect((await fixture.document(order.id))?.due).toBeUndefined();
      const calls = issued(order.id).length;
      expect((await name(order.id, first, { beneficiary: eva }, { key })).text).toBe(named.text);
      expect(issued(order.id)).toHaveLength(calls);

      fixture.tickets.mishaps.set('issueTickets', 'fails');
      expect((await name(order.id, second, { beneficiary: ada })).status).toBe(200);
      expect((await fixture.document(order.id))?.due?.issueTickets).toBeDefined();
      fixture.tickets.mishaps.clear();
      await waitUntil(async () => {
        await fixture.later(20_000);
        return (await fixture.document(order.id))?.due === undefined;
      });
      expect(issued(order.id).at(-1)).toMatchObject([{ beneficiaryAsOf: 1 }, { beneficiary: ada, beneficiaryAsOf: 1 }]);
    });

    test('a new line is named before its change is settled, of which alone its ticket is', async () => {
      const order = await sold();
      const { item } = fixture.catalog.hall(1);
      const [line] = order.lines;
      const body = { exchanges: [{ lineId: line?.id, ...item() }], difference: 0, override: true };
      fixture.tickets.mishaps.set('settleChange', 'fails');
      const changed = await fixture.call('POST', `/${order.id}/changes`, { body });
      expect(changed).toMatchObject({ status: 201, data: { state: 'done' } });
      const { id } = (await get(order.id)).lines.find(({ replaces }) => replaces === line?.id) ?? {};
      await name(order.id, id, { beneficiary: eva });
      const told = { lineId: id, replaces: line?.id, beneficiary: eva };
      expect(issued(order.id).at(-1)).toMatchObject([{ beneficiary: null }, told]);
      fixture.tickets.mishaps.clear();
    });

    test('the answer has the ticket that replaced a printed one, and so has a repeat', async () => {
      const order = await sold();
      const [line, other] = order.lines;
      const fact = {
        orderId: order.id,
        lineId: String(line?.id),
        replaces: String(line?.ticketId),
        ticketId: 'tic_new',
      };
      fixture.tickets.issued.set(order.id, [
        { lineId: fact.lineId, ticketId: fact.ticketId },
        { lineId: String(other?.id), ticketId: String(other?.ticketId) },
      ]);
      const key = randomUUID();
      const renamed = await name(order.id, line?.id, { beneficiary: eva }, { key });
      expect(renamed.data.lines.map(({ ticketId }) => ticketId)).toEqual(['tic_new', other?.ticketId]);
      await fixture.deliver('ticket.replaced', fact);
      const now = await fixture.call('GET', `/${order.id}`);
      expect([now.data, now.headers.get('etag')]).toEqual([renamed.data, renamed.headers.get('etag')]);
      expect((await name(order.id, line?.id, { beneficiary: eva }, { key })).text).toBe(renamed.text);
    });

    test('a repeat of a change whose answer was lost with its process is not refused', async () => {
      const order = await sold();
      const { version } = (await fixture.document(order.id)) ?? {};
      const command = {
        institution: 'opera',
        orderId: order.id,
        ifMatch: (present: string) => expect(present).toBe(String(version)),
        idempotencyRecord: { key: randomUUID(), fingerprint: 'f', expiresAt: Number.MAX_SAFE_INTEGER, answer: ofOrder },
      };
      const rename = (context: OrdersContext) => nameOrderLine(context, command, String(order.lines[0]?.id), () => eva);
      const dying = {
        ...fixture.context,
        tickets: { ...fixture.context.tickets, issueAtOnce: () => new Promise<never>(() => {}) },
      };
      rename(dying).catch(() => undefined);
      await waitUntil(async () => (await fixture.document(order.id))?.lines[0]?.beneficiary?.lastName === eva.lastName);
      const changed = await fixture.document(order.id);
      const again = await rename(fixture.context);
      expect([again.lines[0]?.beneficiary, again.lines]).toEqual([eva, changed?.lines]);
    });

    test('not of a controlled ticket, nor of an order that ended; an unknown line is 404', async () => {
      const order = await sold();
      const [line] = order.lines;
      fixture.tickets.controlled.set(order.id, [String(line?.ticketId)]);
      expect((await name(order.id, line?.id, { beneficiary: eva })).code).toBe('order_ticket_controlled');
      expect((await name(order.id, line?.id, { beneficiary: ada })).status).toBe(200);
      expect((await name(order.id, order.lines[1]?.id, { beneficiary: eva })).status).toBe(200);
      for (const [id, lineId] of [
        [order.id, 'lin_unknown'],
        ['ord_unknown', line?.id],
      ] as const)
        expect((await name(id, lineId, { beneficiary: eva })).status).toBe(404);
      const { order: other, path } = await createOrderInHall(fixture);
      await fixture.call('POST', `${path}/cancellation`, { body: {} });
      expect((await name(other.id, other.lines[0]?.id, { beneficiary: eva })).code).toBe('order_cancelled');
    });

    test('a line can be written back as it was read, and other members are refused', async () => {
      const order = await sold();
      const [line] = order.lines;
      expect((await name(order.id, line?.id, line ?? {})).status).toBe(200);
      const changed = await name(order.id, line?.id, { ...line, ticketId: 'tic_other' });
      expect([changed.status, changed.code]).toEqual([422, 'validation_error']);
      expect((await name(order.id, line?.id, { beneficiary: eva }, { ifMatch: '"1"' })).status).toBe(412);
    });

    test('no fact has a name; an erasure deletes names and remembered answers', async () => {
      const contactNumber = `C-${randomUUID()}`;
      fixture.contacts.known.set(contactNumber, null);
      const order = await sold({ contactNumber });
      const key = randomUUID();
      await name(order.id, order.lines[1]?.id, { beneficiary: eva }, { key });
      await fixture.later(20_000);
      const facts = JSON.stringify(fixture.factsOf(order.id));
      for (const text of ['Lovelace', 'Moreau']) expect(facts).not.toContain(text);
      const before = await get(order.id);
      await fixture.deliver('contact.erased', { contactNumber, erasedAt: new Date().toISOString() });
      const after = await get(order.id);
      expect(namesOf(after)).toEqual([null, null]);
      expect(after.updatedAt >= before.updatedAt).toBe(true);
      const repeated = await name(order.id, order.lines[1]?.id, { beneficiary: eva }, { key });
      expect(repeated.headers.get('idempotency-replayed')).toBeNull();
    });
  });
});
