import assert from 'node:assert/strict';
import { selectHistories } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cancel } from '../../src/domain/cancellation.ts';
import { confirmPaidOrder, giveUpSale } from '../../src/domain/confirmation.ts';
import { type Decision, isRefused } from '../../src/domain/decisions.ts';
import { computeCredit, computeDue, computeLeft, computeNet, computeOwed } from '../../src/domain/order/money.ts';
import type { Order } from '../../src/domain/order/order.ts';
import { expire } from '../../src/domain/order/state.ts';
import { addPayment } from '../../src/domain/payments.ts';
import { recordRefundReport, refundByProvider, refundCredit } from '../../src/domain/provider-refunds.ts';
import { addAnotherPage, addPage, recordDispute, recordReport } from '../../src/domain/providers.ts';
import { createOpenOrder, MINUTE, NOW, toSale } from './samples.ts';

const TOTAL = 10_000;
const GRACE_MS = 32 * MINUTE;

const kinds = [
  ...['page', 'page', 'pay', 'pay', 'pay', 'close', 'report', 'report', 'report', 'report', 'stale', 'sale', 'sale'],
  ...['wait', 'deadline', 'shopper', 'institution', 'cash', 'refund', 'work', 'work', 'refund done', 'refund failed'],
  ...['dispute', 'dispute lost', 'dispute won'],
] as const;

/** `flag` and `number` choose among pages, refunds, amounts and outcomes. */
interface Event {
  readonly kind: (typeof kinds)[number];
  readonly number: number;
  readonly flag: boolean;
}

const histories: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...kinds), number: fc.nat({ max: 9 }), flag: fc.boolean() }),
  { minLength: 3, maxLength: 40, size: 'max' },
);

/** What the provider has, which it reports in any sequence. */
interface Session {
  readonly id: string;
  state: 'open' | 'paid' | 'closed';
}

type Rules = ReturnType<typeof createRules>;

const createRules = () => ({ recordReport, refundCredit, refundByProvider });

const open = (): Order => ({
  ...createOpenOrder(),
  pointOfSale: 'tickets.opera.example',
  checkout: { requestId: 'r', paymentMethod: 'stripe', at: NOW },
});

const pageOf = (id: string, until: number) => ({
  ...{ paymentId: id, provider: 'stripe' as const, mode: 'simulated' as const, reference: `cs_${id}` },
  ...{ url: 'https://localhost/', amount: TOTAL, currency: 'CHF', until },
  expiresAt: new Date(until - MINUTE).toISOString(),
});

