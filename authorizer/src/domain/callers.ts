/** Operations by service. */
type Calls = Readonly<Record<string, readonly string[]>>;

/**
 * Which service may call which internal operations of which other service. Between services calls go one way only; the
 * authorizer, which all of them call for keys and identities, asks two of them while it answers a partner, and never
 * while it answers a service. Add a new internal call here.
 */
export const CALLS: Readonly<Record<string, Calls>> = {
  // The authorizer signs its own identities.
  authorizer: { catalog: ['findPointOfSale'], contacts: ['getContactInternally'] },
  gateway: { catalog: ['findPointOfSale'] },
  orders: {
    catalog: ['holdPlaces', 'extendHold', 'renewHold', 'sellHold', 'releaseHold', 'quoteItems', 'quoteOrderItems'],
    contacts: ['getContactInternally', 'writeGuest', 'forgetGuest'],
    tickets: ['getOrderTickets', 'issueTickets'],
  },
  pos: {
    catalog: ['findPointOfSale', 'listShopProducts', 'getShopAvailability', 'listShopPlaces'],
    contacts: ['getContactInternally', 'getShopContact'],
    orders: [
      'addCartItems',
      'changeCartItem',
      'removeCartItem',
      'giveUpCart',
      'checkoutCart',
      'cancelShopOrder',
      'cancelAfterFault',
      'getShopOrder',
      'listShopOrders',
    ],
    tickets: ['listShopTickets', 'getShopTicket', 'getShopTicketDocument', 'nameShopTicket'],
  },
};

/** Every process that authenticates at the authorizer, each with its own secret. */
export const SERVICES: readonly string[] = ['gateway', 'catalog', 'contacts', 'orders', 'tickets', 'events', 'pos'];

/** The one caller of each of the authorizer's own internal operations; any process may call the others. */
const ONLY_FOR: Readonly<Record<string, string>> = {
  decide: 'gateway',
  decidePublic: 'gateway',
  getClientScopes: 'events',
  listOrigins: 'gateway',
  listRevocations: 'gateway',
  recordUsage: 'gateway',
  verifyApiKey: 'gateway',
};

/** The one process that may call this operation of the authorizer; undefined: any. */
export const onlyCallerOf = (operation: string): string | undefined => ONLY_FOR[operation];

const own = <Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined;

/** Whether the service may call this operation of the other. */
export const mayCall = (service: string, audience: string, operation: string): boolean =>
  own(own(CALLS, service), audience)?.includes(operation) ?? false;
