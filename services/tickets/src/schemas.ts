import {
  createInstantSchema,
  createLineSchema,
  createNullableSchema,
  createPatchSchema,
  id,
  listReadOnlyMembers,
  named,
  oneOf,
  timestamp,
} from '@boxoffice/http';
import { Type } from 'typebox';
import { manyEntries, statuses } from './domain/ticket.ts';

const { Integer, Object: Members, Optional, String: Text } = Type;

const text = (maxLength: number) => createLineSchema({ maxLength });

export const Status = oneOf(statuses, { description: 'only a `printed` one opens the door, once' });

export const Place = named(
  'PlaceReference',
  Members({
    id: Text(),
    label: Text({ description: 'what a ticket shows: row and seat, or a number' }),
    row: createNullableSchema(Text({ description: 'of a numbered category' })),
    seat: createNullableSchema(Integer({ description: 'its number in the row' })),
  }),
);

/** Null removes. */
export const Beneficiary = named(
  'Beneficiary',
  Members({ firstName: Optional(text(100)), lastName: Optional(text(100)) }, { minProperties: 1 }),
);

export const Changes = named('TicketDetails', Members({ beneficiary: Optional(Beneficiary) }));

const NamedBeneficiary = named(
  'Beneficiary',
  Members({ firstName: createNullableSchema(Text()), lastName: createNullableSchema(Text()) }),
);

export const TicketChanges = named('TicketChanges', createPatchSchema(Changes));

