import { randomUUID } from 'node:crypto';
import type { CallerUser, ClientBounds } from '@boxoffice/identity';
import { describe, expect, test } from '@jest/globals';
import { emptyChange } from '../../src/domain/changes/follow.ts';
import { type Call, describeOnEachEngine, type Order } from '../fixture/fixture.ts';
import {
  expectUnknown,
  type Made,
  operations,
  orderOperations,
  sendExample,
  toComparable,
} from '../fixture/operations.ts';
import { createCart, pay } from '../fixture/orders.ts';

const [NORTH, SOUTH] = ['north.opera.example', 'south.opera.example'];
const own: ClientBounds = { ownOrders: true, pointsOfSale: [] };
const north: ClientBounds = { ownOrders: false, pointsOfSale: [NORTH] };
const agency: Call = { client: 'agency', bounds: own };
const agent: CallerUser = { id: 'usr_agent', role: 'manager', contact: null, pointsOfSale: [] };
const shop: Call = { client: 'agency', bounds: north };

const lists = operations.filter(({ path, method }) => method === 'get' && !path.includes('{'));

describeOnEachEngine('a client has what lies within its bounds', (fixture) => {
  const make = async (call: Call, more: object = {}): Promise<Made> => {
    const hall = fixture.catalog.hall(4);
    const made = await fixture.call('POST', '', { body: { items: [hall.item(2)], ...more }, ...call });
    if (made.status !== 201) throw new Error(made.text);
    const path = `/${made.data.id}`;
    const { data: payment } = await pay(fixture, path, { amount: 2 });
    const { data: refund } = await fixture.call('POST', `${path}/refunds`, { body: { method: 'card', amount: 1 } });
    const [line] = made.data.lines;
    const changeId = 'chg_1';
    const figures = { difference: 0, fee: 0, due: 0, credit: 0, createdAt: 0, asOf: 1 };
    const changes = [{ ...emptyChange, ...figures, id: changeId, state: 'lapsed' as const }];
    await fixture.context.orders.of('opera').update(made.data.id, (order) => ({ next: { ...order, changes } }));
    return { orderId: made.data.id, lineId: String(line?.id), paymentId: payment.id, refundId: refund.id, changeId };
  };

  const within: readonly [string, Call, () => Promise<Made>, readonly (() => Promise<Made>)[]][] = [
    [
      'ownOrders',
      agency,
      () => make({ ...agency, user: agent }),
      [
        () => make({ client: 'other' }),
        async () => {
          const { orderId, ...made } = await make({});
          await fixture.context.orders.of('opera').update(orderId, ({ createdBy: _, ...next }) => ({ next }));
          return { orderId, ...made };
        },
        async () => ({ orderId: (await createCart(fixture)).cart.id }),
      ],
    ],
    [
      'points of sale',
      shop,
      () => make({ client: 'other' }, { pointOfSale: NORTH }),
      [() => make({ client: 'agency' }, { pointOfSale: SOUTH }), () => make({ client: 'agency' })],
    ],
    [
      'both',
      { client: 'agency', bounds: { ownOrders: true, pointsOfSale: [NORTH] } },
      () => make({ client: 'agency' }, { pointOfSale: NORTH }),
      [
        () => make({ client: 'other' }, { pointOfSale: NORTH }),
        () => make({ client: 'agency' }, { pointOfSale: SOUTH }),
      ],
    ],
  ];

  describe.each(within)('by %s', (_by, call, makeOwn, others) => {
    test('no operation answers about another order than about one that never existed', async () => {
      for (const other of others) await expectUnknown(fixture, await other(), call, { isBrief: other !== others[0] });
    });

    test('every operation knows an order within them', async () => {
      for (const one of orderOperations) {
        const answer = await sendExample(fixture, one, await makeOwn(), call);
        expect([one.id, answer.status, answer.text]).not.toEqual([one.id, 404, answer.text]);
      }
    });

    test('every list has what lies within them, and nothing else', async () => {
      expect(lists.map(({ id }) => id)).toContain('listOrders');
      const made = await makeOwn();
      const foreign = await Promise.all(others.map((other) => other()));
      for (const one of lists) {
        const { text, status } = await fixture.call('GET', `${one.path}?limit=500`, call);
        expect([one.id, status]).toEqual([one.id, 200]);
        expect(text).toContain(made.orderId);
        for (const { orderId } of foreign) expect(text).not.toContain(orderId);
      }
    });
  });

  test('every operation is one of an order, a list, a creation or a quote', () => {
    const known = [...orderOperations, ...lists].map(({ id }) => id);
    expect(operations.map(({ id }) => id).filter((id) => !known.includes(id))).toEqual(['quoteOrder', 'createOrder']);
  });

  test('a filter by another client finds nothing', async () => {
    const { orderId } = await make({ client: 'other' });
    const list = async (call: Call) =>
      (await fixture.call<{ items: Order[] }>('GET', '?limit=500&createdBy=other', call)).data.items;
    expect((await list({})).map(({ id }) => id)).toContain(orderId);
    expect(await list(agency)).toEqual([]);
  });

  test('what a key answered without bounds is not shown with them', async () => {
    const body = { items: [fixture.catalog.hall(1).item()] };
    const call = { client: 'agency', key: randomUUID(), body };
    expect((await fixture.call('POST', '', call)).status).toBe(201);
    const again = await fixture.call('POST', '', { ...call, bounds: own });
    expect(again).toMatchObject({ status: 422, code: 'idempotency_key_reused', data: null });
  });

  describe('a contact', () => {
    const contact = (reachedBy?: string): string => {
      const number = `C${randomUUID()}`;
      fixture.contacts.known.set(number, null);
      if (reachedBy) fixture.contacts.reachedBy.set(number, reachedBy);
      return number;
    };

    test.each([
      ['ownOrders', agency, {}],
      ['points of sale', shop, { pointOfSale: NORTH }],
    ])(
      'that does not exist for the client, by %s, reads like one that never existed, wherever it is named',
      async (_by, bounded, at) => {
        const [foreign, unknown] = [contact('other'), `C${randomUUID()}`];
        const items = [fixture.catalog.hall(9).item()];
        const { orderId } = await make(bounded, at);
        const requests: [string, string, object][] = [
          ['POST', '', { items, ...at }],
          ['POST', '/quotes', { items, ...at }],
          ['PATCH', `/${orderId}`, {}],
        ];
        for (const [method, path, body] of requests) {
          const name = (contactNumber: string, call: Call = bounded) =>
            fixture.call(method, path, { ...call, body: { ...body, contactNumber } });
          const [one, other] = [toComparable(await name(foreign)), toComparable(await name(unknown))];
          expect(JSON.stringify(one).replaceAll(foreign, unknown)).toBe(JSON.stringify(other));
          expect(one.text).toContain('there is no contact');
          const { text } = await name(foreign, { client: 'agency' });
          expect(text).not.toContain('there is no contact');
        }
      },
    );

    test('that the client made, or that its orders name, is named', async () => {
      const contactNumber = contact('agency');
      const items = [fixture.catalog.hall(1).item()];
      const { data, status } = await fixture.call('POST', '', { ...agency, body: { items, contactNumber } });
      expect([status, String(data.contactNumber)]).toEqual([201, contactNumber]);
    });
  });

  describe('an order', () => {
    const order = (call: Call, pointOfSale?: string, path = '') =>
      fixture.call('POST', path, {
        ...call,
        body: { items: [fixture.catalog.hall(1).item()], ...(pointOfSale && { pointOfSale }) },
      });

    test.each(['', '/quotes'])('names one of the points of sale: POST %s', async (path) => {
      for (const name of [undefined, SOUTH]) {
        const refused = await order(shop, name, path);
        expect(refused).toMatchObject({ status: 403, code: 'forbidden', data: null });
        expect(refused.details).toBe(`$.pointOfSale must be one of these: ${NORTH}.`);
      }
      expect((await order(shop, NORTH, path)).status).toBe(path === '' ? 201 : 200);
    });

    const user: CallerUser = { id: 'usr_till', role: 'box_office', contact: null, pointsOfSale: [SOUTH] };

    test('of a user names one that both user and client have', async () => {
      const both: Call = { client: 'agency', bounds: { ownOrders: false, pointsOfSale: [NORTH, SOUTH] }, user };
      expect([(await order(both, NORTH)).status, (await order(both, SOUTH)).status]).toEqual([403, 201]);
    });

    test('of a user who has no point of sale of the client is refused, and there are none', async () => {
      await make({}, { pointOfSale: SOUTH });
      const none: Call = { ...shop, user };
      for (const path of ['', '/quotes']) {
        const refused = await order(none, SOUTH, path);
        expect(refused).toMatchObject({ status: 403, code: 'forbidden' });
        expect(refused.details).toContain('none in common');
      }
      expect((await fixture.call('GET', '?limit=500', none)).data).toMatchObject({ items: [], nextCursor: null });
    });

    test('has lines of its point of sale, also those that are added later', async () => {
      const { data } = await order(shop, NORTH);
      await fixture.call('POST', `/${data.id}/lines`, { ...shop, body: { items: [fixture.catalog.hall(1).item()] } });
      const asked = fixture.catalog.calls.filter(({ operation }) => operation === 'holdPlaces').slice(-2);
      expect(asked.map(({ body }) => body)).toMatchObject([{ pointOfSale: NORTH }, { pointOfSale: NORTH }]);
    });
  });
});
