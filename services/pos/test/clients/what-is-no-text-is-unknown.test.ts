import { type Peer, PeerRefusal } from '@boxoffice/service';
import { expect, test } from '@jest/globals';
import { createCatalog } from '../../src/clients/catalog.ts';
import { createContacts } from '../../src/clients/contacts.ts';
import { createOrders } from '../../src/clients/orders.ts';
import { createTickets } from '../../src/clients/tickets.ts';

const LONE_SURROGATE = '\ud800';

/** A peer that knows nothing, and can be asked for any path that is one. */
const peer: Peer = {
  call: async (_institution, { path }) => {
    decodeURIComponent(path);
    throw new PeerRefusal('peer', 404, 'not_found', null);
  },
  close: () => undefined,
};

test('an id that is no well-formed text is as unknown as any other', async () => {
  const [contacts, orders, tickets, catalog] = [
    createContacts(peer),
    createOrders(peer),
    createTickets(peer),
    createCatalog(peer),
  ];
  expect(
    await Promise.all([
      contacts.known('opera', LONE_SURROGATE),
      contacts.own('opera', LONE_SURROGATE),
      orders.get('opera', LONE_SURROGATE),
      tickets.get('opera', LONE_SURROGATE),
      catalog.pointOfSale(LONE_SURROGATE),
      catalog.places('opera', LONE_SURROGATE),
    ]),
  ).toEqual(Array(6).fill(undefined));
  const { outcome, reason } = await orders.removeLine('opera', 'ord_1', LONE_SURROGATE);
  expect([outcome, reason]).toEqual(['refused', 'cart_gone']);
});
