// rule commerce.5: Refused, in this order | services/orders/src/changes/change.ts
// rule commerce.5: every 409, 412, 422 below is a refusal | services/orders/src/changes/quote.ts

import { expect, test } from '@jest/globals';
import type { Hall } from '../fixture/catalog.ts';
import { type Call, describeOnEachEngine, type Fixture, type Order } from '../fixture/fixture.ts';
import { pay } from '../fixture/orders.ts';

const POLICY = { returnMinutes: 0, returnFee: null, exchangeMinutes: 0, exchangeFee: null };

/** A line of a paid order that is to move to a place which costs 500 more. */
interface Wanted {
  readonly order: Order;
  readonly other: Hall;
  readonly exchange: { readonly lineId: string | undefined; readonly tariffId: string };
  readonly difference: number;
  readonly more: object;
  readonly limits: { readonly onAccount: boolean; readonly heldPlaces?: number };
  readonly sell: () => Promise<Order>;
}

const toCall = ({ limits }: Pick<Wanted, 'limits'>): Call => ({
  bounds: { ownOrders: false, pointsOfSale: [], ...limits },
});

const prepare = async (fixture: Fixture): Promise<Wanted> => {
  const [old, strict] = [fixture.catalog.hall(4), fixture.catalog.hall(2)];
  const other = fixture.catalog.hall(2, { amount: 1_500 });
  fixture.catalog.describe(old.tariffId, { returnPolicy: POLICY });
  const limits = { onAccount: true };
  const call = toCall({ limits });
  const body = { items: [old.item(2), strict.item(1)] };
  const sell = async () => (await fixture.call('POST', '', { ...call, body })).data;
  const { id, total } = await sell();
  await pay(fixture, `/${id}`, { amount: total }, call);
  const { data: order } = await fixture.call('GET', `/${id}`, call);
  const { performanceId, seatCategoryId, tariffId } = other;
  const exchange = { lineId: order.lines[0]?.id, performanceId, seatCategoryId, tariffId };
  return { order, other, exchange, difference: 500, more: {}, limits, sell };
};

const send = (fixture: Fixture, { order, exchange, difference, more, ...made }: Wanted) =>
  fixture.call('POST', `/${order.id}/changes`, {
    ...toCall(made),
    body: { exchanges: [exchange], difference, ...more },
  });

const quote = (fixture: Fixture, { order, exchange, ...made }: Wanted) =>
  fixture.call<{ readonly refusals: readonly { readonly status: string }[] }>('POST', `/${order.id}/changes/quotes`, {
    ...toCall(made),
    body: { exchanges: [exchange] },
  });

interface Step {
  readonly what: string;
  readonly code: string;
  readonly status: number;
  readonly plant: (wanted: Wanted, fixture: Fixture) => Promise<Partial<Wanted>> | Partial<Wanted>;
  /** A quote, whose body says nothing of it, does not know it. */
  readonly isUnquoted?: true;
}

/** In the order of the interface. */
const steps: readonly Step[] = [
  {
    ...{ what: 'the state', code: 'order_not_confirmed', status: 412 },
    plant: async ({ sell }) => ({ order: await sell() }),
  },
  {
    ...{ what: 'another change', code: 'change_in_progress', status: 409 },
    async plant(wanted, fixture) {
      await send(fixture, { ...wanted, exchange: { ...wanted.exchange, lineId: wanted.order.lines[1]?.id } });
      return {};
    },
  },
  {
    ...{ what: 'an unknown tariff', code: 'validation_error', status: 422 },
    plant: ({ exchange }) => ({ exchange: { ...exchange, tariffId: 'trf_none' } }),
  },
  {
    ...{ what: 'the policy', code: 'change_not_allowed', status: 412 },
    plant: ({ order, exchange }) => ({ exchange: { ...exchange, lineId: order.lines[2]?.id } }),
  },
  {
    ...{ what: 'a control', code: 'order_ticket_controlled', status: 412 },
    plant({ order }, fixture) {
      const tickets = order.lines.map(({ ticketId }) => String(ticketId));
      fixture.tickets.controlled.set(order.id, tickets);
      return {};
    },
  },
  {
    ...{ what: 'the difference', code: 'change_difference_changed', status: 409, isUnquoted: true },
    plant: ({ difference }) => ({ difference: difference + 1 }),
  },
  {
    ...{ what: 'a refund of nothing', code: 'validation_error', status: 422, isUnquoted: true },
    plant: ({ more }) => ({ more: { ...more, refund: { method: 'cash' } } }),
  },
  {
    ...{ what: 'bounds', code: 'forbidden', status: 403, isUnquoted: true },
    plant: ({ more, limits }) => ({ more: { ...more, onAccount: true }, limits: { ...limits, onAccount: false } }),
  },
  {
    ...{ what: 'the limit of held places', code: 'order_hold_limit', status: 409 },
    plant: ({ limits }) => ({ limits: { ...limits, heldPlaces: 0 } }),
  },
  {
    ...{ what: 'the point of sale', code: 'order_tariff_not_sold_here', status: 422 },
    plant({ other }, fixture) {
      fixture.catalog.refuse(other, 'tariff_not_sold_here');
      return {};
    },
  },
];

