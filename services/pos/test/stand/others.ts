import { Fault } from '@boxoffice/envelope';
import { type Authority, type Fake, openFake } from '@boxoffice/service/testkit';
import type { OwnContact } from '../../src/clients/contacts.ts';
import { contactsApi } from '../../src/clients/generated/contacts.ts';
import { ticketsApi } from '../../src/clients/generated/tickets.ts';
import type { Ticket } from '../../src/clients/tickets.ts';

const unknown = () => new Fault('not_found', 'There is no resource with this id.');

export interface ContactsStand extends Fake {
  readonly known: Map<string, OwnContact>;
  contact(contactNumber: string, criteria?: readonly string[]): OwnContact;
}

/** A fake of contacts. */
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
  const fake = await openFake({
    authority,
    api: contactsApi,
    handlers: {
      getContactInternally: ({ path }) => {
        const { contactNumber, kind, criteria, erasedAt } = find(path.contactNumber);
        return { contactNumber, kind, criteria, erasedAt };
      },
      getShopContact: ({ path }) => find(path.contactNumber),
    },
  });
  return { ...fake, known, contact };
};

export interface TicketsStand extends Fake {
  readonly tickets: Map<string, Ticket>;
}

/** A fake of tickets. */
export const openTickets = async (authority: Authority): Promise<TicketsStand> => {
  const tickets: TicketsStand['tickets'] = new Map();
  const find = (ticketId = ''): Ticket => {
    const found = tickets.get(ticketId);
    if (!found) throw unknown();
    return found;
  };
  const fake = await openFake({
    authority,
    api: ticketsApi,
    handlers: {
      listShopTickets: ({ query: { contactNumber, orderIds, status } }) => ({
        tickets: [...tickets.values()]
          .filter((ticket) => contactNumber === undefined || ticket.contactNumber === contactNumber)
          .filter((ticket) => orderIds === undefined || orderIds.split(',').includes(ticket.orderId))
          .filter((ticket) => status === undefined || ticket.status === status),
      }),
      getShopTicket: ({ path }) => find(path.ticketId),
      nameShopTicket: ({ path, body }) => {
        const ticket = find(path.ticketId);
        if (ticket.status === 'controlled') throw new Fault('ticket_already_controlled', 'It was used.');
        const beneficiary = { firstName: null, lastName: null, ...ticket.beneficiary, ...body };
        const isPrinted = ticket.status === 'printed';
        if (isPrinted) tickets.set(ticket.id, { ...ticket, status: 'invalidated' });
        const next = { ...ticket, id: isPrinted ? `${ticket.id}r` : ticket.id, beneficiary };
        tickets.set(next.id, next);
        return next;
      },
    },
  });
  return { ...fake, tickets };
};
