import { EMPTY_LINE_PATTERN, LANGUAGE_TAG, LINE_PATTERN, LINES_PATTERN } from '../schemas.ts';
import { WEB_ADDRESSES } from '../web-addresses.ts';
import { type ErrorObject, NORMALISE_NAMES } from './ajv.ts';

export interface Violation {
  /** Where: `$.address.city` in a body, a parameter's name. */
  readonly path: string;
  /** The end of the sentence that the path begins. */
  readonly message: string;
  /** `type`: absent or of the wrong type. `constraint`: any other violation. */
  readonly kind: 'absent' | 'type' | 'constraint';
}

/** How many violations `details` names, and about how many characters it has. */
export const MAX_NAMED = 100;
const MAX_DETAILS_LENGTH = 8_000;

/** Longer names of fields are cut: they come from the client. */
const MAX_NAME_LENGTH = 64;

const PLAIN_NAME = /^[A-Za-z_$][\w$-]*$/;

/** A JSON pointer (RFC 6901) as a JSON path: `/items/0/name` is `$.items[0].name`. */
export function toJsonPath(pointer: string, field?: string): string {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : member(step)));
  return `$${steps.join('')}${field === undefined ? '' : member(field)}`;
}

const member = (name: string): string => {
  const short = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
  return PLAIN_NAME.test(short) ? `.${short}` : `[${JSON.stringify(short)}]`;
};

const FORMATS: Readonly<Record<string, string>> = {
  'idn-email': 'must be an email address',
  'date-time': 'must be a timestamp with an offset, such as 2027-01-31T19:30:00Z (RFC 3339)',
  date: 'must be a date, such as 2027-01-31',
};

const PATTERNS: Readonly<Record<string, string>> = {
  [LINE_PATTERN]: 'must not be blank or contain control characters',
  [EMPTY_LINE_PATTERN]: 'must be empty, or not blank and without control characters',
  [LINES_PATTERN]: 'must not be blank or contain control characters but line breaks and tabs',
  [LANGUAGE_TAG]: 'must be a language tag (BCP 47), such as fr, pt-BR or zh-Hant',
  ...WEB_ADDRESSES,
};

/** Longer patterns, such as a list of all types of events, are left out of messages. */
const LONGEST_PATTERN = 200;

const CONSTRAINTS: Readonly<Record<string, (error: ErrorObject) => string>> = {
  additionalProperties: () => 'is not a known field',
  unevaluatedProperties: () => 'is not a known field',
  not: () => 'is not a known field',
  [NORMALISE_NAMES]: () => 'must not have a language twice',
  format: ({ params }) => FORMATS[params.format] ?? `must be a valid ${params.format}`,
  pattern: ({ params: { pattern } }) =>
    PATTERNS[pattern] ?? `must match ${pattern.length > LONGEST_PATTERN ? 'the pattern of the description' : pattern}`,
  minLength: ({ params }) =>
    params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`,
  maxLength: ({ params }) => `must have at most ${params.limit} characters`,
  minItems: ({ params }) => `must have at least ${params.limit} items`,
  maxItems: ({ params }) => `must have at most ${params.limit} items`,
  minProperties: ({ params }) =>
    params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} members`,
  uniqueItems: () => 'must not have the same item twice',
};

/** One sentence that names every violation, or the first ones; `more`: there may be others. */
export function describeViolations(violations: readonly Violation[], more = false): string {
  const named = shortenParts(violations.slice(0, MAX_NAMED).map(({ path, message }) => `${path} ${message}`));
  return `${named.join('; ')}${more || violations.length > named.length ? '; and more' : ''}.`;
}

const shortenParts = (parts: readonly string[]): string[] => {
  let length = 0;
  return parts.slice(0, MAX_NAMED).filter((part) => {
    length += part.length;
    return length <= MAX_DETAILS_LENGTH;
  });
};

/** An error; that of a choice (`anyOf`, `oneOf`) has the errors of each alternative within it. */
interface Found {
  readonly error: ErrorObject;
  readonly within: readonly Found[];
}

const UNKNOWN = ['additionalProperties', 'unevaluatedProperties', 'not'];

export function listViolations(errors: readonly ErrorObject[]): Violation[] {
  const found = groupErrors(errors).flatMap(flat);
  return [...new Map(found.map((one) => [`${one.path} ${one.message}`, one])).values()];
}

/** Moves the errors of a choice's alternatives, which directly precede it, within it. */
const groupErrors = (errors: readonly ErrorObject[]): Found[] => {
  const found: Found[] = [];
  for (const error of errors) {
    let first = found.length;
    while (isChoice(error) && first > 0 && isWithin((found[first - 1] as Found).error, error)) first -= 1;
    found.push({ error, within: found.splice(first) });
  }
  return found;
};

