import { createInstantSchema, createNullableSchema, named, oneOf, timestamp } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { ticketsValues } from '../clients/generated/tickets.ts';

const { Integer, Object: Members, Optional, String: Text } = Type;

export const Place = named(
  'PlaceReference',
  Members({
    id: Text(),
    label: Text({ description: 'what a ticket shows: row and seat, or a number' }),
    row: createNullableSchema(Text({ description: 'of a numbered category' })),
    seat: createNullableSchema(Integer({ description: 'its number in the row' })),
  }),
);

export const ShownBeneficiary = named(
  'Beneficiary',
  Members({ firstName: createNullableSchema(Text()), lastName: createNullableSchema(Text()) }),
);

export const Ticket = named(
  'Ticket',
  Members({
    id: Text(),
    status: oneOf(ticketsValues['TicketSummary.status'], { description: 'only a `printed` one opens the door, once' }),
    orderId: Text(),
    lineId: Text(),
    performanceId: Text(),
    seatCategoryId: Text(),
    place: Place,
    tariffId: Text(),
    price: Integer({ minimum: 0, description: "in the currency's minor unit" }),
    currency: Text({ description: 'ISO 4217' }),
    beneficiary: createNullableSchema(ShownBeneficiary),
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

/** The tickets of an order, in the order of its lines; null while the tickets service does not answer with them. */
export type IncludedTickets = Static<typeof Ticket>[] | null;
