import type { UsageDocument } from '@boxoffice/authorizer';
import type { OrderDocument } from '@boxoffice/orders';
import type { Invariant } from '../../src/check/findings.ts';
import {
  createProviderPayment,
  createProviderRefund,
  createSoldPlace,
  type InstitutionFixture,
} from './institution-fixture.ts';

/** A fault in an institution, and what the check reports of it. */
export interface Planted {
  /** Whether the fixture needs a user, a grant, an API key and usage. */
  readonly access?: boolean;
  readonly invariants: readonly Invariant[];
  plant(fixture: InstitutionFixture): Promise<unknown>;
  /** The ids that the violations must contain. */
  readonly named?: (fixture: InstitutionFixture) => readonly string[];
}

type Change = NonNullable<OrderDocument['changes']>[number];

const line = (change: object) => (order: { readonly lines: readonly object[] }) =>
  ({ lines: order.lines.map((one) => ({ ...one, ...change })) }) as object;
/** The line at this price. */
const cost = (line: OrderDocument['lines'][number], amount: number) => {
  const taxes = [{ taxId: null, rate: null, net: amount, tax: 0, gross: amount }];
  return { ...line, amount, ...(line.price && { price: { ...line.price, base: amount, components: [], taxes } }) };
};
const money = {
  id: 'pay',
  method: 'card',
  amount: 100,
  currency: 'CHF',
  reference: null,
  request: null,
  createdAt: 1,
  updatedAt: 1,
};
const captured = { ...money, status: 'captured' as const };
export const held = { state: 'held', freeFrom: Date.now() + 3_600_000, request: 'r', item: 0 } as const;

/** A further line, with this ticket, leaves the order of the line that is sold. */
const leaveOrder = async (
  order: InstitutionFixture['order'],
  addTicket: InstitutionFixture['addTicket'],
  id: InstitutionFixture['id'],
  ticket: Parameters<InstitutionFixture['addTicket']>[1],
  settlement: Partial<Change['settlement']>,
): Promise<void> => {
  const counts = { ticketsCancelled: 0, controlled: 0, placesReleased: 0, settledAt: null };
  const change: Change = {
    ...{ id: id('chg'), state: 'done' as const, reason: null, exchanges: [], newLines: [], fees: [] },
    returns: [{ lineId: id('lin_left'), reason: null, fee: 0 }],
    ...{ difference: 0, fee: 0, due: 0, credit: 0, refundId: null, expiresAt: null, deadline: null, coveredAt: null },
    ...{ createdAt: 1, doneAt: 1, asOf: 1, settlement: { ...counts, ...settlement } },
  };
  await addTicket('ord_sold', { id: id('tic_left'), lineId: id('lin_left'), ...ticket });
  await order('ord_sold', ({ lines }) => ({
    changes: [{ ...change, difference: -(lines[0]?.amount ?? 0) }],
    formerLines: lines.map(({ price: _, ...one }) => ({ ...one, id: id('lin_left'), changeId: change.id, leftAt: 1 })),
  }));
};

/** An order that was paid and refunded by a provider, as both sides have recorded it, but for what is changed. */
const plantProvider =
  (changed: { payment?: object; record?: object; refund?: object; recordedRefund?: object } = {}) =>
  async ({ collections, institution, id, order }: InstitutionFixture): Promise<void> => {
    const [orderId, paymentId, refundId] = [id('ord_sold'), id('pay_p'), id('ref_p')];
    const provided = { provider: 'stripe', mode: 'test' } as const;
    const payment = createProviderPayment({ id: paymentId, orderId });
    const refund = createProviderRefund({ id: refundId, orderId, paymentId });
    await collections.providerPayments.of(institution).insert({ ...payment, ...changed.payment });
    await collections.providerRefunds.of(institution).insert({ ...refund, ...changed.refund });
    await order('ord_sold', ({ lines }) => ({
      lines: lines.map((one) => cost(one, 100)),
      goodwill: 100,
      payments: [{ ...captured, ...provided, id: paymentId, reference: payment.reference, ...changed.record }],
      refunds: [
        {
          ...{ ...money, ...provided, id: refundId, paymentId, reference: refund.reference },
          ...{ status: 'done', goodwill: 100, ...changed.recordedRefund },
        },
      ],
    }));
  };

