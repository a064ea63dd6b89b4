import { createView, named, nullable, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { code, createdAt, ids, names, shownCode } from '../schemas.ts';

const criterion = nullable(oneOf(['member'], { description: 'of the contacts who may buy it; null: everybody' }));

/** The body that creates a tariff; a PATCH is merged into it. */
export const TariffBody = named(
  'TariffInput',
  Type.Object({
    code,
    name: names,
    criterion: Type.Optional(criterion),
  }),
);

export const Tariff = named(
  'Tariff',
  Type.Object({
    id: Type.String(),
    code: shownCode,
    name: names,
    criterion,
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

/** A tariff as answers show it. */
export const tariffView = createView(Tariff);

export const newTariff = { code: 'FULL', name: { fr: 'Plein tarif', en: 'Full price' } };

/** One that the demo data do not have, so that the example can be sent. */
export const addedTariff = { code: 'FAMILY', name: { fr: 'Familles', en: 'Families' } };

export const tariff = { id: ids.tariff, ...newTariff, criterion: null, createdAt, updatedAt: createdAt };
