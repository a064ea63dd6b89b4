import { byLanguage, languageTag, lineOfText, linesOfText, named } from '@boxoffice/http';
import { Type } from 'typebox';

// Members that the schemas of several resources share.

/** A name by language. */
export const names = named('LocalisedText', byLanguage(lineOfText({ maxLength: 200 })));

/** A description by language. */
export const descriptions = named('LocalisedLongText', byLanguage(linesOfText({ maxLength: 20_000 })));

export const languages = Type.Array(languageTag, {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: 'BCP 47; the first is used where no other is wanted',
});

/** A code that an institution gives. */
export const code = lineOfText({ maxLength: 64, description: "the institution's own, unique among its kind" });

/** The same in answers. */
export const shownCode = Type.String({ description: "the institution's own" });

/** Money: 500 times the largest amount is still a safe integer. */
export const amount = Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: "in the currency's minor unit" });