export const Ticket = named(
  'Ticket',
  Members({
    id: Text(),
    status: Status,
    orderId: Text(),
    lineId: Text(),
    performanceId: Text(),
    seatCategoryId: Text(),
    place: Place,
    tariffId: Text(),
    price: Integer({ minimum: 0, description: "in the currency's minor unit" }),
    currency: Text({ description: 'ISO 4217' }),
    beneficiary: createNullableSchema(NamedBeneficiary),
    barcode: Optional(
      Text({
        description:
          'the text of its QR code; see `GET /svc/v3/tickets/verification-key`. Users of the role door do not get it',
      }),
    ),
    printedAt: createNullableSchema(createInstantSchema('when it became valid at the door')),
    controlledAt: createNullableSchema(createInstantSchema('when its holder was admitted')),
    gate: createNullableSchema(Text({ description: 'at which it was controlled' })),
    replaces: createNullableSchema(Text({ description: 'the ticket that this one replaces' })),
    replacedBy: createNullableSchema(Text({ description: 'the ticket that replaces this one' })),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

/** Members of messages of another service that are unknown are ignored. */
export const open = { additionalProperties: true } as const;

export const texts = Type.Record(Text(), Text());

/** Of tickets that admit more than once. */
export const entries = oneOf(manyEntries, {
  description: '`daily`: once per local day of the venue; `unlimited`: always; absent: once',
});

const Seller = named(
  'ReceiptHead',
  Members({ name: Text(), address: createNullableSchema(Text()), taxNumber: createNullableSchema(Text()) }, open),
);

export const SaleDescription = named(
  'SaleDescription',
  Members(
    {
      institution: Optional(Text()),
      seller: Optional(Seller),
      product: texts,
      seatCategory: texts,
      tariff: Optional(texts),
      venue: Members({ name: Text(), city: createNullableSchema(Text()) }, { ...open, description: 'where' }),
      timeZone: Text(),
      productType: Optional(Text({ description: 'of the catalog' })),
      validUntil: Optional({ ...timestamp, description: 'of what is no show, if its validity ends' }),
      entries: Optional(entries),
    },
    open,
  ),
);

export const ShopTicket = named(
  'ShopTicket',
  Members({
    ...Ticket.properties,
    barcode: Text(),
    contactNumber: createNullableSchema(Text({ description: 'the buyer; only this contact may see the ticket' })),
    productId: createNullableSchema(Text()),
    startDate: createNullableSchema(timestamp),
    about: Optional(SaleDescription),
  }),
);

const amount = Integer({ description: "in the currency's minor unit" });

const taxes = Type.Array(
  named('TaxedSum', Members({ rate: createNullableSchema(Text()), net: amount, tax: amount, gross: amount }, open)),
);

export const SoldPlace = Members(
  { id, label: Text(), row: createNullableSchema(Text()), seat: createNullableSchema(Integer()) },
  open,
);

export const SoldPrice = named(
  'SoldPrice',
  Members(
    {
      amount,
      currency: Text(),
      base: Optional(amount),
      components: Optional(Type.Array(named('PriceComponent', Members({ name: texts, amount }, open)))),
      taxes: Optional(taxes),
    },
    { ...open, description: 'without base, components and taxes: the amount, which has no tax' },
  ),
);

export const OrderReceipt = named(
  'OrderReceipt',
  Members({
    at: createInstantSchema('of the sale'),
    seller: createNullableSchema(Seller),
    lines: Type.Array(
      Members({
        about: Optional(SaleDescription),
        startDate: createNullableSchema(timestamp),
        place: SoldPlace,
        price: SoldPrice,
      }),
      { minItems: 1, maxItems: 10_000 },
    ),
    fees: Type.Array(Members({ name: texts, amount }), { description: 'of the whole order' }),
    taxes,
    total: amount,
    due: amount,
  }),
);

export const ShopDocument = named('ShopTicketDocument', Members({ contentType: Text(), base64: Text() }));

const colour = Text({ pattern: '^#[0-9a-fA-F]{6}$' });

export const DocumentRequest = named(
  'ShopDocumentRequest',
  Members({
    ticketIds: Type.Array(id, { minItems: 1, maxItems: 500, description: 'a page each, in this order' }),
    languages: Type.Array(Text(), { maxItems: 50, description: 'language tags, best first' }),
    pointOfSale: Members({
      name: Text(),
      branding: createNullableSchema(
        Members({
          colours: Members({ accent: colour, ink: colour, paper: colour }),
          logo: createNullableSchema(Text({ maxLength: 40_000, description: 'SVG; left out if it cannot be drawn' })),
        }),
      ),
    }),
    order: Members({ number: Text({ description: 'for people' }), buyer: createNullableSchema(Text()) }),
    receipt: Optional(OrderReceipt),
  }),
);

const newName = Optional(createNullableSchema(text(100)));

/** Absent members stay, null removes. */
export const Naming = named('BeneficiaryNaming', Members({ firstName: newName, lastName: newName }));

const printings = ['printTicket', 'rollBackPrinting'];
const controls = ['controlTicket', 'revertControl'];

export const readOnly = listReadOnlyMembers(Ticket, Changes, {
  status: [...printings, ...controls, 'replaceTicket'],
  barcode: ['replaceTicket'],
  printedAt: printings,
  controlledAt: controls,
  gate: controls,
  replaces: ['replaceTicket'],
  replacedBy: ['replaceTicket'],
});

export const Replacement = named(
  'TicketReplacement',
  Members({
    reason: Optional(
      createLineSchema({ maxLength: 500, description: 'stored with the replaced ticket; no operation returns it' }),
    ),
  }),
);

export const Control = named(
  'TicketControl',
  Members({
    gate: Optional(createLineSchema({ maxLength: 60, description: 'the door, as the scanner names it' })),
    at: Optional(
      Type.Unsafe<string>({
        ...timestamp,
        description:
          'the time of the control, such as 2027-03-14T19:02:11.000Z, at most 7 days ago and not in the future; ' +
          'default: now',
      }),
    ),
  }),
);

export const BarcodeControl = named(
  'BarcodeControl',
  Members({
    barcode: Text({
      minLength: 1,
      maxLength: 2048,
      description: 'as scanned: white space around it and a prefix of hand scanners (`]Q1`) are ignored',
    }),
    performanceId: Optional(id),
    ...Control.properties,
  }),
);

export const OrderPrinting = named('OrderPrinting', Members({ orderId: id }));

export const PrintedTickets = named('PrintedTickets', Members({ items: Type.Array(Ticket) }));

export const Jwk = named(
  'BarcodeKey',
  Members(
    {
      kty: Type.Literal('OKP'),
      crv: Type.Literal('Ed25519'),
      x: Text(),
      kid: Text(),
      alg: Type.Literal('EdDSA'),
      use: Type.Literal('sig'),
    },
    { description: 'a public key (RFC 8037)' },
  ),
);

/** The current key, and all that are valid. */
export const VerificationKey = named(
  'VerificationKey',
  Members(
    { ...Jwk.properties, keys: Type.Array(Jwk) },
    { description: 'The current public key (RFC 8037), and all that are valid.' },
  ),
);
