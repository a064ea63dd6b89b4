import {
  createLineSchema,
  createNullableSchema,
  currency,
  ID_PATTERN,
  id,
  named,
  oneOf,
  timestamp,
} from '@boxoffice/http';
import { Type } from 'typebox';
import { catalogValues } from '../clients/generated/catalog.ts';
import { contactsValues } from '../clients/generated/contacts.ts';
import { ordersValues } from '../clients/generated/orders.ts';
import { ticketsValues } from '../clients/generated/tickets.ts';

const { Array: List, Boolean: Flag, Integer, Object: Members, Optional, Record: MapOf, String: Text } = Type;

export const productType = oneOf(catalogValues.ProductType, { description: 'of product' });
export const ticketStatus = oneOf(ticketsValues['ShopTicket.status'], {
  description: 'only a `printed` one opens the door',
});

/** A language that is not configured is no error. */
export const lang = Optional(
  Text({ description: 'of the texts: a language tag (BCP 47) or any code of ISO 639; wins over Accept-Language' }),
);
export const langQuery = { lang };

export const contactNumber = Text({
  minLength: 1,
  maxLength: 64,
  description: 'of the logged-in user, for its prices',
});

export const pathId = Text({ pattern: ID_PATTERN });

export const amount = Integer({ description: "in the currency's minor unit" });

export function createMapSchema<Item extends Type.TSchema>(item: Item) {
  return MapOf(Text(), item, { description: 'by their ids' });
}

export const Venue = named('Venue', Members({ name: Text(), city: createNullableSchema(Text()) }));

export const where = {
  label: Text({ description: 'what a ticket shows: row and seat, or a number' }),
  row: Text({ description: 'of a numbered category' }),
  seat: Integer({ description: 'its number in the row' }),
};

export const Session = named(
  'Session',
  Members({
    id: Text(),
    user: createNullableSchema(Text({ description: 'the login; null for a guest' })),
    contactNumber: createNullableSchema(Text({ description: 'of the logged-in user' })),
    expiresAt: timestamp,
  }),
);

export const User = named(
  'ShopUser',
  Members({ id: Text(), login: Text(), contactNumber: Text({ description: 'the contact of the user' }) }),
);

const text = () => createNullableSchema(Text());

export const Contact = named(
  'ShopContact',
  Members({
    contactNumber: Text({ description: 'id of the contact' }),
    kind: oneOf(contactsValues['ShopContact.kind'], { description: 'a person, or a company' }),
    title: text(),
    firstName: text(),
    lastName: text(),
    name: createNullableSchema(Text({ description: 'of a structure' })),
    email: text(),
    phone: text(),
    language: createNullableSchema(Text({ description: 'BCP 47' })),
    street: text(),
    postalCode: text(),
    city: text(),
    country: createNullableSchema(Text({ description: 'ISO 3166-1 alpha-2' })),
    criteria: List(Text(), { description: 'what entitles to tariffs and payment methods' }),
    newsletter: Flag({ description: 'may get news of the institution' }),
    partners: Flag({ description: 'may get news of its partners' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

const Place = named(
  'PlaceReference',
  Members({ id: Text(), ...where, row: createNullableSchema(where.row), seat: createNullableSchema(where.seat) }),
);

const ofHolder = createNullableSchema(Text({ description: 'of the person who will come' }));
const beneficiaryNames = { beneficiaryFirstName: ofHolder, beneficiaryLastName: ofHolder };

const item = {
  id: Text(),
  productId: Text(),
  performanceId: Text(),
  startDate: timestamp,
  seatCategoryId: Text(),
  tariffId: Text(),
  tariff: Text({ description: 'its name' }),
  place: Place,
  amount,
  ...beneficiaryNames,
};

export const CartItem = named('CartItem', Members(item));

export const Cart = named(
  'Cart',
  Members({
    id: createNullableSchema(Text({ description: 'the id that the order will have; null before the first item' })),
    items: createMapSchema(CartItem),
    total: amount,
    currency,
    expiresAt: createNullableSchema(timestamp),
  }),
);

export const OrderItem = named(
  'ShopOrderItem',
  Members({
    ...item,
    ticketId: createNullableSchema(Text()),
    barcode: createNullableSchema(Text({ description: 'for the QR code' })),
  }),
);

export const Order = named(
  'ShopOrder',
  Members({
    id: Text(),
    state: oneOf(ordersValues['ShopOrder.state'], { description: '`confirmed`: its tickets are valid' }),
    total: amount,
    currency,
    contactNumber: createNullableSchema(Text({ description: 'the buyer' })),
    paymentMethod: createNullableSchema(Text({ description: 'with which it was paid' })),
    items: createMapSchema(OrderItem),
    expiresAt: createNullableSchema(timestamp),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

export const Ticket = named(
  'ShopTicket',
  Members({
    id: Text(),
    status: ticketStatus,
    orderId: Text(),
    productId: text(),
    performanceId: Text(),
    startDate: createNullableSchema(timestamp),
    seatCategoryId: Text(),
    place: Place,
    tariffId: Text(),
    price: amount,
    currency: Text({ description: 'ISO 4217' }),
    ...beneficiaryNames,
    barcode: Text({ description: 'for the QR code' }),
  }),
);

const name = createNullableSchema(
  createLineSchema({ maxLength: 100, mayBeEmpty: true, description: 'null or the empty text removes it' }),
);
const beneficiary = { beneficiaryFirstName: Optional(name), beneficiaryLastName: Optional(name) };

export const NewItem = named(
  'CartItemInput',
  Members({
    performanceId: id,
    seatCategoryId: id,
    tariffId: id,
    quantity: Optional(
      Integer({ minimum: 1, maximum: 50, description: 'default 1; with placeIds it must be their number' }),
    ),
    placeIds: Optional(
      List(id, {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description: 'these places; absent: the best free ones',
      }),
    ),
    contactNumber: Optional(contactNumber),
  }),
);

export const ItemChange = named(
  'CartItemChanges',
  Members({ tariffId: Optional(id), contactNumber: Optional(contactNumber), ...beneficiary }),
);

export const CodeInput = named(
  'CartCodeInput',
  Members({ code: Text({ pattern: '^[A-Za-z0-9-]{4,40}$', description: 'of a discount, in upper or lower case' }) }),
);

export const Credentials = named(
  'Credentials',
  Members({
    login: Text({ minLength: 1, maxLength: 254 }),
    password: Text({ minLength: 1, maxLength: 1_000 }),
  }),
);

export const Naming = named('ShopTicketChanges', Members(beneficiary));

/** An empty name becomes null; undefined stays undefined. */
export function toStoredName(name: string | null | undefined): string | null | undefined {
  return name === '' ? null : name;
}
