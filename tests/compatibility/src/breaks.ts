import { builtInRows } from '@boxoffice/runtime/services';
import { compareFacts, compareIndexes, compareQueues } from './compare/data.ts';
import { compareDescriptions, type Finding } from './compare/descriptions.ts';
import { type Process, processes } from './processes.ts';
import { releasedOf, type Snapshot, snapshotOf, type Withdrawn, withdrawnOf } from './snapshot.ts';
import { missingEntries } from './version.ts';

/** A breaking change. */
export interface Break extends Finding {
  /** The process that changed. */
  readonly process: string;
  /** The callers, consumers or instances that it breaks. */
  readonly hurts: readonly string[];
}

/** Callers of the internal operations without identity, which the authorizer therefore does not list. */
const BEFORE_IDENTITY: Readonly<Record<string, readonly string[]>> = {
  decide: ['gateway'],
  listRevocations: ['gateway'],
  identifyService: ['gateway', 'orders', 'pos'],
};

/**
 * The processes that may call an internal operation, as the authorizer lists them. A client is generated for exactly
 * the listed operations, so that no other call compiles, and the authorizer issues identities for no other.
 */
export const callersOf = (provider: string, operationId: string): readonly string[] =>
  BEFORE_IDENTITY[operationId] ??
  builtInRows.filter(({ calls }) => calls.includes(`${provider}.${operationId}`)).map(({ name }) => name);

/** What the last release of every process consumes, by its name. */
export type Consumers = readonly (readonly [name: string, consumes: Snapshot['events']['consumes']])[];

const consumersOf = (consumers: Consumers, type: string): string[] =>
  consumers.flatMap(([name, consumes]) =>
    Object.entries(consumes).flatMap(([queue, types]) => (types.includes(type) ? [`${name} (${queue})`] : [])),
  );

/**
 * Every change since the last release that breaks a partner, a consumer, a caller, or instances of the last release
 * beside this one. What no other process calls or consumes breaks none.
 */
export const breaksOf = (
  { name, callers }: Pick<Process, 'name' | 'callers'>,
  released: Snapshot,
  now: Snapshot,
  consumers: Consumers,
): Break[] => {
  const named = (found: readonly Finding[], hurts: readonly string[]): Break[] =>
    hurts.length > 0 ? found.map(({ where, what }) => ({ where, what, process: name, hurts })) : [];
  return [
    ...named(compareDescriptions(released.openapi, now.openapi), [callers]),
    ...compareDescriptions(released.internal, now.internal).flatMap((found) =>
      named([found], callersOf(name, found.operation)),
    ),
    ...compareFacts(released.events.publishes, now.events.publishes).flatMap((found) =>
      named([found], consumersOf(consumers, found.type)),
    ),
    ...named(
      [
        ...compareQueues(released.events.consumes, now.events.consumes),
        ...compareIndexes(released.collections, now.collections),
      ],
      [`${name} ${released.events.version} on the same data`],
    ),
  ];
};

/** A break in one line. */
export const lineOf = ({ process, where, what, hurts }: Break): string =>
  `${process}: ${where}: ${what}\n  breaks ${hurts.join(', ')}`;

/** The result of the comparison with the last releases. */
export interface Verdict {
  readonly breaks: readonly Break[];
  /** Breaks that are announced in `released/withdrawn.json`. */
  readonly announced: readonly Break[];
  /** Other problems, in words. */
  readonly problems: readonly string[];
}

const changeOf = ({ where, what }: Break): string => `${where}: ${what}`;

/** Separates announced breaks from unannounced ones; an announcement without a change is a problem. */
export const judge = (found: readonly Break[], withdrawn: readonly Withdrawn[], file: string): Verdict => {
  const changes = withdrawn.map(({ change }) => change);
  const idle = changes.filter((change) => !found.some((one) => changeOf(one) === change));
  return {
    breaks: found.filter((one) => !changes.includes(changeOf(one))),
    announced: found.filter((one) => changes.includes(changeOf(one))),
    problems: idle.map((change) => `${file}: no change "${change}" was found`),
  };
};

/** Compares these processes with their last releases, with what others consume of them, and with the CHANGELOG. */
export const verdictOn = (some: readonly Process[]): Verdict => {
  const consumers = processes.map((one) => [one.name, releasedOf(one)?.events.consumes ?? {}] as const);
  const all = some.map((process): Verdict => {
    const released = releasedOf(process);
    if (!released)
      return { breaks: [], announced: [], problems: [`${process.name} has no ${process.folder}/released`] };
    const found = breaksOf(process, released, snapshotOf(process), consumers);
    const verdict = judge(found, withdrawnOf(process), `${process.folder}/released/withdrawn.json`);
    return { ...verdict, problems: [...verdict.problems, ...missingEntries(process, released.events.version)] };
  });
  return {
    breaks: all.flatMap(({ breaks }) => breaks),
    announced: all.flatMap(({ announced }) => announced),
    problems: all.flatMap(({ problems }) => problems),
  };
};
