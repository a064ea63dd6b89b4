import { createLineSchema, createNullableSchema, id, named, oneOf } from '@boxoffice/http';
import { Type } from 'typebox';
import { ruleStates } from '../domain/pricing.ts';

const PERCENTAGE = '^(?:(?:0|[1-9][0-9]?)(?:\\.[0-9]{1,4})?|100(?:\\.0{1,4})?)$';

export function createPercentageSchema(description: string) {
  return Type.String({
    pattern: PERCENTAGE,
    description: `${description}; a decimal number from 0 to 100 with at most 4 decimals, answered without trailing zeros`,
  });
}

export const percent = createPercentageSchema('percentage');

export const roundTo = Type.Integer({
  minimum: 1,
  maximum: 1_000_000,
  description:
    'rounded to a multiple of it, in the minor unit: 5 for cash in Swiss francs; beside `percent` alone; default 1',
});

const pointsOfSale = Type.Array(createLineSchema({ maxLength: 253 }), { maxItems: 200, description: 'service hosts' });
const clientIds = Type.Array(id, { maxItems: 200, description: 'not looked up' });
const description = 'admit the orders whose point of sale or client they name; null or none named: all orders';

export const channels = createNullableSchema(
  named(
    'ChannelsInput',
    Type.Object({ pointsOfSale: Type.Optional(pointsOfSale), clientIds: Type.Optional(clientIds) }, { description }),
  ),
);

export const shownChannels = createNullableSchema(
  named('Channels', Type.Object({ pointsOfSale, clientIds }, { description })),
);

export const taxId = createNullableSchema(
  Type.String({ ...id, description: 'the tax that is included in it; null: none of its own' }),
);

export const state = oneOf(ruleStates, { description: '`paused`: not on new lines; default `active`' });

export const exampleIds = {
  tax: 'tax_00mhs1k0p4n7c2w9x5dz',
  fee: 'fee_00mhs1k0q8r3v6t1y0ae',
  discount: 'dsc_00mhs1k0s2m5b9k4h7fg',
};
