import { Fault } from '@boxoffice/envelope';
import { named, nullable, oneOf } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { type PointOfSaleDetails, paymentMethods } from '../domain/point-of-sale.ts';
import { currency, id, languages } from '../schemas.ts';
import type { PointOfSaleDocument } from '../store.ts';

export const serviceHost = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$',
  description: 'what requests say in X-Service-Host; case does not matter',
});

const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const NAME = '([A-Za-z0-9_-]+[.])*[A-Za-z][A-Za-z0-9-]*';
const IPV6 = '\\[(::1|([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4})\\]';
const PORT = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';
/** An origin (RFC 6454) with a name in ASCII, as browsers send it, or an address. */
const ORIGIN = `^https?://(${NAME}|(${BYTE}[.]){3}${BYTE}|${IPV6})(:${PORT})?$`;

const members = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  languages,
  currency,
  corsOrigins: Type.Optional(
    nullable(
      Type.Array(Type.String({ maxLength: 300, pattern: ORIGIN }), {
        maxItems: 100,
        description:
          'origins that browsers may call from; empty: all. Names are in ASCII (xn--…), as browsers send them; kept without the default port and in lower case',
      }),
    ),
  ),
  tariffIds: Type.Array(id, { maxItems: 500, uniqueItems: true }),
  paymentMethods: Type.Array(oneOf(paymentMethods), { maxItems: paymentMethods.length, uniqueItems: true }),
  maxPlacesPerOrder: Type.Integer({ minimum: 1, maximum: 500 }),
  holdMinutes: Type.Number({ exclusiveMinimum: 0, maximum: 1_440, description: 'fractions allowed' }),
};

/** The body that creates a point of sale. */
export const NewPointOfSale = named('NewPointOfSale', Type.Object({ serviceHost, ...members }));
/** What a PATCH merges into. */
export const Changes = named('PointOfSaleReplacement', Type.Object(members));

/** A point of sale as it is answered. */
export const PointOfSale = named(
  'PointOfSale',
  Type.Object({
    serviceHost: Type.String(),
    ...members,
    corsOrigins: Type.Array(Type.String()),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
  }),
);

/** The origin as browsers send it. @throws Fault `validation_error` if it is none. */
const originOf = (given: string, index: number): string => {
  if (!URL.canParse(given)) throw new Fault('validation_error', `$.corsOrigins[${index}] is no origin`);
  return new URL(given).origin;
};

/** A body as the rules take it. @throws Fault `validation_error` */
export const detailsOf = (serviceHost: string, body: Static<typeof Changes>): PointOfSaleDetails => ({
  serviceHost: serviceHost.toLowerCase(),
  name: body.name,
  languages: body.languages,
  currency: body.currency,
  corsOrigins: [...new Set((body.corsOrigins ?? []).map(originOf))],
  tariffIds: body.tariffIds,
  paymentMethods: body.paymentMethods,
  maxPlacesPerOrder: body.maxPlacesPerOrder,
  holdMinutes: body.holdMinutes,
});

/** A point of sale as it is answered. */
export const view = (document: PointOfSaleDocument): Static<typeof PointOfSale> => ({
  serviceHost: document.serviceHost,
  name: document.name,
  languages: [...document.languages],
  currency: document.currency,
  corsOrigins: [...document.corsOrigins],
  tariffIds: [...document.tariffIds],
  paymentMethods: [...document.paymentMethods],
  maxPlacesPerOrder: document.maxPlacesPerOrder,
  holdMinutes: document.holdMinutes,
  createdAt: document.createdAt,
  updatedAt: document.updatedAt,
});
