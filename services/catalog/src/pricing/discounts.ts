import { createCheck, createNullableSchema, createView, currency, id, named, oneOf, timestamp } from '@boxoffice/http';
import type { Effect } from '@boxoffice/prices';
import { type Static, Type } from 'typebox';
import { normalisePercentage } from '../domain/percentage.ts';
import { type DiscountDetails, normaliseChannels, triggers } from '../domain/pricing.ts';
import { amount, createdAt, ids, names } from '../schemas.ts';
import type { RuleDocument } from '../store.ts';
import type { Noun } from './noun.ts';
import { channels, exampleIds, percent, roundTo, shownChannels, state } from './schemas.ts';
import { changeDiscount, MAX_USES, readUsage } from './uses.ts';

const effect = createNullableSchema(
  named(
    'PriceReduction',
    Type.Object(
      {
        percent: Type.Optional(percent),
        roundTo: Type.Optional(roundTo),
        amount: Type.Optional({ ...amount, description: 'taken off each line, in the minor unit' }),
        price: Type.Optional({ ...amount, description: 'what each line costs then, in the minor unit' }),
      },
      { description: 'exactly one of `percent`, `amount` and `price`; null: it only unlocks tariffs' },
    ),
  ),
);

const some = (description: string) => Type.Array(id, { maxItems: 500, uniqueItems: true, description });

const uses = Type.Integer({ minimum: 0, maximum: MAX_USES, description: `lines in all; at most ${MAX_USES}` });
export const usesPerOrder = Type.Integer({ minimum: 1, maximum: MAX_USES, description: 'lines of one order' });

const members = {
  name: names,
  trigger: oneOf(triggers, { description: 'whether an order needs one of its codes; it does not change' }),
};

const shared = {
  effect,
  unlocks: some('hidden tariffs that are sold with it'),
  criterion: createNullableSchema(
    oneOf(['member'], { description: 'what the contact of the order must have; null: nothing' }),
  ),
  productIds: createNullableSchema(some('the products whose lines it matches; null or empty: all')),
  performanceIds: createNullableSchema(some('the performances whose lines it matches; null or empty: all')),
  tariffIds: createNullableSchema(some('the tariffs whose lines it matches; null or empty: all')),
  minPlaces: Type.Integer({ minimum: 1, maximum: 1_000, description: 'lines of the order that it matches, at least' }),
  validFrom: createNullableSchema({ ...timestamp, description: 'ISO 8601 UTC; null: at once' }),
  validTo: createNullableSchema({ ...timestamp, description: 'ISO 8601 UTC; null: without an end' }),
  currency,
  state,
};

const limits = { uses: createNullableSchema(uses), usesPerOrder: createNullableSchema(usesPerOrder) };
const description = 'one use is one line; null: without a limit';
const limitsInput = named('UseLimitsInput', Type.Object(Type.Partial(Type.Object(limits)).properties, { description }));

const DiscountBody = named(
  'DiscountInput',
  Type.Object({
    ...members,
    ...Type.Partial(Type.Object({ ...shared, channels, limits: createNullableSchema(limitsInput) })).properties,
  }),
);

const Usage = named(
  'DiscountUsage',
  Type.Object(
    {
      held: Type.Integer({ description: 'of lines in carts and unpaid orders' }),
      used: Type.Integer({ description: 'of lines that are sold' }),
      free: createNullableSchema(Type.Integer({ description: 'left of `limits.uses`; null: without a limit' })),
    },
    {
      description:
        '0 of an automatic discount without `limits.uses`, which counts nothing; absent for clients with bounds',
    },
  ),
);

export const Discount = named(
  'Discount',
  Type.Object({
    id: Type.String(),
    ...members,
    ...shared,
    channels: shownChannels,
    limits: createNullableSchema(named('UseLimits', Type.Object(limits, { description: 'null: none' }))),
    usage: Type.Optional(Usage),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

const view = createView(Discount);

const discount = {
  id: exampleIds.discount,
  name: { fr: 'Rentrée', en: 'New season' },
  trigger: 'code' as const,
  effect: { percent: '10', roundTo: 5 },
  unlocks: [],
  criterion: null,
  productIds: [ids.product],
  performanceIds: null,
  tariffIds: null,
  minPlaces: 1,
  channels: null,
  validFrom: null,
  validTo: '2027-03-01T00:00:00.000Z',
  limits: { uses: 100, usesPerOrder: 2 },
  currency: 'CHF',
  state: 'active' as const,
  usage: { held: 3, used: 40, free: 57 },
  createdAt,
  updatedAt: createdAt,
};

const { id: _, usage: __, currency: ___, createdAt: ____, updatedAt: _____, ...addedDiscount } = discount;

const check = createCheck(DiscountBody);

const toList = (given: readonly string[] | null | undefined) => (given && given.length > 0 ? given : null);

const toEffect = ({ percent, roundTo, ...more }: Effect): Effect =>
  percent === undefined ? more : { percent: normalisePercentage(percent), roundTo: roundTo ?? 1, ...more };

const toLimits = (given: Static<typeof DiscountBody>['limits']): DiscountDetails['limits'] => {
  const { uses = null, usesPerOrder = null } = given ?? {};
  return uses === null && usesPerOrder === null ? null : { uses, usesPerOrder };
};

export const discounts: Noun = {
  kind: 'discount',
  name: 'Discount',
  plural: 'Discounts',
  about:
    'A line gets at most one: of all that match, the one with the lowest price. It can have several codes ' +
    '(`POST …/codes`), or be `automatic`. `limits.uses` bounds the lines that have it, however many buy at once.',
  body: DiscountBody,
  shown: Discount,
  example: { body: addedDiscount, change: { state: 'paused' }, answer: discount },
  errors: ['discount_limit_conflict'],
  read(body) {
    const { name, trigger, ...more } = check(body);
    return {
      ...{ kind: 'discount', name, trigger },
      effect: more.effect ? toEffect(more.effect) : null,
      unlocks: more.unlocks ?? [],
      criterion: more.criterion ?? null,
      productIds: toList(more.productIds),
      performanceIds: toList(more.performanceIds),
      tariffIds: toList(more.tariffIds),
      minPlaces: more.minPlaces ?? 1,
      channels: normaliseChannels(more.channels),
      validFrom: more.validFrom ?? null,
      validTo: more.validTo ?? null,
      limits: toLimits(more.limits),
      state: more.state ?? 'active',
    };
  },
  async prepareView(context, document, caller, currency) {
    const isBounded = caller.bounds !== null;
    const count = isBounded ? undefined : await readUsage(context, document as RuleDocument<DiscountDetails>);
    return (one) => {
      const { rule, ...more } = one as RuleDocument<DiscountDetails>;
      return view({ ...more, ...rule, currency, ...(count ? { usage: count(rule) } : {}) });
    };
  },
  change: changeDiscount,
};
