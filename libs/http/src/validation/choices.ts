import type { ErrorObject } from './ajv.ts';
import { jsonPath, ofValues, type Violation, violation } from './violations.ts';

/** An error; that of a choice (`anyOf`, `oneOf`) has the errors of each alternative within it. */
interface Found {
  readonly error: ErrorObject;
  readonly within: readonly Found[];
}

const isChoice = ({ keyword }: ErrorObject): boolean => keyword === 'anyOf' || keyword === 'oneOf';

const isWithin = (inner: ErrorObject, choice: ErrorObject): boolean =>
  inner.schemaPath.startsWith(`${choice.schemaPath}/`) &&
  (inner.instancePath === choice.instancePath || inner.instancePath.startsWith(`${choice.instancePath}/`));

/** Moves the errors of a choice's alternatives, which directly precede it, within it. */
const grouped = (errors: readonly ErrorObject[]): Found[] => {
  const found: Found[] = [];
  for (const error of errors) {
    let first = found.length;
    while (isChoice(error) && first > 0 && isWithin((found[first - 1] as Found).error, error)) first -= 1;
    found.push({ error, within: found.splice(first) });
  }
  return found;
};

const branchesOf = ({ error, within }: Found): Found[][] =>
  (error.schema as readonly unknown[])
    .map((_, index) => within.filter((inner) => inner.error.schemaPath.startsWith(`${error.schemaPath}/${index}/`)))
    .filter((branch) => branch.length > 0);

const flat = (found: Found): Violation[] => {
  if (isChoice(found.error)) return ofChoice(found);
  const one = violation(found.error);
  return one ? [one] : [];
};

const UNKNOWN = ['additionalProperties', 'unevaluatedProperties', 'not'];

/** How many members of the value at this place an alternative does not have. */
const unknownIn = (branch: readonly Found[], here: string): number =>
  branch.filter(({ error: { keyword, instancePath, params } }) => {
    if (!UNKNOWN.includes(keyword)) return false;
    const below = instancePath.slice(here.length).split('/').length - 1;
    const isNamed = (params.additionalProperty ?? params.unevaluatedProperty) !== undefined;
    return below === (isNamed ? 0 : 1);
  }).length;

/**
 * The violations of a value that matches no alternative, reported for the alternative that was meant, as far as that
 * can be determined.
 */
const ofChoice = (choice: Found): Violation[] => {
  const here = choice.error.instancePath;
  const path = jsonPath(here);
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

/** The violations in a compiled schema's errors, each once. */
export const violationsOf = (errors: readonly ErrorObject[]): Violation[] => {
  const found = grouped(errors).flatMap(flat);
  return [...new Map(found.map((one) => [`${one.path} ${one.message}`, one])).values()];
};