/** No change waits of an order that is not confirmed. */
const findNext = (nth: number): Step | undefined => steps[nth === 0 ? 2 : nth + 1];
const cases = steps
  .flatMap((step, nth) => [[step], [step, findNext(nth) ?? []].flat()])
  .slice(0, -1)
  .map((some) => ({ name: some.map(({ what }) => what).join(', then '), some }));

describeOnEachEngine('what refuses a change', (fixture) => {
  test.each(cases)('$name', async ({ some }) => {
    let wanted = await prepare(fixture);
    for (const { plant } of some) wanted = { ...wanted, ...(await plant(wanted, fixture)) };
    const before = fixture.catalog.count(wanted.other);
    const quoted = await quote(fixture, wanted);
    const [known] = some.filter(({ isUnquoted }) => !isUnquoted);
    expect([quoted.status, quoted.data.refusals[0]?.status]).toEqual([200, known?.code]);
    const { status, code } = await send(fixture, wanted);
    expect({ status, code }).toEqual({ status: some[0]?.status, code: some[0]?.code });
    expect(fixture.catalog.count(wanted.other)).toEqual(before);
  });

  test('a place in another currency is refused as in a quote, and nothing is held', async () => {
    const wanted = await prepare(fixture);
    const euros = fixture.catalog.hall(2, { currency: 'EUR' });
    const { performanceId, seatCategoryId, tariffId } = euros;
    const inEuros = { ...wanted, exchange: { ...wanted.exchange, performanceId, seatCategoryId, tariffId } };
    expect((await quote(fixture, inEuros)).data.refusals).toMatchObject([{ status: 'validation_error' }]);
    expect(await send(fixture, { ...inEuros, difference: 0 })).toMatchObject({ status: 422, code: 'validation_error' });
    expect(fixture.catalog.count(euros)).toEqual({ free: 2, held: 0, sold: 0 });
  });

  test('is told by the paths of the request', async () => {
    const { order, exchange } = await prepare(fixture);
    const [one, other] = order.lines;
    const { performanceId = '', seatCategoryId = '', tariffId = '' } = one ?? {};
    const kept = { lineId: one?.id, performanceId, seatCategoryId, tariffId };
    const exchanges = [kept, { ...exchange, lineId: other?.id, tariffId: 'trf_none' }];
    const { details } = await fixture.call('POST', `/${order.id}/changes`, { body: { exchanges, difference: 0 } });
    expect(details).toContain('of $.exchanges[1].tariffId');
  });

  test('a shopper has no place of a performance that is over, and learns no price of a tariff kept from him', async () => {
    const { order, other, exchange } = await prepare(fixture);
    const body = { exchanges: [exchange] };
    const ask = async (more: object = {}) =>
      (await fixture.shop('POST', `/${order.id}/changes/quotes`, { body: { ...body, ...more } })).data;
    const over = [other.performanceId];
    expect(await ask()).toMatchObject({ available: true, difference: 500 });
    expect(await ask({ over })).toMatchObject({ available: false, refusals: [{ reason: 'not_on_sale' }] });
    const made = { ...body, over, requestId: 'one', difference: 500, paymentMethod: 'simulated' };
    const { data } = await fixture.shop('POST', `/${order.id}/changes`, { body: made });
    expect(data).toMatchObject({ outcome: 'refused', reason: 'not_on_sale' });
    expect(fixture.catalog.count(other)).toEqual({ free: 2, held: 0, sold: 0 });
    const kept = { ...exchange, tariffId: fixture.catalog.tariff(other, 700, 'member') };
    const nothing = { difference: null, fee: null, due: null, credit: null, lines: null };
    const refusals = [{ reason: 'tariff_not_accessible' }];
    expect(await ask({ exchanges: [kept] })).toMatchObject({ available: false, ...nothing, refusals });
  });

  test('a body without difference is malformed, and false is as good as nothing', async () => {
    const wanted = await prepare(fixture);
    const { status, code, details } = await send(fixture, { ...wanted, more: { difference: undefined } });
    expect([status, code]).toEqual([400, 'bad_request']);
    expect(details).toContain('$.difference');
    const more = { onAccount: false, override: false, waiveFees: false };
    expect(await send(fixture, { ...wanted, more })).toMatchObject({ status: 201, data: { state: 'pending' } });
  });
});