const price =
  (change: (composed: NonNullable<OrderDocument['lines'][number]['price']>) => object) =>
  ({ lines }: OrderDocument) => ({
    lines: lines.map((one) => (one.price ? { ...one, price: { ...one.price, ...change(one.price) } } : one)),
  });

const uses = (...all: readonly string[]) => price(({ grant }) => (grant ? { grant: { ...grant, uses: all } } : {}));

/** Every kind of violation. */
export const planted: Readonly<Record<string, Planted>> = {
  'a place is gone': {
    invariants: ['capacity'],
    plant: ({ collections, place, institution }) => collections.places.of(institution).delete(place(6)),
    named: ({ id }) => [id('prf'), id('cat')],
  },
  'a place too many': {
    invariants: ['capacity'],
    plant: ({ setPlace }) => setPlace(7, { state: 'free', freeFrom: 0 }),
    named: ({ id }) => [id('prf'), id('cat')],
  },
  'at its start the clocks of the venue show another time than was meant': {
    invariants: ['local_time'],
    plant: ({ collections, institution, id }) =>
      collections.performances.of(institution).update(id('prf'), (current) => {
        const start = { startDate: '2090-05-01T17:30:00.000Z', timeZone: current.timeZone };
        return {
          next: { ...current, ...start, meantStart: { time: '2090-05-01T12:00:00', release: '2026a', ...start } },
        };
      }),
    named: ({ id }) => [id('prf')],
  },
  'sold to nobody': {
    invariants: ['place_state'],
    plant: ({ setPlace }) => setPlace(5, { state: 'sold' }),
    named: ({ place }) => [place(5)],
  },
  'sold to an order that does not exist': {
    invariants: ['place_owner'],
    plant: ({ setPlace }) => setPlace(5, createSoldPlace('ord_nobody')),
    named: ({ place }) => [place(5), 'ord_nobody'],
  },
  'sold to a cancelled order': {
    invariants: ['place_owner'],
    plant: ({ setPlace, id }) => setPlace(5, createSoldPlace(id('ord_gone'))),
    named: ({ place, id }) => [place(5), id('ord_gone')],
  },
  'held by an expired order': {
    invariants: ['place_owner'],
    plant: ({ setPlace, id }) => setPlace(5, { ...held, holder: id('ord_late') }),
    named: ({ place, id }) => [place(5), id('ord_late')],
  },
  'held for an order that does not exist, for longer than any hold lasts': {
    invariants: ['place_owner'],
    plant: ({ setPlace }) => setPlace(5, { ...held, freeFrom: Date.now() + 48 * 3_600_000, holder: 'ord_never' }),
    named: ({ place }) => [place(5), 'ord_never'],
  },
  'a kept place is free': {
    invariants: ['place_owner'],
    plant: ({ setPlace }) => setPlace(4, { state: 'free', freeFrom: 0, holder: null }),
    named: ({ place, id }) => [place(4), id('ord_kept')],
  },
  'a sold place is free': {
    invariants: ['line_place'],
    plant: ({ setPlace }) => setPlace(2, { state: 'free', freeFrom: 0, holder: null }),
    named: ({ place, id }) => [place(2), id('ord_sold')],
  },
  'a place in two live orders': {
    invariants: ['line_place', 'line_ticket', 'place_owner'],
    plant: ({ order, place }) => order('ord_sold', line({ place: { id: place(3), label: '', row: null, seat: null } })),
    named: ({ place, id }) => [place(3), id('ord_sold'), id('ord_replaced')],
  },
  'a use of a discount is gone': {
    invariants: ['capacity'],
    plant: ({ collections, use, discountId, institution }) =>
      collections.places.of(institution).delete(use(discountId, 2)),
    named: ({ discountId }) => [discountId],
  },
  'a use of a code too many': {
    invariants: ['capacity'],
    plant: ({ change, codeId }) => change('discountCodes', codeId, { maxUses: 2 }),
    named: ({ codeId }) => [codeId],
  },
  'a limit that its uses do not follow': {
    invariants: ['capacity'],
    plant: ({ change, discountId }) =>
      change('priceRules', discountId, ({ rule }) => ({
        rule: { ...rule, limits: { uses: 3, usesPerOrder: null } } as typeof rule,
      })),
    named: ({ discountId }) => [discountId],
  },
  'a use sold to a cancelled order': {
    invariants: ['place_owner'],
    plant: ({ change, use, discountId, id }) => change('places', use(discountId, 2), createSoldPlace(id('ord_gone'))),
    named: ({ use, discountId, id }) => [use(discountId, 2), id('ord_gone')],
  },
  'a use that none of the lines of its order has': {
    invariants: ['place_owner'],
    plant: ({ change, use, discountId, id }) => change('places', use(discountId, 2), createSoldPlace(id('ord_sold'))),
    named: ({ use, discountId, id }) => [use(discountId, 2), id('ord_sold')],
  },
  'a sold use is free': {
    invariants: ['line_place'],
    plant: ({ change, use, codeId }) => change('places', use(codeId, 1), { state: 'free', freeFrom: 0, holder: null }),
    named: ({ use, codeId, id }) => [use(codeId, 1), id('ord_sold')],
  },
  'a line without the use of its code': {
    invariants: ['line_use', 'place_owner'],
    plant: ({ order, use, discountId }) => order('ord_sold', uses(use(discountId, 1))),
    named: ({ id }) => [id('ord_sold'), id('lin_ord_sold')],
  },
  'a line with two uses of its discount': {
    invariants: ['line_use'],
    plant: async ({ order, change, use, discountId, codeId, id }) => {
      await change('places', use(discountId, 2), createSoldPlace(id('ord_sold')));
      await order('ord_sold', uses(use(discountId, 1), use(discountId, 2), use(codeId, 1)));
    },
    named: ({ id }) => [id('ord_sold'), id('lin_ord_sold')],
  },
  'an amount that its base and components do not make': {
    invariants: ['price'],
    plant: ({ order }) =>
      order(
        'ord_sold',
        price(() => ({ base: 2_600 })),
      ),
    named: ({ id }) => [id('ord_sold'), id('lin_ord_sold')],
  },
  'a tax of another rate': {
    invariants: ['price'],
    plant: ({ order }) =>
      order(
        'ord_sold',
        price(({ taxes }) => ({ taxes: taxes.map((one) => ({ ...one, rate: '20' })) })),
      ),
    named: ({ id }) => [id('ord_sold'), id('lin_ord_sold')],
  },
  'a fee of the order whose taxes are of another amount': {
    invariants: ['price'],
    plant: ({ order, id }) => {
      const fee = { id: 'fee_2', name: {}, effect: { amount: 250 }, tax: { taxId: null, rate: null } };
      const taxes = [{ ...fee.tax, net: 200, tax: 0, gross: 200 }];
      return order('ord_sold', () => ({ fees: [{ id: id('fli'), fee, amount: 250, taxes }] }));
    },
    named: ({ id }) => [id('ord_sold'), id('fli')],
  },
  'a held place is lost': {
    invariants: ['line_place'],
    plant: ({ setPlace }) => setPlace(1, { state: 'free', freeFrom: 0, holder: null }),
    named: ({ place, id }) => [place(1), id('ord_open')],
  },
  'a ticket is missing': {
    invariants: ['line_ticket'],
    plant: ({ collections, id, institution }) => collections.tickets.of(institution).delete(id('tic_ord_sold')),
    named: ({ id }) => [id('ord_sold'), id('lin_ord_sold')],
  },
  'a line has two tickets': {
    invariants: ['line_ticket'],
    plant: ({ addTicket, id }) => addTicket('ord_sold', { id: id('tic_more') }),
    named: ({ id }) => [id('ord_sold'), id('tic_more')],
  },
  'a cancelled order has a valid ticket': {
    invariants: ['cancelled_ticket'],
    plant: ({ ticket }) => ticket('tic_ord_gone', { status: 'printed' }),
    named: ({ id }) => [id('ord_gone'), id('tic_ord_gone')],
  },
  'a cancellation says wrong numbers': {
    invariants: ['cancellation'],
    plant: ({ order }) =>
      order('ord_gone', ({ cancellation }) => ({
        cancellation: cancellation && { ...cancellation, placesReleased: 0 },
      })),
    named: ({ id }) => [id('ord_gone')],
  },
  'confirmed, and still holding': {
    invariants: ['order_state'],
    plant: ({ order }) => order('ord_sold', () => ({ heldPlaces: 1 })),
    named: ({ id }) => [id('ord_sold')],
  },
  'more refunded than paid': {
    invariants: ['payments'],
    plant: ({ order }) => order('ord_sold', () => ({ refunds: [money] })),
    named: ({ id }) => [id('ord_sold')],
  },
  'more goodwill than refunds count for': {
    invariants: ['payments'],
    plant: ({ order }) => order('ord_sold', () => ({ goodwill: 1 })),
    named: ({ id }) => [id('ord_sold')],
  },
  'less goodwill than refunds count for, and no change has taken it': {
    invariants: ['payments'],
    plant: ({ order }) => order('ord_sold', () => ({ payments: [captured], refunds: [{ ...money, goodwill: 100 }] })),
    named: ({ id }) => [id('ord_sold')],
  },
  'more goodwill than was sold': {
    invariants: ['payments'],
    plant: ({ order }) =>
      order('ord_sold', ({ lines }) => ({
        payments: [captured],
        refunds: [{ ...money, goodwill: 100 }],
        goodwill: 100,
        lines: lines.map((one) => cost(one, 10)),
      })),
    named: ({ id }) => [id('ord_sold')],
  },
  'a failed refund still counts as goodwill': {
    invariants: ['payments'],
    plant: ({ order }) =>
      order('ord_sold', () => ({
        payments: [captured],
        refunds: [{ ...money, status: 'failed', goodwill: 100 }],
        goodwill: 100,
      })),
    named: ({ id }) => [id('ord_sold')],
  },
  'more refunded of a payment than it brought': {
    invariants: ['payments'],
    plant: ({ order }) =>
      order('ord_sold', () => ({
        payments: [captured, { ...captured, id: 'pay_other' }],
        refunds: [
          { ...money, id: 'ref_1', paymentId: 'pay', goodwill: 0 },
          { ...money, id: 'ref_2', paymentId: 'pay', goodwill: 0 },
        ],
      })),
    named: ({ id }) => [id('ord_sold')],
  },
  'a lost dispute counts more than was left of its payment': {
    invariants: ['payments'],
    plant: ({ order }) =>
      order('ord_sold', () => {
        const disputed = {
          state: 'lost' as const,
          amount: 200,
          reason: 'fraudulent',
          at: 1,
          refunded: 101,
          goodwill: 0,
        };
        return { payments: [{ ...captured, disputed }] };
      }),
    named: ({ id }) => [id('ord_sold')],
  },
  'a lost dispute that does not count': {
    invariants: ['payments'],
    plant: ({ order }) =>
      order('ord_sold', () => {
        const disputed = {
          state: 'lost' as const,
          amount: 200,
          reason: 'fraudulent',
          at: 1,
          refunded: 0,
          goodwill: 0,
        };
        return { payments: [{ ...captured, disputed }] };
      }),
    named: ({ id }) => [id('ord_sold')],
  },
  'credit that lists do not find': {
    invariants: ['payments'],
    plant: ({ order }) => order('ord_gone', () => ({ payments: [captured], hasCredit: false })),
    named: ({ id }) => [id('ord_gone')],
  },
  'a line that left without a change': {
    invariants: ['payments'],
    plant: ({ order }) =>
      order('ord_sold', ({ lines }) => ({
        formerLines: lines.map((one) => ({ ...one, id: `${one.id}_left`, changeId: 'chg_never', leftAt: 1 })),
      })),
    named: ({ id }) => [id('ord_sold')],
  },
  'a change that costs something else than its lines, and should have ended': {
    invariants: ['payments'],
    plant: ({ order }) =>
      order('ord_sold', ({ lines }) => ({
        changes: [
          {
            ...{ id: 'chg_late', state: 'pending' as const, reason: null, exchanges: [], newLines: [], fees: [] },
            returns: lines.map((one) => ({ lineId: one.id, reason: null, fee: 5 })),
            ...{ difference: 1, fee: 4, due: 2, credit: 1, refundId: null, expiresAt: 1, deadline: 1, coveredAt: null },
            ...{ createdAt: 1, doneAt: null, asOf: 1 },
            settlement: { ticketsCancelled: null, controlled: null, placesReleased: null, settledAt: null },
          },
        ],
      })),
    named: ({ id }) => [id('ord_sold')],
  },
  'a change that is done with another due and credit than it raised': {
    invariants: ['payments'],
    plant: async ({ order }) =>
      order('ord_sold', ({ lines }) => {
        const [line] = lines;
        const [lineId, amount] = [`${line?.id}_left`, line?.amount ?? 0];
        const counts = { ticketsCancelled: 1, controlled: 0, placesReleased: 1, settledAt: 2 };
        const change = {
          ...{ id: 'chg_1', state: 'done' as const, reason: null, exchanges: [], newLines: [], fees: [] },
          ...{ returns: [{ lineId, reason: null, fee: 0 }], difference: -amount, fee: 0, due: 0, credit: amount },
          ...{ refundId: null, expiresAt: null, deadline: null, coveredAt: null },
          ...{ createdAt: 1, doneAt: 1, asOf: 1, settlement: counts },
        };
        const former = line ? [{ ...line, id: lineId, changeId: 'chg_1', leftAt: 1 }] : [];
        return { changes: [change], formerLines: former };
      }),
    named: ({ id }) => [id('ord_sold')],
  },
  'a captured payment of a provider with another figure in its order': {
    invariants: ['provider_payment'],
    plant: plantProvider({ payment: { amount: 99 } }),
    named: ({ id }) => [id('pay_p'), id('ord_sold')],
  },
  'a payment of a provider that was not captured and is in its order': {
    invariants: ['provider_payment'],
    plant: plantProvider({ payment: { state: 'expired' } }),
    named: ({ id }) => [id('pay_p'), id('ord_sold')],
  },
  'a dispute of which its order does not know': {
    invariants: ['provider_payment'],
    plant: plantProvider({
      payment: { dispute: { state: 'open', amount: 100, currency: 'CHF', reason: 'fraudulent', at: '2027-01-01' } },
    }),
    named: ({ id }) => [id('pay_p')],
  },
  'money of a provider for an order that does not exist': {
    invariants: ['provider_payment'],
    plant: ({ collections, institution, id }) =>
      collections.providerPayments
        .of(institution)
        .insert(createProviderPayment({ id: id('pay_n'), orderId: id('ord_never') })),
    named: ({ id }) => [id('pay_n'), id('ord_never')],
  },
  'a payment and a refund of a provider that payments does not have': {
    invariants: ['provider_payment', 'provider_refund'],
    plant: async (fixture) => {
      await plantProvider()(fixture);
      const { collections, institution, id } = fixture;
      await collections.providerPayments.of(institution).delete(id('pay_p'));
      await collections.providerRefunds.of(institution).delete(id('ref_p'));
    },
    named: ({ id }) => [id('pay_p'), id('ref_p')],
  },
  'a refund that has failed at the provider and is done in its order': {
    invariants: ['provider_refund'],
    plant: plantProvider({ refund: { state: 'failed' } }),
    named: ({ id }) => [id('ref_p'), id('ord_sold')],
  },
  'money of another amount that nobody has acknowledged': {
    invariants: ['payment_mismatch'],
    plant: ({ collections, institution, id }) =>
      collections.providerPayments.of(institution).insert(
        createProviderPayment({
          ...{ id: id('pay_m'), orderId: id('ord_open'), state: 'failed' },
          mismatch: { amount: 1, currency: 'EUR', at: '2027-01-01T00:00:00.000Z', acknowledgedAt: null },
        }),
      ),
    named: ({ id }) => [id('pay_m'), id('ord_open'), `cs_${id('pay_m')}`],
  },
  'waits for no payment': {
    invariants: ['payments'],
    plant: ({ order }) => order('ord_open', () => ({ state: 'payment_pending', cameFrom: 'open' })),
    named: ({ id }) => [id('ord_open')],
  },
  'a ticket of no order': {
    invariants: ['ticket_order'],
    plant: ({ addTicket, id }) => addTicket('ord_nobody', { id: id('tic_lost') }),
    named: ({ id }) => [id('tic_lost'), id('ord_nobody')],
  },
  'a valid ticket of a line that left': {
    invariants: ['ticket_order'],
    plant: ({ order, addTicket, id }) => leaveOrder(order, addTicket, id, { status: 'printed' }, { settledAt: 1 }),
    named: ({ id }) => [id('tic_left'), id('ord_sold')],
  },
  'a place of a used ticket whose line left is free': {
    invariants: ['place_owner'],
    plant: ({ order, addTicket, id, place }) => {
      const used = { status: 'controlled', place: { id: place(6), label: '', row: null, seat: null } } as const;
      return leaveOrder(order, addTicket, id, used, { settledAt: 1 });
    },
    named: ({ place, id }) => [place(6), id('ord_sold')],
  },
  'a ticket of another contact than its order': {
    invariants: ['ticket_bounds'],
    plant: ({ ticket, id }) => ticket('tic_ord_sold', { contactNumber: id('C3') }),
    named: ({ id }) => [id('tic_ord_sold'), id('ord_sold')],
  },
  'a ticket of another point of sale than its order': {
    invariants: ['ticket_bounds'],
    plant: ({ ticket }) => ticket('tic_ord_gone', { pointOfSale: 'other.example' }),
    named: ({ id }) => [id('tic_ord_gone'), id('ord_gone')],
  },
  'a replaced ticket without the next': {
    invariants: ['ticket_lineage'],
    plant: ({ ticket, id }) => ticket('tic_ord_gone', { status: 'invalidated', replacedBy: id('tic_never') }),
    named: ({ id }) => [id('tic_ord_gone')],
  },
  'an order of nobody': {
    invariants: ['contact', 'ticket_bounds'],
    plant: ({ order }) => order('ord_sold', () => ({ contactNumber: 'C_nobody' })),
    named: ({ id }) => [id('ord_sold'), 'C_nobody'],
  },
  'an erased contact logs in': {
    invariants: ['contact'],
    plant: ({ change, id }) => change('logins', id('login'), { contactNumber: id('C2') }),
    named: ({ id }) => [id('login'), id('C2')],
  },
  'an erased contact’s names': {
    invariants: ['erasure'],
    plant: ({ ticket }) => ticket('tic_next', { beneficiary: { firstName: 'Clara', lastName: 'Haskil' } }),
    named: ({ id }) => [id('tic_next'), id('C2')],
  },
  'another point of sale’s cart': {
    invariants: ['session_cart'],
    plant: ({ change, id }) => change('sessions', id('session'), { cartId: id('ord_open') }),
    named: ({ id }) => [id('session'), id('ord_open')],
  },
  'an active user without a password': {
    access: true,
    invariants: ['user'],
    plant: ({ change, id }) => change('users', id('usr'), { passwordHash: null }),
    named: ({ id }) => [id('usr')],
  },
  'a user of an erased contact': {
    access: true,
    invariants: ['user'],
    plant: ({ change, id }) => change('users', id('usr'), { contactNumber: id('C2') }),
    named: ({ id }) => [id('usr'), id('C2')],
  },
  'a session for days': {
    access: true,
    invariants: ['sign_in'],
    plant: ({ change, id }) => change('signIns', id('ses'), ({ expiresAt }) => ({ expiresAt: expiresAt + 86_400_000 })),
    named: ({ id }) => [id('ses')],
  },
  'a grant to nobody': {
    access: true,
    invariants: ['sign_in'],
    plant: ({ change, id }) => change('grants', id('gnt'), { clientId: 'cli_nobody' }),
    named: ({ id }) => [id('gnt'), 'cli_nobody'],
  },
  'requests with a key that never was': {
    access: true,
    invariants: ['api_key'],
    plant: ({ collections, id, institution }) =>
      collections.apiKeyUses.of(institution).insert({
        id: id('key_never'),
        month: '2027-03',
        used: 1,
        lastUsedAt: '2027-03-01T00:00:00.000Z',
        gateways: [],
      }),
    named: ({ id }) => [id('key_never')],
  },
  'a report counted twice in its minute': {
    access: true,
    invariants: ['usage'],
    plant: (fixture) =>
      usageOf(fixture, 'minute', ({ rows }) => ({ rows: rows.map((row) => ({ ...row, requests: 2 * row.requests })) })),
  },
  'a day that lost its requests': {
    access: true,
    invariants: ['usage'],
    plant: (fixture) => usageOf(fixture, 'day', () => ({ rows: [] })),
  },
  'a change without an event': {
    invariants: ['event'],
    plant: async (fixture) => {
      await announce(fixture, 20);
      await record(fixture, 1, 10);
    },
    named: ({ id }) => [id('ord_sold')],
  },
  'a change that waits for one that was lost': {
    invariants: ['event'],
    plant: async (fixture) => {
      await announce(fixture, 30);
      await putAside(fixture, 30, 20);
    },
    named: ({ id }) => [id('ord_sold')],
  },
  'a gap in the events': {
    invariants: ['event_sequence'],
    plant: async (fixture) => {
      await record(fixture, 1, 10);
      await record(fixture, 3, 20);
    },
    named: ({ id }) => [id('evt_20')],
  },
  'a change after a later one': {
    invariants: ['event_sequence'],
    plant: async (fixture) => {
      await record(fixture, 1, 20);
      await record(fixture, 2, 10);
    },
    named: ({ id }) => [id('evt_10')],
  },
};

