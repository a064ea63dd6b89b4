import { createNullableSchema, id, named, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { deliveries } from '../domain/order.ts';
import { open, SaleDescription, SoldPlace, SoldPrice, Status, Ticket } from '../schemas.ts';

const { Integer, Object: Members, Optional, String: Text } = Type;

const name = Optional(createNullableSchema(Text()));

export const ConfirmedTicket = Members(
  {
    ticketId: id,
    lineId: id,
    performanceId: id,
    seatCategoryId: id,
    tariffId: id,
    place: SoldPlace,
    price: SoldPrice,
    productId: Optional(createNullableSchema(Text())),
    startDate: Optional(createNullableSchema(timestamp)),
    about: Optional(SaleDescription),
    beneficiary: Optional(createNullableSchema(Members({ firstName: name, lastName: name }, open))),
    beneficiaryAsOf: Optional(
      Integer({ minimum: 1, description: 'how often the order has changed it since the confirmation' }),
    ),
    replaces: Optional(Text({ description: 'the line that it was exchanged for: only that change issues its ticket' })),
  },
  open,
);

export const Confirmation = named(
  'ConfirmedOrder',
  Members(
    {
      orderId: id,
      version: Integer({ minimum: 1 }),
      number: Optional(Text({ description: 'of the order, for people' })),
      contactNumber: createNullableSchema(Text()),
      pointOfSale: Optional(createNullableSchema(Text({ description: 'service host of the sales channel' }))),
      createdBy: Optional(
        Members(
          { clientId: Optional(Text()), userId: Optional(Text()), pointOfSale: Optional(Text()) },
          { ...open, description: 'who made the order: a client and its user, or a shopper of a point of sale' },
        ),
      ),
      ticketDelivery: Optional(oneOf(deliveries, { description: 'electronic: issued as printed; default print' })),
      tickets: Type.Array(ConfirmedTicket, { maxItems: 10_000 }),
    },
    open,
  ),
);

/** The order as it is after the change, and what the change took out of it. */
export const SettledOrder = named(
  'ChangedOrder',
  Members(
    {
      ...Confirmation.properties,
      change: Members(
        {
          id,
          override: Type.Boolean({ description: 'cancels controlled tickets of returned lines, too' }),
          returned: Type.Array(ConfirmedTicket, { maxItems: 10_000, description: 'as first issued' }),
          exchanged: Type.Array(Members({ leaving: ConfirmedTicket, replacing: ConfirmedTicket }, open), {
            maxItems: 50,
            description: 'as first issued: of the line that left, and of the new one',
          }),
        },
        open,
      ),
    },
    open,
  ),
);

const Summary = named('TicketSummary', Members({ ticketId: Text(), lineId: Text(), status: Status }));

export const ChangeSettlement = named(
  'ChangeSettlement',
  Members({
    ticketsCancelled: Integer({ description: 'of returned lines' }),
    controlled: Integer({ description: 'how many tickets of lines that left stay controlled' }),
    keptLineIds: Type.Array(Text(), { description: 'the lines of these; their places stay sold' }),
  }),
);

export const Issued = named('IssuedTickets', Members({ tickets: Type.Array(Summary) }));

export const OrderTickets = named(
  'OrderTickets',
  Members({
    controlled: Integer({ description: 'how many of the tickets are controlled' }),
    tickets: Type.Array(Summary, { description: 'the current ticket of each line' }),
    whole: Optional(Type.Array(Ticket, { description: 'the same, whole; absent unless asked for' })),
  }),
);
