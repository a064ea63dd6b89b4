import { named, nullable, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { code, names } from '../schemas.ts';

/** The body that creates a tariff; a PATCH is merged into it. */
export const TariffBody = named(
  'TariffInput',
  Type.Object({
    code,
    name: names,
    criterion: Type.Optional(nullable(oneOf(['member']))),
  }),
);

export const Tariff = named(
  'Tariff',
  Type.Object({
    id: Type.String(),
    code: Type.String(),
    name: names,
    criterion: nullable(oneOf(['member'])),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);
