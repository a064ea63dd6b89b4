import { createNullableSchema, named, oneOf } from '@boxoffice/http';
import { codeStates as allCodeStates } from '@boxoffice/prices';
import { Type } from 'typebox';

const { Array: List, Integer, Object: Members, String: Text } = Type;

/** Totals stay far below where integers stop being exact. */
const LARGEST = 1_000_000_000_000;

export function createMoneySchema(minimum: number, description = "in the currency's minor unit") {
  return Integer({ minimum, maximum: LARGEST, description });
}

export const texts = Type.Record(Text({ pattern: '^[A-Za-z0-9-]+$' }), Text(), { description: 'by language' });

export function createTaxesSchema(description: string) {
  return List(
    named(
      'TaxedSum',
      Members({
        taxId: createNullableSchema(Text({ description: 'null: it has no tax' })),
        rate: createNullableSchema(Text({ description: 'in percent, as of the hold; null without a tax' })),
        net: createMoneySchema(0),
        tax: createMoneySchema(0, 'that the gross amount includes, rounded by itself'),
        gross: createMoneySchema(0),
      }),
    ),
    { description },
  );
}

/** Of a line, and of a line as it is quoted. */
export const priceMembers = {
  base: createMoneySchema(0, "the price at the hold, in the currency's minor unit"),
  components: List(
    named(
      'PriceComponent',
      Members({
        kind: oneOf(['discount', 'fee'], { description: 'what changes the price of the line' }),
        id: Text({ description: 'of the discount or fee' }),
        name: texts,
        amount: createMoneySchema(
          -LARGEST,
          "in the currency's minor unit; of a discount negative, or 0 if it only unlocks",
        ),
      }),
    ),
    { description: 'what makes the amount beside the base' },
  ),
  amount: createMoneySchema(0, "base and components, in the currency's minor unit"),
  taxes: createTaxesSchema('the taxes that the amount includes, one entry for each tax and rate'),
};

const OrderCode = named(
  'OrderCode',
  Members({
    code: Text({ description: 'as first given' }),
    discountId: createNullableSchema(Text({ description: 'null: the code is unknown' })),
    state: oneOf(allCodeStates, { description: 'what it does; only `applied` has uses' }),
  }),
);

export const codeStates = List(OrderCode, { description: 'those given, each once' });

export const code = Text({ pattern: '^[A-Za-z0-9-]{4,40}$', description: 'of a discount, in upper or lower case' });

const MAX_CODES = 10;

export const codes = List(code, { maxItems: MAX_CODES, description: 'of discounts; equal ones count as one' });

/** As they are given, or as they were read. */
export const otherCodes = List(Type.Union([code, OrderCode]), {
  maxItems: MAX_CODES,
  description: 'in place of those that there are, each as a text or as it was read',
});
