import { randomBytes } from 'node:crypto';
import type { ClientBounds, Role } from '@boxoffice/identity';

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
  pointsOfSale: [...catalog, ...contacts, ...sensitive, ...orders, ...tickets],
};

/** The client with bounds. */
export const SELLER = 'reseller';

/**
 * What a role may not do at all, although its scopes would allow it. A new operation is decided here first; but those
 * of the catalog are a customer's if they are public.
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
      'quoteOrderChange',
      'listOrderChanges',
      'getOrderChange',
      'listTickets',
      'getTicket',
      'getTicketDocument',
      'getVerificationKey',
    ],
    mayNot: [
      'createIndividual',
      'createStructure',
      'listControls',
      'getAdmissions',
      'listTicketStatuses',
      'getAllTicketStatuses',
    ],
  },
};

const kinds = (...names: string[]): string[] =>
  ['Individual', 'Structure'].flatMap((noun) => names.map((name) => name + noun));

/** A request that bounds of a client refuse although the record is its own. `bounds`: beside those of the walker. */
export interface BeyondBounds {
  readonly body: (own: { readonly items: readonly object[]; readonly pointOfSale: string }) => object;
  readonly refused: { readonly status: number; readonly code: string };
  readonly bounds?: Partial<ClientBounds>;
}

const criteria = { status: 403, code: 'forbidden' };
const held = { status: 409, code: 'order_hold_limit' };
/** Another one each time: what a contact has already is no change. */
const newCriterion = (): string => `c${randomBytes(6).toString('hex')}`;
const year = 366 * 86_400_000;

/**
 * What a client with bounds does: of its writes those that touch its own records and nothing else, and those that
 * bounds limit besides. A new write is decided here first.
 */
export const BOUNDED_WRITES: {
  readonly ofOwn: readonly string[];
  readonly limited: Readonly<Record<string, BeyondBounds>>;
} = {
  ofOwn: [
    ...kinds('erase'),
    // Structures have no criteria.
    ...['create', 'replace', 'update'].map((name) => `${name}Structure`),
    'replaceSensitive',
    // It holds and sells nothing, or what is held already.
    ...['updateOrder', 'extendOrder', 'cancelOrder', 'updateLine', 'removeLine', 'requestOrderMail'],
    ...['addPayment', 'settlePayment', 'refundOrder'],
    // New places count as held.
    ...['changeOrder', 'endOrderChange'],
    ...['updateTicket', 'replaceTicket', 'printOrder', 'printTicket', 'rollBackPrinting'],
    ...['controlTicket', 'controlBarcode', 'controlTickets', 'revertControl'],
  ],
  limited: {
    createIndividual: { body: () => ({ lastName: 'Any', criteria: [newCriterion()] }), refused: criteria },
    replaceIndividual: { body: () => ({ lastName: 'Any', criteria: [newCriterion()] }), refused: criteria },
    updateIndividual: { body: () => ({ criteria: [newCriterion()] }), refused: criteria },
    createOrder: { body: (own) => own, refused: held, bounds: { heldPlaces: 1 } },
    addLines: { body: ({ items }) => ({ items }), refused: held, bounds: { heldPlaces: 1 } },
    reserveOrder: {
      body: () => ({ dueAt: new Date(Date.now() + year).toISOString() }),
      refused: { status: 422, code: 'validation_error' },
    },
    confirmOrder: { body: () => ({ onAccount: true }), refused: { status: 403, code: 'forbidden' } },
  },
};
