import { Fault } from '@boxoffice/envelope';
import { createId } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import type { MoneyRules } from './domain/tariff.ts';
import { type Collections, type InstitutionDocument, openCollections } from './store.ts';

export type Context = ReturnType<typeof createContext>;

export function createContext(store: Store, institution: string, now: () => number = Date.now) {
  return {
    collections: openCollections(store, institution),
    /** Epoch milliseconds. */
    now,
    newId: (prefix: string): string => createId(prefix, now()),
  };
}

/** ISO 8601 UTC. */
export function readTimestamp({ now }: Context): string {
  return new Date(now()).toISOString();
}

/** @throws Fault `semantically_invalid` that lists every problem, if there is one */
export function refuseProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new Fault('semantically_invalid', problems.join('; '));
}

/** @throws Fault `not_found`: the same answer for another institution's resource and for an unknown id */
export function throwNotFound(): never {
  throw new Fault('not_found', 'There is no resource with this id.');
}

/** The caller's institution. @throws Fault `not_found` if it is not set up in the catalog */
export async function requireInstitution({ institution, institutions }: Collections): Promise<InstitutionDocument> {
  const found = await institutions.get(institution);
  if (!found) throw new Fault('not_found', 'The institution is not set up in the catalog.');
  return found;
}

/** `tariffIds` of the rules are those of the given ones that exist. */
export async function readMoneyRules(collections: Collections, tariffIds: readonly string[]): Promise<MoneyRules> {
  const [{ currency }, ...known] = await Promise.all([
    requireInstitution(collections),
    ...[...new Set(tariffIds)].map((id) => collections.tariffs.get(id)),
  ]);
  return { currency, tariffIds: new Set(known.flatMap((tariff) => (tariff ? [tariff.id] : []))) };
}

/**
 * Takes effect on every instance. It runs after the write and before the response, so a client reads its own writes.
 * The write is unconditional, so concurrent writers do not retry.
 */
export async function invalidateCatalog(context: Context): Promise<void> {
  const { institutions, institution } = context.collections;
  await institutions.claim({ where: { id: institution }, set: { catalogMark: context.newId('mark') } });
}
