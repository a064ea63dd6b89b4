import { createInstantSchema, createNullableSchema, named } from '@boxoffice/http';
import { Type } from 'typebox';
import { createMoneySchema } from './price-schemas.ts';

const until = (what: string) => createNullableSchema(createInstantSchema(`${what} before it; null: not allowed`));

export const ReturnPolicy = createNullableSchema(
  named(
    'LineReturnPolicy',
    Type.Object(
      {
        returnableUntil: until('it can be returned'),
        returnFee: createMoneySchema(0, 'for a return, in the minor unit'),
        exchangeableUntil: until('it can be exchanged'),
        exchangeFee: createMoneySchema(0, 'for an exchange, in the minor unit'),
      },
      {
        description:
          'what the buyer may do after the sale, as of the hold; instants move with the performance; null: nothing',
      },
    ),
  ),
);