/** An order, the sessions of its provider, and the refunds that it was asked for. */
const createHistory = (rules: Rules) => {
  let order = open();
  let now = NOW;
  const sessions: Session[] = [];
  const asked: { refundId: string; paymentId: string; amount: number; automatic: boolean }[] = [];
  const refused = new Set<string>();
  /** Somebody wants the money to stay, or it could not go back. */
  let isDisturbed = false;

  const check = (): void => {
    const { state } = order;
    const isOver = state === 'expired' || state === 'cancelled';
    assert.ok(isOver || computeCredit(order) === 0 || computeDue(order) === 0, 'credit and due are both positive');
    assert.ok(computeNet(order) >= 0, 'more went back than was captured');
    for (const payment of order.payments) {
      const back = order.refunds.filter(({ paymentId, status }) => paymentId === payment.id && status !== 'failed');
      const sum = back.reduce((subtotal, { amount }) => subtotal + amount, 0);
      assert.ok(sum <= payment.amount && (payment.status === 'captured' || sum === 0), 'more went back than came');
      assert.ok(computeLeft(order, payment) >= 0);
    }
    const requested = order.refunds.filter(({ provider }) => provider !== undefined);
    assert.deepEqual(
      requested.map(({ id, paymentId, amount }) => [id, paymentId, amount]),
      asked.map(({ refundId, paymentId, amount }) => [refundId, paymentId, amount]),
      'the provider is asked for each refund once',
    );
    assert.equal(new Set(asked.map(({ refundId }) => refundId)).size, asked.length);
  };

  const write = (decision: Decision): boolean => {
    if (isRefused(decision)) {
      refused.add(decision.refused.reason);
      if (decision.refused.reason === 'past_due') return write(expire(order, now));
      return false;
    }
    order = decision.next;
    for (const { type, data } of decision.facts) if (type === 'order.refund_requested') asked.push(data);
    check();
    return true;
  };
  const report = (session: Session, status: 'pending' | 'captured' | 'failed'): void => {
    const page = { ...pageOf(session.id, now), status };
    if (!write(rules.recordReport(order, page, now))) write(rules.recordReport(order, page, now));
    write(rules.recordReport(order, page, now));
    const known = order.payments.find(({ id }) => id === session.id);
    if (status === 'captured') assert.equal(known?.status, 'captured', 'money that came is not recorded');
  };
  const tell = (session: Session): void =>
    report(session, ({ open: 'pending', paid: 'captured', closed: 'failed' } as const)[session.state]);
  const sell = (isPossible: boolean): void => {
    const { saleDue } = order;
    if (!saleDue) return;
    const sale = { ...toSale(order), due: saleDue };
    write(isPossible ? confirmPaidOrder(order, sale, now) : giveUpSale(order, saleDue, now));
  };
  const work = (isOn: boolean): void => {
    const deriveRefundId = (paymentId: string) => `ref_${paymentId}_${order.refunds.length}`;
    if (order.creditDue && !order.saleDue && !isOn) isDisturbed = true;
    write(rules.refundCredit(order, { isOn, deriveRefundId }, now));
  };
  const end = (givesBack: boolean): void => {
    const before = order.state;
    if (order.saleDue) sell(true);
    write(cancel(order, { reason: null, override: true, controlled: 0, givesBack }, now));
    if (!givesBack && before !== 'cancelled' && order.state === 'cancelled') isDisturbed = true;
  };
  const dispute = (number: number, state: 'open' | 'won' | 'lost', amount: number): void => {
    const session = sessions[number % Math.max(1, sessions.length)];
    if (!session || !order.payments.some(({ id, status }) => id === session.id && status === 'captured')) return;
    if (order.saleDue) sell(true);
    isDisturbed = true;
    write(recordDispute(order, { paymentId: session.id, state, amount, reason: 'fraudulent', at: now }, now));
  };

  return {
    refused,
    play({ kind, number, flag }: Event): void {
      now += 1_000;
      const session = sessions[number % Math.max(1, sessions.length)];
      const refund = order.refunds[number % Math.max(1, order.refunds.length)];
      if (kind === 'page') {
        const page = pageOf(`pay_${sessions.length}`, now + GRACE_MS);
        const isFirst = order.state === 'open' && order.payments.length === 0 && (order.deadline ?? 0) > now;
        const isOpened = write(isFirst ? addPage(order, page, now) : addAnotherPage(order, page, now));
        if (isOpened || flag) sessions.push({ id: page.paymentId, state: 'open' });
      }
      if (session && kind === 'pay' && session.state === 'open') session.state = 'paid';
      if (session && kind === 'close' && session.state === 'open') session.state = 'closed';
      if (session && kind === 'report') tell(session);
      // An earlier answer comes after a later one; that of a page that was paid is never that it has failed.
      if (session && kind === 'stale') report(session, session.state === 'open' || !flag ? 'pending' : 'captured');
      if (session && kind === 'stale' && session.state !== 'open' && flag) session.state = 'paid';
      if (kind === 'sale') sell(flag);
      if (kind === 'wait') now += number * 5 * MINUTE;
      if (kind === 'deadline') now = Math.max(now, order.deadline ?? 0);
      if (kind === 'wait' || kind === 'deadline') write(expire(order, now));
      if (kind === 'shopper' || kind === 'institution') end(kind === 'shopper');
      if (kind === 'cash') {
        const input = { id: `cash_${now}`, method: 'cash', amount: flag ? TOTAL : number * 1_000 + 1, graceMs: 0 };
        if (write(addPayment(order, { ...input, status: 'captured' }, now))) isDisturbed = true;
      }
      if (kind === 'refund') {
        const input = { id: `ref_${now}`, provider: 'stripe' as const, amount: number * 1_000 + 1 };
        if (write(rules.refundByProvider(order, input, now))) isDisturbed = true;
      }
      if (kind === 'work') work(flag || number > 2);
      if (refund?.provider && (kind === 'refund done' || kind === 'refund failed')) {
        const status = kind === 'refund done' ? 'done' : 'failed';
        if (status === 'failed') isDisturbed = true;
        write(recordRefundReport(order, { refundId: refund.id, status, reference: `re_${refund.id}` }, now));
      }
      if (kind === 'dispute') dispute(number, 'open', TOTAL);
      if (kind === 'dispute lost') dispute(number, 'lost', number * 1_500);
      if (kind === 'dispute won') dispute(number, 'won', TOTAL);
    },
    /** Every page has ended and was reported, and all work is done: no money without places or a refund. */
    rest(isSold: boolean): Order {
      for (const session of sessions) {
        if (session.state === 'open') session.state = 'closed';
        tell(session);
        sell(isSold);
      }
      now = Math.max(now, order.deadline ?? 0);
      write(expire(order, now));
      sell(isSold);
      work(true);
      assert.equal(order.creditDue ?? null, null);
      assert.ok(order.state === 'confirmed' || order.state === 'expired' || order.state === 'cancelled');
      for (const { id, state } of sessions) {
        const known = order.payments.find((payment) => payment.id === id);
        assert.equal(known?.status === 'captured', state === 'paid', 'here and there are different');
      }
      if (!isDisturbed) assert.equal(computeNet(order), computeOwed(order), 'money has neither places nor a refund');
      return order;
    },
  };
};

