import { Fault } from '@boxoffice/envelope';
import type { TObject } from 'typebox';
import type { AnyOperation, ReadOnly } from '../operation.ts';
import type { PatchOf } from '../schemas.ts';
import { toUtc } from '../validation/ajv.ts';
import type { Json } from '../validation/body-schema.ts';
import { normaliseLine } from '../validation/texts.ts';
import { describeViolations, toJsonPath, type Violation } from '../validation/violations.ts';

const mergeAny = (current: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(current) ? Object.entries(current) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) members.delete(name);
    else members.set(name, mergeAny(members.get(name), value));
  }
  // fromEntries defines members, so a member called __proto__ stays an ordinary one.
  return Object.fromEntries(members);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396: null removes, objects merge, anything else replaces. Changes neither. */
export function mergePatch<T extends object>(current: T, patch: PatchOf<T>): T {
  return mergeAny(current, patch) as T;
}

/** Members that change without a request that writes them: accepted with any value, at any depth. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'version',
  'createdAt',
  'updatedAt',
  'lastUsedAt',
  'usedThisMonth',
  'lastDelivery',
  'usage',
]);

/** With the operationIds that change them; nothing changes a member that `changedBy` does not name. */
export function listReadOnlyMembers(
  shown: TObject,
  taken: TObject,
  changedBy: Readonly<Record<string, readonly string[]>> = {},
): ReadOnly {
  return Object.fromEntries(
    Object.entries(shown.properties)
      .filter(([name]) => !Object.hasOwn(taken.properties, name))
      .map(([name, schema]) => [name, { shown: schema, changedBy: changedBy[name] ?? [] }]),
  );
}

interface Taken {
  readonly pointer: string;
  /** Where its object is in the resource: names, and the ids of list items. */
  readonly steps: readonly (string | { readonly id: unknown })[];
  readonly name: string;
  readonly value: unknown;
}

type Place = Pick<Taken, 'pointer' | 'steps'>;
type Take = (value: unknown, place: Place, taken: Taken[]) => void;

/** Throws `semantically_invalid` unless the read-only members of a body equal those of the resource as it is shown. */
export type RequireUnchanged = (shown: object) => void;

/** Returns the check that the removed members equal the resource's. @throws Error for an unknown operationId */
export function compileReadOnly(
  operation: AnyOperation,
  schema: Json,
  operations: readonly AnyOperation[],
): (body: unknown) => RequireUnchanged {
  const take = takerOf(schema);
  const by = new Map(operations.map(({ id, method, path }) => [id, `${method.toUpperCase()} ${path} (${id})`]));
  const changedBy = new Map(
    Object.entries(operation.readOnly ?? {}).map(([name, { changedBy: ids }]): [string, string] => {
      const unknown = ids.filter((id) => !by.has(id));
      if (unknown.length > 0) throw new Error(`${operation.id}: there is no operation ${unknown.join(', ')}`);
      return [name, ids.map((id) => by.get(id)).join(', ')];
    }),
  );
  const isPatch = operation.method === 'patch';

  const violationOf = ({ pointer, steps, name }: Taken): Violation => {
    const how = steps.length === 0 ? changedBy.get(name) : undefined;
    const message = how
      ? `is changed by ${how}, not here`
      : 'differs from the current value, and no operation changes it';
    return { path: toJsonPath(pointer, name), message, kind: 'constraint' };
  };

  return (body) => {
    const taken: Taken[] = [];
    take?.(body, { pointer: '', steps: [] }, taken);
    const compared = taken.filter(({ name }) => !BOOKKEEPING.has(name));
    return (shown) => {
      const changed = compared.filter(({ steps, name, value }) => {
        const now = memberOf(findAt(shown, steps), name);
        return !same(isPatch ? mergeAny(now, value) : value, now);
      });
      if (changed.length > 0) throw new Fault('semantically_invalid', describeViolations(changed.map(violationOf)));
    };
  };
}

const takerOf = (schema: Json): Take | undefined => {
  const takes: Take[] = [];
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (member.readOnly) {
      takes.push((value, { pointer, steps }, taken) => {
        if (!isObject(value) || !Object.hasOwn(value, name)) return;
        taken.push({ pointer, steps, name, value: value[name] });
        delete value[name];
      });
      continue;
    }
    const take = takerOf(member);
    if (take) takes.push((value, place, taken) => take(memberOf(value, name), below(place, name, name), taken));
  }
  const takeItem = schema.items && takerOf(schema.items);
  if (takeItem)
    takes.push((value, place, taken) => {
      if (!Array.isArray(value)) return;
      for (const [index, item] of value.entries())
        takeItem(item, below(place, index, { id: memberOf(item, 'id') }), taken);
    });
  for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    const take = takerOf(part);
    if (take) takes.push(take);
  }
  if (takes.length === 0) return undefined;
  return (value, place, taken) => {
    for (const take of takes) take(value, place, taken);
  };
};

const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const below = ({ pointer, steps }: Place, at: string | number, step: Taken['steps'][number]): Place => ({
  pointer: `${pointer}/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`,
  steps: [...steps, step],
});

const findAt = (resource: unknown, steps: Taken['steps']): unknown =>
  steps.reduce((at: unknown, step) => {
    if (typeof step === 'string') return memberOf(at, step);
    return Array.isArray(at) ? at.find((item) => memberOf(item, 'id') === step.id) : undefined;
  }, resource);

/** Absent equals null; instants are compared as instants, texts as normalised; bookkeeping is ignored. */
const same = (left: unknown, right: unknown): boolean => {
  if (left === right || (left ?? null) === (right ?? null)) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => same(item, right[index]));
  if (isObject(left) && isObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].every((name) => BOOKKEEPING.has(name) || same(memberOf(left, name), memberOf(right, name)));
  }
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  if (normaliseLine(left) === normaliseLine(right)) return true;
  const instant = toUtc(left);
  return instant !== undefined && instant === toUtc(right);
};
