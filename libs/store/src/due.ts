// What is due of a document, before and after a write: the same in both engines, which store it beside the document.

import { randomBytes } from 'node:crypto';
import type { Due, DueChange, DueRequest, DueWork, EndedWork } from './port.ts';

const NAME = /^[a-z][A-Za-z0-9]*$/;

/** The declared names. @throws if one is not allowed */
export function requireWork(collection: string, names: readonly string[] = []): ReadonlySet<string> {
  for (const name of names)
    if (!NAME.test(name)) throw new Error(`${JSON.stringify(name)} is not a name of work of ${collection}`);
  return new Set(names);
}

/** The due work after a write. @throws on a name that is not declared, and on what is no instant */
export function changeDue(
  due: Due | undefined,
  change: DueChange,
  { name: collection, work }: { readonly name: string; readonly work: ReadonlySet<string> },
): Due | undefined {
  const next = new Map(Object.entries(due ?? {}));
  for (const [name, at] of Object.entries(change)) {
    if (!work.has(name)) throw new Error(`${collection} declares no work ${JSON.stringify(name)}`);
    if (at === null) next.delete(name);
    else if (Number.isFinite(at)) next.set(name, dueAgain(next.get(name), at));
    else throw new Error(`work ${name} of ${collection} is due at no instant: ${at}`);
  }
  return presentDue([...next]);
}

/** Work that is due once more has been due since the first time, unless nobody has tried or postponed it yet. */
const dueAgain = (before: DueWork | undefined, at: number): DueWork =>
  before && before.since < before.at ? { at, since: before.since, tries: before.tries } : { at, since: at, tries: 0 };

const presentDue = (entries: readonly (readonly [string, DueWork])[]): Due | undefined =>
  entries.length === 0 ? undefined : Object.fromEntries(entries);

export function replaceDue(due: Due, name: string, to: DueWork | null): Due | undefined {
  return presentDue(
    to === null ? Object.entries(due).filter(([other]) => other !== name) : Object.entries({ ...due, [name]: to }),
  );
}

/** What is left of a document's due work; undefined: nothing. */
export function removeEndedWork(due: Due, id: string, ends: readonly EndedWork[]): Due | undefined {
  const isEnded = (name: string, work: DueWork): boolean =>
    ends.some((end) => end.id === id && end.name === name && isSameWork(work, end.work));
  return presentDue(Object.entries(due).filter(([name, work]) => !isEnded(name, work)));
}

/** The earliest instant; null: nothing is due. */
export function findEarliest(due: Due | undefined): number | null {
  return due === undefined ? null : Math.min(...Object.values(due).map(({ at }) => at));
}

/** The work of a request that is due, moved to the end of a new claim; undefined: none is. */
export function createClaim(
  due: Due,
  { now, forMs }: Pick<DueRequest, 'now' | 'forMs'>,
): { readonly due: Due; readonly work: readonly string[] } | undefined {
  const work = Object.keys(forMs).filter((name) => (due[name]?.at ?? Number.POSITIVE_INFINITY) <= now);
  if (work.length === 0) return undefined;
  const claim = randomBytes(9).toString('base64url');
  const claimed = work.flatMap((name): [string, DueWork][] => {
    const before = due[name];
    return before ? [[name, { ...before, at: now + (forMs[name] ?? 0), claim }]] : [];
  });
  return { due: { ...due, ...Object.fromEntries(claimed) }, work };
}

/** Undefined and null: it is not due. */
export function isSameWork(one: DueWork | undefined, other: DueWork | null): boolean {
  if (one === undefined || other === null) return one === undefined && other === null;
  return one.at === other.at && one.since === other.since && one.tries === other.tries && one.claim === other.claim;
}

/** What `upgrade` says of a document that an earlier release wrote: work that is due at an instant. */
export function toDue(instants: DueChange): Due | undefined {
  return presentDue(
    Object.entries(instants).flatMap(([name, at]): [string, DueWork][] =>
      at === null ? [] : [[name, { at, since: at, tries: 0 }]],
    ),
  );
}