/** The event of an order's change. */
const eventAt = ({ id }: InstitutionFixture, position: number) =>
  ({
    id: id(`evt_${position}`),
    type: 'order.changed',
    resource: { type: 'order', id: id('ord_sold'), version: position / 10 },
    position,
    occurredAt: new Date().toISOString(),
    data: {},
  }) as const;

const record = async (fixture: InstitutionFixture, sequence: number, position: number): Promise<void> => {
  const { collections, institution } = fixture;
  const event = eventAt(fixture, position);
  await collections.events.of(institution).insert({ ...event, sequence, recordedAt: Date.now() });
};

/** The order's last change is the one of this position. */
const announce = ({ order }: InstitutionFixture, position: number): Promise<void> =>
  order('ord_sold', () => ({ lastAnnouncement: { type: 'order.changed', version: position / 10, position } }));

const putAside = async (fixture: InstitutionFixture, position: number, before: number): Promise<void> => {
  const { collections, institution } = fixture;
  const event = eventAt(fixture, position);
  await collections.waiting.of(institution).insert({ id: event.id, event, before, since: Date.now() });
};

/** Changes the usage of one resolution of a fixture. */
const usageOf = async (
  { collections, institution, change }: InstitutionFixture,
  resolution: string,
  to: (document: UsageDocument) => Partial<UsageDocument>,
): Promise<void> => {
  const where = { resolution, start: { gte: '2000' } };
  const [found] = await collections.usage.of(institution).find({ where, orderBy: 'start' });
  await change('usage', found?.id ?? '', to);
};

