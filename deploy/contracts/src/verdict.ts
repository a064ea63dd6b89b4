import type { Description, Response, Schema } from '@boxoffice/codegen';
import { dereference } from '@boxoffice/http';
import { getOwnMember } from '@boxoffice/runtime';
import { type Dependent, findBreaks, type Snapshot } from './breaks.ts';
import { compareDescriptions, type Finding } from './descriptions.ts';
import { listOperationIds, type Process, processes } from './processes.ts';
import { compareSchemas } from './schemas.ts';

/** What a release of a process promises and needs. */
export interface Release extends Dependent {
  readonly version: string;
  readonly callers: string;
  readonly openapi: Description;
  readonly internal: Description;
  readonly publishes: Snapshot['events']['publishes'];
  readonly permits?: Process['permits'];
}

/** Why a release cannot run beside what runs, in one line's parts. */
export interface Obstacle {
  /** Who would break. */
  readonly caller: string;
  /** The operation or the fact, and what is missing. */
  readonly missing: string;
  readonly remedy: string;
}

/** Both names of a release: `orders 0.2.0`. */
export function formatRelease({ name, version }: Pick<Release, 'name' | 'version'>): string {
  return `${name} ${version}`;
}

export function findOwnRelease(name: string): Release | undefined {
  const found = processes.find((process) => process.name === name);
  return found && { ...found, openapi: found.openapi(), internal: found.internal() };
}

/** Partners, services and instances that run now and need of `present` what `next` does not give. */
export function findBrokenUses(next: Release, present: Release, running: readonly Dependent[]): Obstacle[] {
  return [
    ...findBreaks(next, stateOf(present), stateOf(next), running),
    ...running.flatMap(({ name, calls }) =>
      notPermitted(next, nameIn(name), calls).map((found) => ({ ...found, hurts: [name] })),
    ),
  ].flatMap(({ where, what, hurts }) =>
    hurts.map((caller) => ({
      caller,
      missing: `${where}: ${what} (${formatRelease(next)})`,
      remedy:
        caller === next.callers
          ? 'keep it, or take it away in steps (docs/releases.md)'
          : `first run a release of ${nameIn(caller)} that does without it`,
    })),
  );
}

const stateOf = ({ openapi, internal, version, publishes, consumes }: Release): Snapshot => ({
  openapi,
  internal,
  events: { version, publishes, consumes },
  collections: {},
});

/** The calls of a caller that an authorizer does not permit; none if it does not say what it permits the caller. */
const notPermitted = ({ permits, ...authorizer }: Release, caller: string, calls: Dependent['calls']): Finding[] => {
  const permitted = getOwnMember(permits, caller);
  if (!permitted) return [];
  const { [authorizer.name]: _, ...others } = calls;
  return Object.entries(others).flatMap(([service, ids]) =>
    ids
      .filter((id) => !getOwnMember(permitted, service)?.includes(id))
      .map((id) => ({ where: `call ${service}.${id}`, what: 'is not permitted' })),
  );
};

const nameIn = (title: string): string => title.split(' ', 1)[0] ?? title;

/** Called by others or consumed (of `facts`, those of its row), and not given. Only the names are known. */
export function findMissingUses(next: Release, others: readonly Dependent[], facts: readonly string[]): Obstacle[] {
  return others.flatMap(({ name, calls, consumes }) =>
    [
      ...missingOperations(undefined, next.internal, getOwnMember(calls, next.name) ?? []),
      ...Object.values(consumes)
        .flat()
        .filter((type) => facts.includes(type) && !getOwnMember(next.publishes, type))
        .map((type): Finding => ({ where: `fact ${type}`, what: 'is not published' })),
    ].map(({ where, what }) => ({
      caller: name,
      missing: `${where}: ${what} (${formatRelease(next)})`,
      remedy: `add it, or first run a release of ${nameIn(name)} that does without it`,
    })),
  );
}

