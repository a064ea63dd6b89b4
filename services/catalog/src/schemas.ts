import { named } from '@boxoffice/http';
import { Type } from 'typebox';

// Members that the schemas of several resources share.

const language = '^[a-z]{2,3}(-[A-Z]{2})?$';

/** A text by language. */
export const texts = (maxLength: number) =>
  named(
    maxLength > 200 ? 'LocalisedLongText' : 'LocalisedText',
    Type.Record(Type.String({ pattern: language }), Type.String({ minLength: 1, maxLength }), {
      minProperties: 1,
      additionalProperties: false,
      description: 'by language (ISO 639)',
    }),
  );

export const languages = Type.Array(Type.String({ pattern: language }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
});

/** A code that an institution gives. */
export const code = Type.String({ minLength: 1, maxLength: 64, pattern: '^\\S(.*\\S)?$' });

/** Money: 500 times the largest amount is still a safe integer. */
export const amount = Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: "in the currency's minor unit" });
