import { Fault } from '@boxoffice/envelope';
import { type Authority, type Fake, openFake } from '@boxoffice/service/testkit';
import { ordersApi } from '../../src/clients/generated/orders.ts';
import type { Addition, Line, Order, Outcome, Reason } from '../../src/clients/orders.ts';
import type { TicketsStand } from './others.ts';

type Kept = { -readonly [Key in keyof Order]: Order[Key] } & { requests: Map<string, Outcome> };

export interface OrdersStand extends Fake {
  readonly orders: Map<string, Kept>;
  /** The next wish is refused so. */
  refuseNext(reason: Reason): void;
  /** The institution says that the pending payment failed. */
  fail(orderId: string): void;
  /** The hold of the cart is over. */
  expire(orderId: string): void;
}

const PRICE = 4_500;
const at = '2026-11-20T16:05:12.000Z';

/** The contact that orders makes of the guest who buys this order. */
export const guestNumber = (orderId: string): string => `CGUEST${orderId.slice(-6).toUpperCase()}`;

/** A fake of orders: carts, their checkout, and orders; idempotent by request. */
export const openOrders = async (authority: Authority, tickets: TicketsStand): Promise<OrdersStand> => {
  const orders: OrdersStand['orders'] = new Map();
  let planted: Reason | undefined;
  let lines = 0;

  const view = ({ requests: _, ...order }: Kept): Order => ({ ...order });
  const done = (order: Kept): Outcome => ({ outcome: 'done', reason: null, details: null, order: view(order) });
  const refused = (reason: Reason, order?: Kept): Outcome => ({
    outcome: 'refused',
    reason,
    details: `$.items[0].placeId: planted ${reason}`,
    order: order ? view(order) : null,
  });
  const find = (orderId = ''): Kept => {
    const found = orders.get(orderId);
    if (!found) throw new Fault('not_found', 'There is no resource with this id.');
    return found;
  };
  const once = (order: Kept, requestId: string, act: () => Outcome): Outcome => {
    const known = order.requests.get(requestId);
    if (known) return { ...known, order: view(order) };
    const outcome = act();
    if (outcome.outcome === 'done') order.requests.set(requestId, outcome);
    return outcome;
  };
  const takePlanted = (): Reason | undefined => {
    const reason = planted;
    planted = undefined;
    return reason;
  };
  const add = (order: Kept, items: Addition['items']): void => {
    for (const { quantity = 1, placeIds, ...wish } of items) {
      for (const placeId of placeIds ?? Array.from({ length: quantity }, () => undefined)) {
        lines += 1;
        const line: Line = {
          id: `lin_${lines}`,
          productId: `prd_${wish.performanceId.slice(4)}`,
          performanceId: wish.performanceId,
          startDate: '2031-05-01T18:30:00.000Z',
          seatCategoryId: wish.seatCategoryId,
          tariffId: wish.tariffId,
          criterion: null,
          place: { id: placeId ?? `plc_${lines}`, label: `A ${lines}`, row: null, seat: null },
          amount: PRICE,
          beneficiary: null,
          ticketId: null,
        };
        order.lines = [...order.lines, line];
      }
    }
    order.total = order.lines.length * PRICE;
  };
  const isCart = ({ state, listed, payable }: Kept): boolean => state === 'open' && (!listed || payable);

  const confirm = (order: Kept): void => {
    order.state = 'confirmed';
    order.lines = order.lines.map((line) => ({ ...line, ticketId: `tic_${line.id}` }));
    for (const line of order.lines) {
      const ticket = {
        id: String(line.ticketId),
        status: 'not_printed' as const,
        orderId: order.id,
        lineId: line.id,
        productId: line.productId,
        performanceId: line.performanceId,
        startDate: line.startDate,
        seatCategoryId: line.seatCategoryId,
        place: line.place,
        tariffId: line.tariffId,
        price: line.amount,
        currency: 'CHF',
        beneficiary: line.beneficiary,
        barcode: `barcode.${line.id}`,
        printedAt: null,
        controlledAt: null,
        gate: null,
        replaces: null,
        replacedBy: null,
        createdAt: at,
        updatedAt: at,
        contactNumber: order.contactNumber,
      };
      tickets.tickets.set(ticket.id, ticket);
    }
  };

  const fake = await openFake({
    authority,
    api: ordersApi,
    handlers: {
      addCartItems: ({ body }) => {
        const { orderId, requestId, items, pointOfSale } = body;
        const reason = takePlanted();
        if (reason) return refused(reason, orders.get(orderId));
        const order: Kept = orders.get(orderId) ?? {
          id: orderId,
          state: 'open',
          listed: false,
          payable: false,
          version: 1,
          pointOfSale,
          contactNumber: null,
          currency: 'CHF',
          total: 0,
          due: 0,
          lines: [],
          expiresAt: '2031-01-01T00:00:00.000Z',
          deadline: '2031-01-01T00:00:00.000Z',
          checkout: null,
          confirmedAt: null,
          cancelledAt: null,
          createdAt: at,
          updatedAt: at,
          requests: new Map(),
        };
        if (!isCart(order)) return refused('cart_gone', order);
        orders.set(orderId, order);
        return once(order, requestId, () => {
          add(order, items);
          return done(order);
        });
      },
      changeCartItem: ({ path, body }) => {
        const order = find(path.orderId);
        const { tariffId, beneficiaryFirstName, beneficiaryLastName } = body;
        const reason = takePlanted();
        if (reason) return refused(reason, order);
        if (!isCart(order)) return refused('cart_gone', order);
        if (!order.lines.some(({ id }) => id === path.lineId)) return refused('unknown_line', order);
        order.lines = order.lines.map((line) => {
          if (line.id !== path.lineId) return line;
          const { firstName = null, lastName = null } = line.beneficiary ?? {};
          return {
            ...line,
            tariffId: tariffId ?? line.tariffId,
            beneficiary: {
              firstName: beneficiaryFirstName === undefined ? firstName : beneficiaryFirstName,
              lastName: beneficiaryLastName === undefined ? lastName : beneficiaryLastName,
            },
          };
        });
        return done(order);
      },
      removeCartItem: ({ path }) => {
        const order = find(path.orderId);
        const reason = takePlanted();
        if (reason) return refused(reason, order);
        if (!isCart(order)) return refused('cart_gone', order);
        if (!order.lines.some(({ id }) => id === path.lineId)) return refused('unknown_line', order);
        order.lines = order.lines.filter(({ id }) => id !== path.lineId);
        order.total = order.lines.length * PRICE;
        return done(order);
      },
      giveUpCart: ({ path }) => {
        const order = find(path.orderId);
        if (order.listed && !order.payable) return refused('cart_gone', order);
        if (order.state === 'open') Object.assign(order, { state: 'cancelled', payable: false });
        return done(order);
      },
      checkoutCart: ({ path, body }) => {
        const order = find(path.orderId);
        const { requestId, guest, paymentMethod, paymentToken } = body;
        const contactNumber = guest ? guestNumber(order.id) : (body.contactNumber ?? null);
        const reason = takePlanted();
        if (reason) return refused(reason, order);
        if (order.checkout?.requestId === requestId) return done(order);
        return once(order, requestId, () => {
          if (order.state === 'expired') return refused('cart_expired', order);
          if (!isCart(order)) return refused('cart_gone', order);
          if (paymentToken === 'declined') return refused('payment_declined', order);
          Object.assign(order, {
            listed: true,
            payable: false,
            contactNumber,
            checkout: { requestId, paymentMethod, at },
          });
          if (paymentMethod === 'external' || paymentToken === 'pending') order.state = 'payment_pending';
          else confirm(order);
          return done(order);
        });
      },
      cancelShopOrder: ({ path, body }) => {
        const order = find(path.orderId);
        const { requestId } = body;
        const reason = takePlanted();
        if (reason) return refused(reason, order);
        return once(order, requestId, () => {
          if (order.state === 'cancelled' || order.state === 'expired') return refused('not_cancellable', order);
          order.state = 'cancelled';
          return done(order);
        });
      },
      cancelAfterFault: ({ path }) => {
        const order = find(path.orderId);
        Object.assign(order, { state: 'cancelled', payable: false });
        return { cancelled: true, state: order.state };
      },
      getShopOrder: ({ path }) => view(find(path.orderId)),
      listShopOrders: ({ query: { contactNumber, ids = '', offset, limit } }) => {
        const own = [...orders.values()].filter(
          (order) => order.listed && (order.contactNumber === contactNumber || ids.split(',').includes(order.id)),
        );
        const items = own.slice(Number(offset), Number(offset) + Number(limit)).map(view);
        return { items, total: own.length };
      },
    },
  });
  return {
    ...fake,
    orders,
    refuseNext: (reason) => {
      planted = reason;
    },
    fail: (orderId) => {
      const order = find(orderId);
      if (order.state !== 'payment_pending') throw new Error('nothing is pending');
      Object.assign(order, { state: 'open', payable: true });
    },
    expire: (orderId) => {
      Object.assign(find(orderId), { state: 'expired', payable: false });
    },
  };
};
