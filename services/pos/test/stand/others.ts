import { Fault } from '@boxoffice/envelope';
import type { Authority } from '@boxoffice/service/testkit';
import type { OwnContact } from '../../src/clients/contacts.ts';
import type { Naming, Ticket } from '../../src/clients/tickets.ts';
import { openPeer, type PeerStand } from './peer.ts';

const unknown = () => new Fault('not_found', 'There is no resource with this id.');

export interface ContactsStand extends PeerStand {
  readonly known: Map<string, OwnContact>;
  contact(contactNumber: string, criteria?: readonly string[]): OwnContact;
}

/** Stands in for contacts. */
export const openContacts = async (authority: Authority): Promise<ContactsStand> => {
  const known: ContactsStand['known'] = new Map();
  const find = (contactNumber = ''): OwnContact => {
    const found = known.get(contactNumber);
    if (!found) throw unknown();
    return found;
  };
  const contact: ContactsStand['contact'] = (contactNumber, criteria = []) => {
    const made: OwnContact = {
      contactNumber,
      kind: 'individual',
      title: null,
      firstName: 'Ana',
      lastName: 'Martin',
      name: null,
      email: 'ana.martin@example.org',
      phone: null,
      language: 'fr',
      street: null,
      postalCode: null,
      city: 'Genève',
      country: 'CH',
      criteria,
      newsletter: false,
      partners: false,
      createdAt: '2026-11-20T16:05:12.000Z',
      updatedAt: '2026-11-20T16:05:12.000Z',
      erasedAt: null,
    };
    known.set(contactNumber, made);
    return made;
  };
  const peer = await openPeer(authority, 'contacts', [
    {
      id: 'getContactInternally',
      method: 'get',
      path: '/internal/contacts/{contactNumber}',
      act: ({ params }) => {
        const { contactNumber, kind, criteria, erasedAt } = find(params.contactNumber);
        return { contactNumber, kind, criteria, erasedAt };
      },
    },
    {
      id: 'getShopContact',
      method: 'get',
      path: '/internal/shop/contacts/{contactNumber}',
      act: ({ params }) => find(params.contactNumber),
    },
  ]);
  return { ...peer, known, contact };
};

export interface TicketsStand extends PeerStand {
  readonly tickets: Map<string, Ticket>;
}

/** Stands in for tickets. */
export const openTickets = async (authority: Authority): Promise<TicketsStand> => {
  const tickets: TicketsStand['tickets'] = new Map();
  const find = (ticketId = ''): Ticket => {
    const found = tickets.get(ticketId);
    if (!found) throw unknown();
    return found;
  };
  const peer = await openPeer(authority, 'tickets', [
    {
      id: 'listShopTickets',
      method: 'get',
      path: '/internal/shop/tickets',
      query: ['contactNumber', 'orderIds', 'status'],
      act: ({ query: { contactNumber, orderIds, status } }) => ({
        tickets: [...tickets.values()]
          .filter((ticket) => contactNumber === undefined || ticket.contactNumber === contactNumber)
          .filter((ticket) => orderIds === undefined || orderIds.split(',').includes(ticket.orderId))
          .filter((ticket) => status === undefined || ticket.status === status),
      }),
    },
    {
      id: 'getShopTicket',
      method: 'get',
      path: '/internal/shop/tickets/{ticketId}',
      act: ({ params }) => find(params.ticketId),
    },
    {
      id: 'nameShopTicket',
      method: 'post',
      path: '/internal/shop/tickets/{ticketId}/beneficiary',
      act: ({ params, body }) => {
        const ticket = find(params.ticketId);
        if (ticket.status === 'controlled') throw new Fault('ticket_already_controlled', 'It was used.');
        const naming: Naming = body;
        const beneficiary = { firstName: null, lastName: null, ...ticket.beneficiary, ...naming };
        const isPrinted = ticket.status === 'printed';
        if (isPrinted) tickets.set(ticket.id, { ...ticket, status: 'invalidated' });
        const next = { ...ticket, id: isPrinted ? `${ticket.id}r` : ticket.id, beneficiary };
        tickets.set(next.id, next);
        return next;
      },
    },
  ]);
  return { ...peer, tickets };
};
