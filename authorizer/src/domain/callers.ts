/** Operations by the service that has them. */
type Calls = Readonly<Record<string, readonly string[]>>;

/**
 * Who may call which internal operation of whom: one way only, nothing but what the caller's clients name, and nobody else but the
 * authorizer. A service that calls one more gets it here.
 */
export const CALLS: Readonly<Record<string, Calls>> = {
  gateway: { catalog: ['findPointOfSale'] },
  orders: {
    catalog: ['holdPlaces', 'extendHold', 'renewHold', 'sellHold', 'releaseHold', 'quoteItems'],
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
    tickets: ['listShopTickets', 'getShopTicket', 'nameShopTicket'],
  },
};

/** Every process that proves itself to the authorizer, each with a secret of its own. */
export const SERVICES: readonly string[] = ['gateway', 'catalog', 'contacts', 'orders', 'tickets', 'pos'];

const own = <Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined;

/** Whether the service may call this operation of the other. */
export const mayCall = (service: string, audience: string, operation: string): boolean =>
  own(own(CALLS, service), audience)?.includes(operation) ?? false;
