import type { Fixture } from '../fixture/fixture.ts';
import { PAID, type Shown, shopperOf } from '../fixture/shopper.ts';

/** What orders announces of an order, as `order.recorded`. */
export const announced = (fixture: Fixture, orderId: string, type: string, more: object = {}): object => {
  const order = fixture.orders.orders.get(orderId);
  if (!order) throw new Error(`there is no order ${orderId}`);
  const { contactNumber, pointOfSale } = order;
  const at = new Date().toISOString();
  const data = { contactNumber, confirmedAt: at, cancellation: { requestedAt: at } };
  return {
    event: {
      type,
      resource: { type: 'order', id: orderId },
      data,
      belongsTo: { clientIds: [], pointOfSale },
      version: 4,
      position: 40,
      before: null,
      ...more,
    },
  };
};

/** A guest buys a place; the tickets are issued as electronic ones. Returns the order's id and the guest's contact. */
export const sell = async (fixture: Fixture, { email = 'ana.martin@example.org', itemCount = 1 } = {}) => {
  const { fill, buy, itemOf } = shopperOf(fixture);
  const { token, cartId } = await fill();
  for (let more = 1; more < itemCount; more += 1)
    await fixture.call<Shown>('POST', '/shopping-cart/items', { token, body: itemOf() });
  const contact = { firstName: 'Ana', lastName: 'Martin', email };
  const { data, text } = await buy(token, { contact, ...PAID });
  const order = fixture.orders.orders.get(String(data?.id ?? cartId));
  if (!order) throw new Error(text);
  order.ticketDelivery = 'electronic';
  fixture.tickets.print(order.id);
  fixture.contacts.known.set(String(order.contactNumber), {
    ...fixture.contacts.contact(String(order.contactNumber)),
    email,
  });
  const [line] = order.lines;
  if (!line) throw new Error('the order is empty');
  return { order, id: order.id, contactNumber: String(order.contactNumber), performanceId: line.performanceId };
};