const isChoice = ({ keyword }: ErrorObject): boolean => keyword === 'anyOf' || keyword === 'oneOf';

const isWithin = (inner: ErrorObject, choice: ErrorObject): boolean =>
  inner.schemaPath.startsWith(`${choice.schemaPath}/`) &&
  (inner.instancePath === choice.instancePath || inner.instancePath.startsWith(`${choice.instancePath}/`));

const flat = (found: Found): Violation[] => {
  if (isChoice(found.error)) return ofChoice(found);
  const one = violation(found.error);
  return one ? [one] : [];
};

/** Reported for the alternative that was meant, as far as that can be determined. */
const ofChoice = (choice: Found): Violation[] => {
  const here = choice.error.instancePath;
  const path = toJsonPath(here);
  if (choice.error.params.passingSchemas)
    return [{ path, message: 'must have exactly one of its forms', kind: 'constraint' }];
  const atHere = ({ error }: Found) => error.instancePath === here;
  const isType = (found: Found) => atHere(found) && flat(found).some(({ kind }) => kind === 'type');
  const branches = branchesOf(choice);
  const meant = branches.filter((branch) => !branch.some(isType));
  if (meant.length === 0) {
    const messages = branches.flatMap((branch) =>
      branch
        .filter(isType)
        .flatMap(flat)
        .map(({ message }) => message),
    );
    return [{ path, message: [...new Set(messages)].join(' or ').replaceAll(' or must be ', ' or '), kind: 'type' }];
  }
  // Every alternative has a constant at the same place, and the value has none of them.
  const isConstant = ({ error }: Found) => error.keyword === 'const';
  const constants = meant.flatMap((branch) => branch.filter(isConstant).slice(0, 1)).map(({ error }) => error);
  const [first] = constants;
  if (first && constants.length === meant.length && constants.every((c) => c.instancePath === first.instancePath)) {
    return [
      ofValues(
        first,
        constants.map(({ params }) => params.allowedValue),
      ),
    ];
  }
  // A constant that differs (a discriminator) means that another alternative was meant.
  const fitting = meant.filter((branch) => !branch.some(isConstant));
  // The one that has the members of the value; of several the one with the fewest violations.
  const [closest = []] = (fitting.length > 0 ? fitting : meant).toSorted(
    (a, b) => unknownIn(a, here) - unknownIn(b, here) || a.length - b.length,
  );
  return closest.flatMap(flat);
};

const branchesOf = ({ error, within }: Found): Found[][] =>
  (error.schema as readonly unknown[])
    .map((_, index) => within.filter((inner) => inner.error.schemaPath.startsWith(`${error.schemaPath}/${index}/`)))
    .filter((branch) => branch.length > 0);

const ofValues = (error: ErrorObject, values: readonly unknown[]): Violation => {
  const path = toJsonPath(error.instancePath);
  const types = [...new Set(values.map(typeOf))];
  if (!types.includes(typeOf(error.data))) return { path, message: `must be ${types.join(' or ')}`, kind: 'type' };
  return { path, message: `must be one of ${formatValues(values)}`, kind: 'constraint' };
};

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

const formatValues = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(', ');

const unknownIn = (branch: readonly Found[], here: string): number =>
  branch.filter(({ error: { keyword, instancePath, params } }) => {
    if (!UNKNOWN.includes(keyword)) return false;
    const below = instancePath.slice(here.length).split('/').length - 1;
    const isNamed = (params.additionalProperty ?? params.unevaluatedProperty) !== undefined;
    return below === (isNamed ? 0 : 1);
  }).length;

/** The violation of one error of a compiled schema; undefined if the error only summarises others. */
const violation = (error: ErrorObject): Violation | undefined => {
  const { keyword, params, instancePath } = error;
  if (keyword === 'required')
    return { path: toJsonPath(instancePath, params.missingProperty), message: 'is required', kind: 'absent' };
  if (keyword === 'type') {
    const types = String(params.type).split(',').join(' or ');
    return { path: toJsonPath(instancePath), message: `must be ${types}`, kind: 'type' };
  }
  if (keyword === 'enum') return ofValues(error, params.allowedValues);
  if (keyword === 'const') return ofValues(error, [params.allowedValue]);
  if (keyword === 'propertyNames' || keyword === 'if') return undefined;
  return constraint(error);
};

const constraint = (error: ErrorObject): Violation => {
  const field = error.params.additionalProperty ?? error.params.unevaluatedProperty ?? error.propertyName;
  const message = CONSTRAINTS[error.keyword]?.(error) ?? (error.message ?? 'is not valid').replace('NOT', 'not');
  return { path: toJsonPath(error.instancePath, field), message, kind: 'constraint' };
};
