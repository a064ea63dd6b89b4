import { _, Ajv2020, Name } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { canonicaliseTag } from '../locale/languages.ts';
import {
  isEmail,
  normaliseHost,
  normaliseLine,
  normaliseLineOrEmpty,
  normaliseLines,
  normaliseOrigin,
} from './texts.ts';

export type { ErrorObject, ValidateFunction } from 'ajv';

/** Normalises a text before its other constraints are checked: `line`, `lines`, or `timestamp` (to UTC). */
export const NORMALISE = 'x-normalise';

/** The same for the names of a map's members. */
export const NORMALISE_NAMES = 'x-normalise-names';

/** Ends a validation, as failed, once it has more errors than this number. */
export const ENOUGH = 'x-enough';

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** The same instant as ISO 8601 UTC with milliseconds, or undefined if it is not an RFC 3339 timestamp. */
export function toUtc(text: string): string | undefined {
  if (!RFC_3339.test(text)) return undefined;
  const instant = new Date(text.toUpperCase());
  if (Number.isNaN(instant.getTime())) return undefined;
  // Date rolls a 30th of February over to March instead of refusing it.
  const day = Number(text.slice(8, 10));
  const lastDay = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  const result = instant.toISOString();
  return day <= lastDay && result.length === 24 ? result : undefined;
}

const normalisers: Readonly<Record<string, (text: string) => string | undefined>> = {
  line: normaliseLine,
  lineOrEmpty: normaliseLineOrEmpty,
  lines: normaliseLines,
  origin: normaliseOrigin,
  host: normaliseHost,
  language: canonicaliseTag,
  timestamp: toUtc,
};

const COUNT = new Name('errors');
const ERRORS = new Name('vErrors');

export interface AjvOptions {
  /** Also validates the schemas themselves. */
  readonly proving?: boolean;
  /** Collects every error; otherwise a validation ends at the first one. */
  readonly allErrors?: boolean;
}

export function createAjv({ proving = false, allErrors = false }: AjvOptions = {}): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    strict: true,
    // Optimising the generated code takes a third of the start time and has no measurable effect on requests.
    code: { optimize: false },
    strictRequired: false,
    allowUnionTypes: true,
    validateSchema: proving,
    formats: { ...fullFormats, 'idn-email': isEmail, 'date-time': (text: string) => toUtc(text) !== undefined },
  });
  // For generated code: `oneOf` beside it decides alone.
  ajv.addKeyword('discriminator');
  ajv.addKeyword({
    keyword: NORMALISE,
    type: 'string',
    schemaType: 'string',
    // The first rule of texts: the rules after it see the changed text.
    before: 'maxLength',
    modifying: true,
    errors: false,
    validate: (how: string, text: string, _schema?: object, place?: DataValidationCxt) => {
      const changed = normalisers[how]?.(text);
      if (place && changed !== undefined && changed !== text) {
        const property = { value: changed, writable: true, enumerable: true, configurable: true };
        Object.defineProperty(place.parentData, place.parentDataProperty, property);
      }
      return true;
    },
  });
  ajv.addKeyword({
    keyword: NORMALISE_NAMES,
    type: 'object',
    schemaType: 'string',
    before: 'propertyNames',
    modifying: true,
    validate: (how: string, members: Record<string, unknown>) => renameMembers(members, normalisers[how]),
  });
  ajv.addKeyword({
    keyword: ENOUGH,
    schemaType: 'number',
    errors: false,
    code: ({ gen, schema, it: { validateName } }) => {
      gen.if(_`${COUNT} > ${schema}`, () => {
        gen.assign(_`${validateName}.errors`, ERRORS);
        gen.return(false);
      });
    },
  });
  return ajv;
}

/** Renames the members in place, in their order; false, and none is renamed, if two of them would get the same name. */
const renameMembers = (
  members: Record<string, unknown>,
  rename: (name: string) => string | undefined = () => undefined,
) => {
  const renamed = Object.entries(members).map(([name, value]) => [rename(name) ?? name, value] as const);
  if (Object.keys(members).every((name, index) => renamed[index]?.[0] === name)) return true;
  if (new Set(renamed.map(([name]) => name)).size < renamed.length) return false;
  for (const name of Object.keys(members)) delete members[name];
  for (const [name, value] of renamed)
    Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
  return true;
};
