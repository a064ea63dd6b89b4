import {
  createLanguageMapSchema,
  createLineSchema,
  createLinesSchema,
  createView,
  currency,
  LANGUAGE_TAG,
  languageTag,
  named,
} from '@boxoffice/http';
import { type Static, Type } from 'typebox';

const name = createLineSchema({ maxLength: 200 });

export const names = named('LocalisedText', createLanguageMapSchema(name));

const { patternProperties: _, ...map } = createLanguageMapSchema(name);

/** As one of several forms: generators make clients that compile only of a map that has a member of its own, too. */
export const textByLanguage = named(
  'TextByLanguage',
  Type.Unsafe<Static<typeof names>>({
    ...map,
    properties: { en: name },
    propertyNames: { pattern: LANGUAGE_TAG },
    additionalProperties: name,
  }),
);

export const descriptions = named(
  'LocalisedLongText',
  createLanguageMapSchema(createLinesSchema({ maxLength: 20_000 })),
);

export const productDetails = named('LocalisedDetails', {
  ...createLanguageMapSchema(createLinesSchema({ maxLength: 8_000 })),
  description: 'what there is to know beside `description`; paragraphs are apart by an empty line',
});

export const languages = Type.Array(languageTag, {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: 'BCP 47; the first is used where no other is wanted',
});

export const code = createLineSchema({ maxLength: 64, description: "the institution's own, unique among its kind" });

export const shownCode = Type.String({ description: "the institution's own" });

/** 500 times the largest amount is still a safe integer. */
export const amount = Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: "in the currency's minor unit" });

export const createdAt = '2027-01-11T09:00:00.000Z';

export const ids = {
  product: 'prd_00mhs1k2a4h9rv2c6t5b',
  performance: 'prf_00mhs1k2e7d3kq0w8z1x',
  category: 'cat_00mhs1k2e7d3kq0w8z1x_0',
  place: 'plc_00mhs1k2e7d3kq0w8z1x_0_0_14',
  tariff: 'trf_00mhs1k1z2s6xe8b0n4m',
  order: 'ord_00mhs1k9f5g7ja3p1y6d',
};

export const asOf = '2027-02-01T11:59:45.000Z';

export const Institution = named(
  'Institution',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    currency,
    languages: Type.Array(Type.String(), { description: 'BCP 47' }),
  }),
);

export const toInstitutionView = createView(Institution);
