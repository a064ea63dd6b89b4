// What prices are made of, and how they are paid (vexp).
import { createNullableSchema, named, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { ordersValues } from '../clients/generated/orders.ts';

const { Array: List, Integer, Object: Members, String: Text } = Type;

export function createAmount(description: string) {
  return Integer({ description: `${description}, in the minor unit` });
}

const taxes = List(
  named(
    'ShopTax',
    Members({
      taxId: createNullableSchema(Text({ description: 'null: without a tax' })),
      rate: createNullableSchema(Text({ description: 'in percent; null without a tax' })),
      net: createAmount('without the tax'),
      tax: createAmount('that the gross amount includes'),
      gross: createAmount('net and tax'),
    }),
  ),
  { description: 'that the price includes, by tax and rate; sums add what was rounded' },
);

const shownName = Text({ description: 'in the wanted language' });

const leaving = (how: string) =>
  createNullableSchema({ ...timestamp, description: `the instant before which it can be ${how}; null: not allowed` });

export const ReturnPolicy = createNullableSchema(
  named(
    'ShopReturnPolicy',
    Members(
      {
        returnableUntil: leaving('given back'),
        returnFee: createAmount('what that costs'),
        exchangeableUntil: leaving('exchanged'),
        exchangeFee: createAmount('what that costs'),
      },
      { description: 'how it may leave the order again, once that is confirmed; null: not at all' },
    ),
  ),
);

export const returnText = createNullableSchema(
  Text({ description: '`returnPolicy` in the wanted language, by the clocks of the venue; null without one' }),
);

/** What the amount of an item is made of, and for what it comes back. */
export const composed = {
  returnPolicy: ReturnPolicy,
  base: createAmount('the price of the tariff at the hold'),
  components: List(
    named(
      'ShopPriceComponent',
      Members({
        kind: oneOf(ordersValues['PriceComponent.kind'], { description: 'what changes the price' }),
        id: Text({ description: 'of the discount or fee' }),
        name: shownName,
        amount: createAmount('of a discount negative, or 0 if it only unlocks the tariff'),
      }),
    ),
    { description: 'base and these are the amount' },
  ),
  taxes,
};

/** What the total is made of beside the items. */
export const charged = {
  fees: List(
    named(
      'ShopOrderFee',
      Members({
        id: Text({ description: 'of this charge' }),
        kind: oneOf(ordersValues['OrderFee.kind'], {
          description: '`order`: of the whole order; `change`: of an item that has left it',
        }),
        feeId: createNullableSchema(Text({ description: 'of the fee; null: of a change' })),
        lineId: createNullableSchema(Text({ description: 'the item that has left; null: the whole order' })),
        changeId: createNullableSchema(Text({ description: 'by which it has; null: the whole order' })),
        name: shownName,
        amount: createAmount('of this charge'),
        taxes,
      }),
    ),
    { description: 'the total is that of the items and these' },
  ),
  taxes,
  codes: List(
    named(
      'ShopCode',
      Members({
        code: Text({ description: 'as it was given' }),
        discountId: createNullableSchema(Text({ description: 'null: the code is unknown by now' })),
        state: oneOf(ordersValues['OrderCode.state'], {
          description: '`applied`: an item is cheaper by it, or can be had; the others say why it does nothing now',
        }),
      }),
    ),
    { description: 'those that were given, of discounts' },
  ),
};

export const ShopPayment = named(
  'ShopPayment',
  Members(
    {
      method: Text({ description: 'as at the checkout' }),
      state: oneOf(ordersValues['ShopPayment.state'], {
        description:
          '`failed`: it can be tried again while the places are held; `expired`: so can one whose page is over',
      }),
      url: createNullableSchema(
        Text({
          description: 'the page of the provider, to which the shop sends the buyer; null: it cannot be paid there',
        }),
      ),
      expiresAt: createNullableSchema({ ...timestamp, description: 'until when it can be paid there' }),
    },
    { description: 'the payment that counts, else the last one; null: none yet' },
  ),
);