/** Findings that look the same but have pending work. */
export const underWay: Readonly<Record<string, Pick<Planted, 'access' | 'plant'>>> = {
  'nothing at all': { access: true, plant: async () => undefined },
  'a payment and a refund of a provider that both sides have': { plant: plantProvider() },
  'a report that its hour does not include yet': {
    access: true,
    plant: (fixture) => usageOf(fixture, 'minute', () => ({ rows: [], gateways: [{ id: 'another', upTo: 1 }] })),
  },
  'a sale that its process did not live to write': {
    plant: ({ setPlace, id }) => setPlace(1, createSoldPlace(id('ord_open'))),
  },
  'a hold whose order was never written': {
    plant: ({ setPlace }) => setPlace(5, { ...held, holder: 'ord_never' }),
  },
  'a hold that came after the end of its order': {
    plant: ({ setPlace, id }) => setPlace(6, { ...held, holder: id('ord_late') }),
  },
  'a late payment whose places are sold and not confirmed yet': {
    plant: async ({ setPlace, order, id }) => {
      await setPlace(5, createSoldPlace(id('ord_late')));
      await order('ord_late', () => ({ saleDue: { since: Date.now(), paymentId: 'pay' } }));
    },
  },
  'a paid order whose places are not sold yet': {
    plant: async ({ setPlace, order }) => {
      await setPlace(1, { state: 'free', freeFrom: 0, holder: null });
      await order('ord_open', () => ({ saleDue: { since: Date.now(), paymentId: 'pay' } }));
    },
  },
  'a cancellation that is not settled yet': {
    plant: ({ order }) =>
      order('ord_gone', ({ cancellation }) => ({ cancellation: cancellation && { ...cancellation, settledAt: null } })),
  },
  'a change that is not settled yet': {
    plant: async ({ order, addTicket, id, setPlace }) => {
      await setPlace(6, createSoldPlace(id('ord_sold')));
      await leaveOrder(order, addTicket, id, { status: 'printed' }, {});
    },
  },
  'tickets that an event will make': {
    plant: async ({ collections, id, institution }) => {
      await collections.tickets.of(institution).delete(id('tic_ord_sold'));
      const events = [{ type: 'order.confirmed', data: { orderId: id('ord_sold') } }];
      await collections.orders.of(institution).update(id('ord_sold'), (order) => ({ next: order, events }));
    },
  },
  'an event that was put aside and is due': {
    plant: async (fixture) => {
      await announce(fixture, 20);
      await record(fixture, 1, 10);
      await putAside(fixture, 20, 10);
    },
  },
  'a hold that has lapsed and somebody else’s since': {
    plant: async ({ order, setPlace }) => {
      await order('ord_open', () => ({ deadline: Date.now() - 1_000, expiresAt: Date.now() - 1_000 }));
      await setPlace(1, { state: 'free', freeFrom: 0, holder: null });
    },
  },
};
