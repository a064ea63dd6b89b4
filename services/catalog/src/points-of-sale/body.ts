import { createView, currency, id, lineOfText, named, nullable, oneOf, timestamp, webOrigin } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { type PointOfSaleDetails, paymentMethods, ticketDeliveries } from '../domain/point-of-sale.ts';
import { createdAt, ids, languages } from '../schemas.ts';
import type { PointOfSaleDocument } from '../store.ts';

export const serviceHost = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$',
  description: 'the value of X-Service-Host in requests; case-insensitive',
});

/** How the tickets of an order reach their holders. */
export const ticketDelivery = oneOf(ticketDeliveries, {
  description:
    'electronic (default): tickets are issued as printed, their codes open the door at once; print: after printing',
});

/** Ten years at most: what is longer ago than that was a slip. */
const shopperCancellationMinutes = nullable(
  Type.Integer({
    minimum: 0,
    maximum: 5_256_000,
    description:
      'until how long before the first of its performances starts, as it is dated now, a shopper may cancel an order; default 0; null: never',
  }),
);

const members = {
  name: lineOfText({ maxLength: 200 }),
  languages,
  currency,
  corsOrigins: Type.Optional(
    nullable(
      Type.Array(webOrigin, {
        maxItems: 100,
        description:
          'origins that browsers may call from; empty: all. Names are ASCII (xn--…), as browsers send them; stored in lower case, without the default port',
      }),
    ),
  ),
  tariffIds: Type.Array(id, { maxItems: 500, uniqueItems: true, description: 'the tariffs that it sells' }),
  paymentMethods: Type.Array(oneOf(paymentMethods), {
    maxItems: paymentMethods.length,
    uniqueItems: true,
    description: 'that it accepts',
  }),
  maxPlacesPerOrder: Type.Integer({ minimum: 1, maximum: 500, description: 'in a cart or order of it' }),
  holdMinutes: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1_440,
    description: 'how long places are held for an order; fractions allowed',
  }),
  ticketDelivery: Type.Optional(ticketDelivery),
  shopperCancellationMinutes: Type.Optional(shopperCancellationMinutes),
};

/** The body that creates a point of sale. */
export const NewPointOfSale = named('PointOfSaleInput', Type.Object({ serviceHost, ...members }));
/** A PATCH is merged into it. */
export const Changes = named('PointOfSaleReplacement', Type.Object(members));

/** A point of sale as answers show it. */
export const PointOfSale = named(
  'PointOfSale',
  Type.Object({
    serviceHost: Type.String({ description: 'the value of X-Service-Host' }),
    ...members,
    corsOrigins: Type.Array(Type.String(), { description: 'from which browsers may call; empty: all' }),
    ticketDelivery,
    shopperCancellationMinutes,
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

/** Null is a value of its own of `shopperCancellationMinutes`. */
const withDefaults = ({
  ticketDelivery = 'electronic',
  shopperCancellationMinutes = 0,
}: Pick<Static<typeof Changes>, 'ticketDelivery' | 'shopperCancellationMinutes'>) => ({
  ticketDelivery,
  shopperCancellationMinutes,
});

const described = createView(Changes);

/** A body in the form of the domain. */
export const detailsOf = (serviceHost: string, body: Static<typeof Changes>): PointOfSaleDetails => ({
  ...described(body),
  serviceHost: serviceHost.toLowerCase(),
  corsOrigins: [...new Set(body.corsOrigins ?? [])],
  ...withDefaults(body),
});

const shown = createView(PointOfSale);

/** A point of sale as answers show it. */
export const view = (document: PointOfSaleDocument): Static<typeof PointOfSale> =>
  shown({ ...document, ...withDefaults(document) });

export const newPointOfSale = {
  serviceHost: 'tickets.opera.example',
  name: 'Web shop',
  languages: ['fr', 'en', 'de'],
  currency: 'CHF',
  corsOrigins: ['https://www.opera.example'],
  tariffIds: [ids.tariff],
  paymentMethods: ['external' as const],
  maxPlacesPerOrder: 8,
  holdMinutes: 15,
  ticketDelivery: 'electronic' as const,
  shopperCancellationMinutes: 0,
};

/** One that the demo data do not have, so that the example can be sent. */
export const addedPointOfSale = { ...newPointOfSale, serviceHost: 'agency.opera.example', name: 'Agency' };

export const pointOfSale = { ...newPointOfSale, createdAt, updatedAt: createdAt };
