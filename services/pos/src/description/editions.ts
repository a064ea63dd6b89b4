import { createNullableSchema, named, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { ordersValues } from '../clients/generated/orders.ts';
import { ticketsValues } from '../clients/generated/tickets.ts';
import { OrderChange } from './changes.ts';
import { examples, policy } from './examples.ts';
import { localCreatedAt, localStartDate, localValidUntil, startOffset } from './local-times.ts';
import { charged, composed, createAmount, returnText, ShopPayment } from './money.ts';
import { ListedProduct, ProductDetail, ProductEntry, ProductPage } from './products.ts';
import { Cart, CartItem, createMapSchema, NewItem, Order, OrderItem, Ticket, Venue } from './schemas.ts';

const { Array: List, Boolean: Flag, Object: Members, String: Text } = Type;

const SOLD = 'as of the sale, also after the product has closed; null in what an earlier release sold';

const sold = {
  productName: createNullableSchema(Text({ description: SOLD })),
  timeZone: createNullableSchema(Text({ description: `of the venue, its IANA name; ${SOLD}` })),
  venue: createNullableSchema(Venue),
  seatCategory: createNullableSchema(Text({ description: `its name; ${SOLD}` })),
  productType: createNullableSchema(Text({ description: '`show`, `pass`, …, as of products; null: not known' })),
  validUntil: createNullableSchema({
    ...timestamp,
    description: 'the end of the validity of what is no show, which `startDate` begins; null: it has none, or a show',
  }),
  localStartDate: createNullableSchema(localStartDate),
  startOffset,
  localValidUntil,
};

const Item = named('CartItemExperimental', Members({ ...CartItem.properties, ...composed, returnText, ...sold }));

const ExperimentalCart = named(
  'CartExperimental',
  Members({
    ...Cart.properties,
    items: createMapSchema(Item),
    ...charged,
    expired: Flag({ description: 'its places are no longer held; the next item starts a new cart' }),
  }),
);

const ExperimentalOrder = named(
  'ShopOrderExperimental',
  Members({
    ...Order.properties,
    number: Text({ description: 'for people: 8 characters, or the reference that the institution gave the order' }),
    items: createMapSchema(
      named(
        'ShopOrderItemExperimental',
        Members({
          ...OrderItem.properties,
          ...composed,
          returnText,
          ...sold,
          replaces: createNullableSchema(Text({ description: 'the item that it was exchanged for' })),
          ticketStatus: createNullableSchema(
            oneOf(ticketsValues['ShopTicket.status'], {
              description: 'of its ticket: the code of a `printed` one opens the door; null while there is no ticket',
            }),
          ),
        }),
      ),
    ),
    ...charged,
    formerLines: List(
      named(
        'ShopFormerLine',
        Members({
          ...Item.properties,
          changeId: Text({ description: 'of the change by which it left' }),
          leftAt: timestamp,
        }),
      ),
      { description: 'items that were returned or exchanged' },
    ),
    change: createNullableSchema(Text({ description: 'the id of the one that waits for its payment' })),
    changes: createMapSchema(OrderChange),
    localCreatedAt,
    payment: createNullableSchema(ShopPayment),
    paid: createAmount('what was paid'),
    refunded: createAmount('what goes back to the buyer of it, or has gone'),
    credit: createAmount('what was paid beyond what the order costs, and is not refunded'),
    ticketDelivery: oneOf(ordersValues['ShopOrder.ticketDelivery'], {
      description: 'electronic: the codes open the door; print: the institution prints the tickets first',
    }),
  }),
);

const ExperimentalTicket = named(
  'ShopTicketExperimental',
  Members({ ...Ticket.properties, ...sold, tariff: createNullableSchema(Text({ description: `its name; ${SOLD}` })) }),
);

export const TicketDocument = named(
  'ShopTicketDocument',
  Members({
    contentType: Text({ description: '`application/pdf`; `image/svg+xml` if no font has its letters' }),
    base64: Text({ description: 'the document' }),
  }),
);

export const OrderDocument = named('ShopOrderDocument', Members({ ...TicketDocument.properties }));

const ofNewLink = 'answered this once; null when the answer is a replay';

export const OrderLink = named(
  'OrderLink',
  Members({
    url: createNullableSchema(
      Text({ description: `a page that shows the order, the token in its fragment; ${ofNewLink}` }),
    ),
    token: createNullableSchema(Text({ description: `the value of X-Order-Link; ${ofNewLink}` })),
    expiresAt: { ...timestamp, description: '30 days after the last performance, as it is dated now' },
  }),
);

export const LinkedOrder = named(
  'LinkedOrder',
  Members({
    ...ExperimentalOrder.properties,
    tickets: createMapSchema(ExperimentalTicket),
    documents: createMapSchema(TicketDocument),
  }),
);

const NewItems = named(
  'CartItemsInput',
  Members({ items: Type.Array(NewItem, { minItems: 1, maxItems: 50, description: 'all of them are added, or none' }) }),
);

const toUntaxed = (gross: number) => [{ taxId: null, rate: null, net: gross, tax: 0, gross }];

const exampleOfFee = { kind: 'fee', id: 'fee_01k9q2m8r2', name: 'Frais de réservation', amount: 200 } as const;

const exampleOfItem = { base: 4_300, components: [exampleOfFee], taxes: toUntaxed(4_500), ...policy };

const exampleOfOrder = {
  fees: [],
  taxes: toUntaxed(4_500),
  codes: [{ code: 'FAMILLE-27', discountId: 'dsc_01k9q2m8s4', state: 'not_matching' as const }],
};

const exampleOfSold = {
  productName: 'La Flûte enchantée',
  timeZone: 'Europe/Zurich',
  venue: { name: 'Grand Théâtre', city: 'Genève' },
  seatCategory: 'Parterre',
  productType: 'show',
  validUntil: null,
  localStartDate: '2027-03-12T20:00:00+01:00',
  startOffset: null,
  localValidUntil: null,
};

const NOTHING = { fees: [], taxes: [], codes: [] };

const UNCHANGED = { formerLines: [], change: null, changes: {} };

const exampleOfMoney = {
  payment: { method: 'simulated', state: 'captured' as const, url: null, expiresAt: null },
  ...{ paid: 4_500, refunded: 0, credit: 0, ...UNCHANGED },
};

const withSold = <Item extends object>(items: Readonly<Record<string, Item>>, more: object = {}) =>
  Object.fromEntries(
    Object.entries(items).map(([id, item]) => [id, { ...item, ...exampleOfItem, ...exampleOfSold, ...more }]),
  );

const numbered = { isExperimental: false, ProductEntry, ProductDetail, NewItem, Cart, Order, Ticket, examples };

const experimental = {
  isExperimental: true,
  ProductEntry: ListedProduct,
  ProductDetail: ProductPage,
  NewItem: Type.Union([NewItem, NewItems]),
  Cart: ExperimentalCart,
  Order: ExperimentalOrder,
  Ticket: ExperimentalTicket,
  examples: {
    product: examples.listedProduct,
    productDetail: examples.productPage,
    cart: { ...examples.cart, items: withSold(examples.cart.items), ...exampleOfOrder, expired: false },
    noCart: { ...examples.noCart, ...NOTHING, expired: false },
    order: {
      ...examples.order,
      number: 'k7m2p9qx',
      localCreatedAt: '2026-11-20T17:05:12+01:00',
      items: withSold(examples.order.items, { replaces: null, ticketStatus: 'printed' }),
      ...exampleOfOrder,
      ...exampleOfMoney,
      ticketDelivery: 'electronic',
    },
    ticket: { ...examples.ticket, ...exampleOfSold, tariff: 'Plein tarif' },
  },
};

export const pendingOrder = {
  ...experimental.examples.order,
  state: 'payment_pending' as const,
  paymentMethod: 'stripe',
  expiresAt: '2026-11-20T16:37:12.000Z',
  items: withSold(examples.order.items, { replaces: null, ticketId: null, barcode: null, ticketStatus: null }),
  payment: {
    method: 'stripe',
    state: 'pending' as const,
    url: 'https://checkout.stripe.com/c/pay/cs_live_a1b2c3',
    expiresAt: '2026-11-20T16:36:00.000Z',
  },
  paid: 0,
};

export type Edition = typeof numbered | typeof experimental;

/** The answers of the numbered version do not change any more. */
export const editions: readonly Edition[] = [numbered, experimental];