const playHistory = (rules: Rules, events: readonly Event[], isSold: boolean) => {
  const history = createHistory(rules);
  for (const event of events) history.play(event);
  return { order: history.rest(isSold), refused: history.refused };
};

const invariants = (rules: Rules) =>
  fc.property(histories, fc.boolean(), (events, isSold) => void playHistory(rules, events, isSold));

test('random pages, payments, reports, cancellations, refunds and disputes leave no money without places or refund', () => {
  fc.assert(invariants(createRules()), selectHistories({ numRuns: 3_000 }));
});

test('they reach every end, with refunds by themselves, second captures and disputes', () => {
  const seen = new Set<string>();
  for (const events of fc.sample(histories, { numRuns: 2_000, seed: 4 })) {
    const { order, refused } = playHistory(createRules(), events, events.length % 2 === 0);
    seen.add(order.state);
    for (const reason of refused) if (reason === 'payment_disputed' || reason === 'not_payable') seen.add(reason);
    if (order.refunds.some(({ automatic }) => automatic)) seen.add('refunded by itself');
    if (order.payments.filter(({ status }) => status === 'captured').length > 1) seen.add('paid twice');
    if (order.payments.some(({ disputed }) => disputed?.state === 'lost')) seen.add('lost');
  }
  expect([...seen].toSorted()).toEqual(
    [
      ...['cancelled', 'confirmed', 'expired', 'refunded by itself', 'paid twice', 'lost'],
      ...['payment_disputed', 'not_payable'],
    ].toSorted(),
  );
});

const planted: Readonly<Record<string, Partial<Rules>>> = {
  'a report that pays again': {
    recordReport: (order, report, now) =>
      recordReport(order, { ...report, paymentId: `${report.paymentId}_${now}` }, now),
  },
  'a capture after a failure that is not recorded': {
    recordReport: (order, report, now) => {
      const known = order.payments.find(({ id }) => id === report.paymentId);
      return known?.status === 'failed' ? { next: order, facts: [] } : recordReport(order, report, now);
    },
  },
  'a late capture that stays credit': {
    recordReport: (order, report, now) => {
      const decision = recordReport(order, report, now);
      return isRefused(decision) ? decision : { ...decision, next: { ...decision.next, creditDue: null } };
    },
  },
  'credit that goes back twice': {
    refundCredit: (order, how, now) => {
      const decision = refundCredit(order, how, now);
      const creditDue = decision.facts.length > 0 ? order.creditDue : null;
      return { ...decision, next: { ...decision.next, ...(creditDue && { creditDue }) } };
    },
  },
  'a refund of what was not captured': {
    refundByProvider: (order, input, now) => {
      const payments = order.payments.map((payment) => ({ ...payment, status: 'captured' as const }));
      const decision = refundByProvider({ ...order, payments }, input, now);
      return isRefused(decision) ? decision : { ...decision, next: { ...decision.next, payments: order.payments } };
    },
  },
};

test.each(Object.keys(planted))('they find %s', (name) => {
  const rules = { ...createRules(), ...planted[name] };
  expect(fc.check(invariants(rules), { numRuns: 3_000, seed: 7 }).failed).toBe(true);
});
