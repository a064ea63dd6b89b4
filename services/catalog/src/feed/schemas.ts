import { currency, named } from '@boxoffice/http';
import { Type } from 'typebox';

export const Institution = named(
  'Institution',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    currency,
    languages: Type.Array(Type.String(), { description: 'BCP 47' }),
  }),
);
