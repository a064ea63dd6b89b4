import { createCheck, createNullableSchema, createView, currency, named, oneOf, timestamp } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { normalisePercentage } from '../domain/percentage.ts';
import { type FeeDetails, feeUnits, normaliseChannels } from '../domain/pricing.ts';
import { amount, code, createdAt, names, shownCode } from '../schemas.ts';
import type { RuleDocument } from '../store.ts';
import type { Noun } from './noun.ts';
import { channels, exampleIds, percent, roundTo, shownChannels, state, taxId } from './schemas.ts';

const members = {
  name: names,
  per: oneOf(feeUnits, { description: 'on each ticket, or once on the order' }),
};

const shared = {
  amount: createNullableSchema({ ...amount, description: 'in the minor unit; this or `percent`' }),
  percent: createNullableSchema(percent),
  roundTo: createNullableSchema(roundTo),
  ...{ currency, taxId, state },
};

const FeeBody = named(
  'FeeInput',
  Type.Object({ code, ...members, ...Type.Partial(Type.Object({ ...shared, channels })).properties }),
);

export const Fee = named(
  'Fee',
  Type.Object({
    id: Type.String(),
    code: shownCode,
    ...members,
    ...shared,
    channels: shownChannels,
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

const view = createView(Fee);

export function toFeeView({ rule, ...document }: RuleDocument<FeeDetails>, currency: string): Static<typeof Fee> {
  return view({ ...document, ...rule, currency });
}

export const fee = {
  id: exampleIds.fee,
  code: 'BOOKING',
  name: { fr: 'Frais de réservation', en: 'Booking fee' },
  per: 'ticket' as const,
  amount: 250,
  percent: null,
  roundTo: null,
  currency: 'CHF',
  taxId: exampleIds.tax,
  channels: null,
  state: 'active' as const,
  createdAt,
  updatedAt: createdAt,
};

const addedFee = {
  code: 'SERVICE',
  name: { fr: 'Frais de service', en: 'Service charge' },
  per: 'order' as const,
  amount: 400,
};

const check = createCheck(FeeBody);

export const fees: Noun = {
  kind: 'fee',
  name: 'Fee',
  plural: 'Fees',
  about:
    'Charged on every ticket that costs something, as an amount or a percentage of what is left after a discount, or once on ' +
    'the order, as an amount.',
  body: FeeBody,
  shown: Fee,
  example: { body: addedFee, change: { amount: 300 }, answer: fee },
  errors: ['fee_duplicate_code'],
  read(body) {
    const { code, name, per, amount = null, percent = null, roundTo, ...more } = check(body);
    return {
      ...{ kind: 'fee', code, name, per, amount },
      percent: percent === null ? null : normalisePercentage(percent),
      roundTo: percent === null ? null : (roundTo ?? 1),
      taxId: more.taxId ?? null,
      channels: normaliseChannels(more.channels),
      state: more.state ?? 'active',
    };
  },
  prepareView: async (_context, _document, _caller, currency) => (document) =>
    toFeeView(document as RuleDocument<FeeDetails>, currency),
};
