import { at, isTree, type Tree, type Value } from './tree.ts';

/** Kubernetes' lists whose elements are merged by a key member; the project's patches touch no other keyed lists. */
const keys: Readonly<Record<string, string>> = {
  containers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  topologySpreadConstraints: 'topologyKey',
};

/** The patch's elements come first, in its order, as in kustomize. */
const mergedLists = (current: readonly Value[], patch: readonly Value[], key: string): Value[] => {
  const keyOf = (one: Value): Value | undefined => at(one, key);
  const known = new Map(current.map((one) => [keyOf(one), one]));
  const changed = new Set(patch.map(keyOf));
  return [
    ...patch.map((one) => merge(known.get(keyOf(one)), one)),
    ...current.filter((one) => !changed.has(keyOf(one))),
  ];
};

/**
 * A strategic merge patch: mappings merge by member, null removes, a list replaces the earlier one unless Kubernetes
 * defines a merge key.
 */
export const merge = (current: Value | undefined, patch: Value, name = ''): Value => {
  if (Array.isArray(patch)) {
    const key = keys[name];
    return key === undefined || !Array.isArray(current) ? patch : mergedLists(current, patch, key);
  }
  if (!isTree(patch)) return patch;
  const members: Record<string, Value> = isTree(current) ? { ...current } : {};
  for (const [member, change] of Object.entries(patch)) {
    if (member.startsWith('$')) throw new Error(`the directive ${member} is not understood here`);
    if (change === null) delete members[member];
    else members[member] = merge(members[member], change, member);
  }
  return members;
};

/** One operation of a JSON patch (RFC 6902): `replace` of an existing member. @throws {Error} for any other */
export const replaced = (current: Value, { op, path, value, ...rest }: Tree): Value => {
  if (op !== 'replace' || typeof path !== 'string' || value === undefined || Object.keys(rest).length > 0)
    throw new Error('of JSON patches only replace is understood here');
  const [step, ...further] = path.slice(1).split('/');
  const below = further.length === 0 ? undefined : `/${further.join('/')}`;
  const next = (old: Value | undefined): Value => {
    if (old === undefined) throw new Error(`${path} does not exist`);
    return below === undefined ? value : replaced(old, { op, path: below, value });
  };
  if (step === undefined) throw new Error('a path is empty');
  if (Array.isArray(current)) return current.map((one, index) => (index === Number(step) ? next(one) : one));
  if (!isTree(current)) throw new Error(`${path} does not exist`);
  return { ...current, [step]: next(current[step]) };
};
