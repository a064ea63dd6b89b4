import { Fault } from '@boxoffice/envelope';
import type { Authority } from '@boxoffice/service/testkit';
import { openPeer, type PeerStand } from './peer.ts';

export interface TicketsStand extends PeerStand {
  /** Ids of the tickets that are controlled, by order. */
  readonly controlled: Map<string, readonly string[]>;
}

/** Stands in for tickets. */
export const openTickets = async (authority: Authority): Promise<TicketsStand> => {
  const controlled: TicketsStand['controlled'] = new Map();
  const peer = await openPeer(authority, 'tickets', [
    { id: 'issueTickets', method: 'post', path: '/internal/tickets/issue', act: () => ({ tickets: [] }) },
    {
      id: 'getOrderTickets',
      method: 'get',
      path: '/internal/orders/{orderId}/tickets',
      act: (_institution, { orderId = '' }) => {
        const ids = controlled.get(orderId) ?? [];
        const tickets = ids.map((ticketId) => ({ ticketId, lineId: 'lin_1', status: 'controlled' }));
        return { controlled: ids.length, tickets };
      },
    },
  ]);
  return { ...peer, controlled };
};

export interface ContactsStand extends PeerStand {
  /** Numbers of contacts, and when each was erased. */
  readonly known: Map<string, string | null>;
  /** What a contact has, by its number. */
  readonly criteria: Map<string, readonly string[]>;
  /** What guests said of themselves, by number. */
  readonly guests: Map<string, Readonly<Record<string, unknown>>>;
}

/** Stands in for contacts. */
export const openContacts = async (authority: Authority): Promise<ContactsStand> => {
  const known: ContactsStand['known'] = new Map();
  const criteria: ContactsStand['criteria'] = new Map();
  const guests: ContactsStand['guests'] = new Map();
  const peer = await openPeer(authority, 'contacts', [
    {
      id: 'getContactInternally',
      method: 'get',
      path: '/internal/contacts/{contactNumber}',
      act: (_institution, { contactNumber = '' }) => {
        const erasedAt = known.get(contactNumber);
        if (erasedAt === undefined) throw new Fault('not_found', 'no such contact');
        return { contactNumber, kind: 'individual', criteria: criteria.get(contactNumber) ?? [], erasedAt };
      },
    },
    {
      id: 'writeGuest',
      method: 'put',
      path: '/internal/shop/contacts/{contactNumber}',
      act: (_institution, { contactNumber = '' }, body) => {
        const { asOf: _, ...guest } = body as Readonly<Record<string, unknown>>;
        guests.set(contactNumber, guest);
        known.set(contactNumber, null);
        return { contactNumber };
      },
    },
    {
      id: 'forgetGuest',
      method: 'delete',
      path: '/internal/shop/contacts/{contactNumber}',
      act: (_institution, { contactNumber = '' }) => {
        if (guests.delete(contactNumber)) known.set(contactNumber, new Date().toISOString());
        return { contactNumber };
      },
    },
  ]);
  return { ...peer, known, criteria, guests };
};
