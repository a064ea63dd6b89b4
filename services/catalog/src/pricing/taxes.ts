import { createCheck, createView, named, timestamp } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { normalisePercentage } from '../domain/percentage.ts';
import type { TaxDetails } from '../domain/pricing.ts';
import { code, createdAt, names, shownCode } from '../schemas.ts';
import type { RuleDocument } from '../store.ts';
import type { Noun } from './noun.ts';
import { createPercentageSchema, exampleIds } from './schemas.ts';

const rate = createPercentageSchema('of the net amount; prices include it');

const TaxBody = named('TaxInput', Type.Object({ code, name: names, rate }));

export const Tax = named(
  'Tax',
  Type.Object({ id: Type.String(), code: shownCode, name: names, rate, createdAt: timestamp, updatedAt: timestamp }),
);

const view = createView(Tax);

export function toTaxView({ rule, ...document }: RuleDocument<TaxDetails>): Static<typeof Tax> {
  return view({ ...document, ...rule });
}

export const tax = {
  id: exampleIds.tax,
  code: 'CULTURE',
  name: { fr: 'TVA réduite', en: 'Reduced VAT' },
  rate: '2.6',
  createdAt,
  updatedAt: createdAt,
};

const addedTax = { code: 'STANDARD', name: { fr: 'TVA', en: 'VAT' }, rate: '8.1' };

const check = createCheck(TaxBody);

export const taxes: Noun = {
  kind: 'tax',
  name: 'Tax',
  plural: 'Taxes',
  about: 'Tariffs, products and fees name it by `taxId`; the tax of a tariff counts before that of its product.',
  body: TaxBody,
  shown: Tax,
  example: { body: addedTax, change: { rate: '2.5' }, answer: tax },
  errors: ['tax_duplicate_code'],
  read(body) {
    const { code, name, rate } = check(body);
    return { kind: 'tax', code, name, rate: normalisePercentage(rate) };
  },
  prepareView: async () => (document) => toTaxView(document as RuleDocument<TaxDetails>),
};
