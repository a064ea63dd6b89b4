import type { Role } from '@boxoffice/identity';

const catalog = ['catalog:read'];
const contacts = ['contacts:read', 'contacts:write'];
const tickets = ['tickets:read', 'tickets:write'];
const orders = ['orders:read', 'orders:write', 'orders.sensitive:read', 'orders.sensitive:write'];
const sensitive = ['contacts.sensitive:read', 'contacts.sensitive:write'];

/** Who walks: a user of a role, or a client with one of the two bounds. */
export type Walker = Role | 'ownOrders' | 'pointsOfSale';

/** The scopes of each role at most, of those that the services have. */
export const SCOPES: Readonly<Record<Walker, readonly string[] | 'all'>> = {
  admin: 'all',
  manager: 'all',
  box_office: [...catalog, ...contacts, 'orders:read', 'orders:write', 'orders.sensitive:read', ...tickets],
  door: [...catalog, ...tickets],
  customer: [...catalog, ...contacts, 'orders:read', 'tickets:read'],
  ownOrders: [...catalog, ...contacts, ...sensitive, ...orders, ...tickets],
  pointsOfSale: [...catalog, ...contacts, ...orders, ...tickets],
};

/** The client with bounds. */
export const SELLER = 'reseller';

/**
 * What a role may not do at all, although its scopes would allow it. A new operation is decided here first; but those of
 * the catalog are a customer's if they are public.
 */
export const DECIDED: Readonly<
  Partial<Record<Walker, { readonly may: readonly string[]; readonly mayNot: readonly string[] }>>
> = {
  door: {
    may: ['controlTicket', 'controlBarcode', 'controlTickets', 'revertControl'],
    mayNot: [
      ...['updateTicket', 'replaceTicket', 'printOrder', 'printTicket', 'rollBackPrinting'],
      // A document shows the barcode.
      'getTicketDocument',
    ],
  },
  customer: {
    may: [
      ...['Individual', 'Structure'].flatMap((noun) => [
        `list${noun}s`,
        `get${noun}`,
        `replace${noun}`,
        `update${noun}`,
      ]),
      'listOrders',
      'quoteOrder',
      'getOrder',
      'listTickets',
      'getTicket',
      'getTicketDocument',
      'getVerificationKey',
    ],
    mayNot: ['createIndividual', 'createStructure', 'listControls', 'getAdmissions', 'listTicketStatuses'],
  },
};
