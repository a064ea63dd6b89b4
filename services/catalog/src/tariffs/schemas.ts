import { named, nullable, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { code, names, shownCode } from '../schemas.ts';

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