/** Whole operations, required members of successes, what it may send. If `expected` lacks one, only its id is known. */
const missingOperations = (
  expected: Description | undefined,
  actual: Description,
  ids: readonly string[],
): Finding[] => {
  const [known, present] = [expected ? listOperationIds(expected) : [], listOperationIds(actual)];
  const absent = ids.filter((id) => !known.includes(id) && !present.includes(id));
  return [
    ...(expected ? there(compareDescriptions(neededOf(expected, ids), actual)) : []),
    ...absent.map((id) => ({ where: `operation ${id}`, what: 'is missing' })),
  ];
};

/** Findings that compare what is expected with what is there, in place of a state before and after. */
const there = <Some extends Finding>(found: readonly Some[]): Some[] =>
  found.map((one) => ({ ...one, what: one.what.replace(/is gone$/, 'is missing').replace(/ now$/, ' there') }));

/** The description with these operations only, and of their answers what a caller cannot do without. */
const neededOf = (description: Description, ids: readonly string[]): Description => {
  const whole = dereference(description);
  const paths = each(whole.paths, (item) =>
    Object.fromEntries(
      Object.entries(item)
        .filter(([, { operationId }]) => ids.includes(operationId))
        .map(([method, operation]) => {
          const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
          return [method, { ...operation, responses: each(Object.fromEntries(successes), readOf) }];
        }),
    ),
  );
  return { ...whole, paths };
};

const each = <One, Other>(all: Readonly<Record<string, One>>, change: (one: One) => Other): Record<string, Other> =>
  Object.fromEntries(Object.entries(all).map(([name, one]) => [name, change(one)]));

const readOf = ({ content = {} }: Response): Response => ({
  content: each(content, ({ schema }) => ({ schema: withoutOptional(schema) })),
});

/** The schema without optional members: a reader copes without them, as beside the release before them. */
const withoutOptional = (schema: Schema): Schema => {
  const { properties, required = [], items, additionalProperties, allOf, anyOf, oneOf } = schema;
  const all = (some: readonly Schema[] | undefined) => some?.map(withoutOptional);
  const changed = {
    properties:
      properties &&
      Object.fromEntries(
        Object.entries(properties)
          .filter(([name]) => required.includes(name))
          .map(([name, member]) => [name, withoutOptional(member)]),
      ),
    items: items && withoutOptional(items),
    additionalProperties:
      typeof additionalProperties === 'object' ? withoutOptional(additionalProperties) : additionalProperties,
    allOf: all(allOf),
    anyOf: all(anyOf),
    oneOf: all(oneOf),
  };
  return { ...schema, ...Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined)) };
};

/** `facts`: those that it is known to publish. A built-in service gives what it has in this program. */
export function findMissingNeeds(next: Release, running: Release, facts: readonly string[]): Obstacle[] {
  const expected = findOwnRelease(running.name);
  const ids = getOwnMember(next.calls, running.name) ?? [];
  const consumed = Object.values(next.consumes).flat();
  const lackingFacts = consumed
    .filter((type) => facts.includes(type))
    .flatMap((type): Finding[] => {
      const actual = getOwnMember(running.publishes, type)?.schema;
      if (!actual) return [{ where: `fact ${type}`, what: 'is not published' }];
      const needed: Schema | undefined = getOwnMember(expected?.publishes, type)?.schema;
      return needed ? missingMembers(type, needed, actual) : [];
    });
  const found = [
    ...missingOperations(expected?.internal, running.internal, ids),
    ...lackingFacts,
    ...notPermitted(running, next.name, next.calls),
  ];
  return found.map(({ where, what }) => ({
    caller: formatRelease(next),
    missing: `${where}: ${what} (${formatRelease(running)})`,
    remedy: `first deploy ${running.name}`,
  }));
}

/** What a consumer lacks that was built for one schema of a fact and meets another: its required members. */
const missingMembers = (type: string, expected: Schema, actual: Schema): Finding[] =>
  there(
    compareSchemas(withoutOptional(expected), actual, 'answer').map(({ path, what }) => ({
      where: `fact ${type}`,
      what: `${path} ${what}`,
    })),
  );
