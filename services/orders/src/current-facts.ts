import { announcedAgain, type CurrentFacts } from '@boxoffice/service';
import { everyDocument } from '@boxoffice/store';
import { ORDER_RECORDED, shownOf } from './announcements.ts';
import { type DomainFact, orderCancelled, orderConfirmed, orderExpired } from './domain/order/facts.ts';
import { ORDER_CANCELLED, ORDER_CONFIRMED, ORDER_EXPIRED } from './events.ts';
import { type OrderDocument, ordersCollection } from './store.ts';

/** The fact that describes the order's present state; none while its sale is due, since that publishes one. */
const factOf = (order: OrderDocument): DomainFact | undefined => {
  if (order.saleDue) return undefined;
  switch (order.state) {
    case 'confirmed':
      return orderConfirmed(order);
    case 'expired':
      return orderExpired(order);
    case 'cancelled': {
      const { cancellation } = order;
      if (!cancellation) return undefined;
      const { hadTickets, override = false } = cancellation;
      return orderCancelled(order, { hadTickets, override });
    }
    default:
      return undefined;
  }
};

/**
 * The present facts of all confirmed, cancelled and expired orders, and the last event of each order. Carts have no
 * `modifiedAt`.
 */
export const currentFacts: CurrentFacts = {
  types: [ORDER_CONFIRMED, ORDER_CANCELLED, ORDER_EXPIRED, ORDER_RECORDED],
  async *read(store) {
    for await (const order of everyDocument(store.collection(ordersCollection))) {
      const fact = factOf(order);
      const { institution, id: key, version, modifiedAt: changedAt } = order;
      if (fact) yield { ...fact, institution, key, version, changedAt };
      const last = announcedAgain(order, ORDER_RECORDED, { resource: 'order', data: shownOf(order) });
      if (last) yield { ...last, institution, key, version, changedAt };
    }
  },
};
