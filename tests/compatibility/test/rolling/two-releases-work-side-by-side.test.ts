import { processes } from '@boxoffice/contracts';
import { type AnyOperation, createCheck, ok, operation } from '@boxoffice/http';
import type { Bus, Message } from '@boxoffice/messaging';
import type { Logger } from '@boxoffice/runtime';
import type { Collection, CollectionHandle, Document, Documents, Fact, Store, WriteOptions } from '@boxoffice/store';
import { waitUntil } from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import {
  type AnyService,
  definitions,
  isSilent,
  openScenario,
  quiet,
  type Scenario,
} from '../../src/scenario/open-scenario.ts';
import { runScenario } from '../../src/scenario/run-scenario.ts';

/** The member that the next release adds to everything, unknown to the present one. */
const ADDED = { addedByTheNextRelease: { since: 'the next release' } };

const withMore = <T extends object>(value: T): T => ({ ...value, ...ADDED });

const withMoreMembers = (facts: readonly Fact[] = []): Fact[] =>
  facts.map((fact) => ({ ...fact, data: withMore(fact.data) }));

const options = <T>(given: WriteOptions<T> = {}): WriteOptions<T> => ({
  ...given,
  events: withMoreMembers(given.events),
});

/**
 * The store of the next release: its documents and facts have an additional member, and it reads documents without it.
 */
const nextStore = (store: Store, inserted: (id: string) => void): Store => {
  const update =
    <T extends Document>(documents: Pick<Documents<T>, 'update'>): Documents<T>['update'] =>
    (id, fn, given) =>
      documents.update(
        id,
        (current) => {
          const change = fn(current);
          return change && { ...change, events: withMoreMembers(change.events) };
        },
        options(given),
      );
  return {
    ...store,
    collection<T extends Document>(declared: Collection<T>): CollectionHandle<T> {
      const shaped: Collection<T> = {
        ...declared,
        upgrade: (stored) => ('addedByTheNextRelease' in stored ? stored : withMore(stored)),
      };
      const { of, acrossInstitutions } = store.collection(shaped);
      return {
        of(institution): Documents<T> {
          const documents = of(institution);
          return {
            ...documents,
            async insert(document, given) {
              // Noted once it is written: the other release may have inserted the same document meanwhile.
              const written = await documents.insert(withMore(document), options(given));
              inserted(`${declared.name}/${document.id}`);
              return written;
            },
            insertMany: (all) => documents.insertMany(all.map(withMore)),
            update: update(documents),
          };
        },
        acrossInstitutions: { ...acrossInstitutions, update: update(acrossInstitutions) },
      };
    },
  };
};

/** An operation that the present release lacks. */
const summary = (name: string): AnyOperation =>
  operation({
    id: `summarize${name}`,
    method: 'get',
    path: `/internal/${name}/summary`,
    access: 'internal',
    summary: 'Is new',
    answers: { 200: Type.Object({}) },
    example: { answer: {} },
    handle: () => ok({}),
  });

/** Messages between services have an additional member. */
const answeringMore = (declared: AnyOperation): AnyOperation => {
  const { handle, access } = declared;
  if (!handle || access !== 'internal') return declared;
  return {
    ...declared,
    handle: async (request) => {
      const answer = await handle(request);
      const data: unknown = answer.data;
      const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
      return isObject ? { ...answer, data: withMore(data) as never } : answer;
    },
  };
};

/** The next release of a service, to run beside the present one. `inserted` receives every document that it creates. */
const nextRelease =
  (inserted: (service: string, id: string) => void) =>
  (present: AnyService): { readonly definition: AnyService; store(store: Store): Store } => ({
    definition: {
      ...present,
      version: '99.0.0',
      operations: (parts, state) => [...present.operations(parts, state).map(answeringMore), summary(present.name)],
    },
    store: (store) => nextStore(store, (id) => inserted(present.name, id)),
  });

// Two instances of every service on the same documents and queues: the present release and a next one, which adds a
// member to everything that it stores, publishes and sends to other services. Requests, messages and the calls between
// services alternate between both. Other tests cover the last release's documents and facts.
describe('two releases of every service at once', () => {
  const made = new Map<string, Set<string>>();
  const facts: Message[] = [];
  const errors: string[] = [];
  let scenario: Scenario;

  beforeAll(async () => {
    const logger: Logger = { ...quiet, error: (message, fields) => errors.push(`${message} ${fields?.error}`) };
    const note = (service: string, id: string): void => {
      made.set(service, (made.get(service) ?? new Set()).add(id));
    };
    const listening = (bus: Bus): Bus => ({
      ...bus,
      publish: (message) => {
        facts.push(message);
        return bus.publish(message);
      },
    });
    scenario = await openScenario({ logger, beside: nextRelease(note), bus: listening });
  });
  afterAll(() => scenario.close());

  test('sell, pay, print, replace, cancel, refund and expire through either instance', async () => {
    await runScenario(scenario);
    await waitUntil(() => isSilent(scenario));
    expect(errors).toEqual([]);
    expect(await scenario.deadLetters.list()).toEqual([]);
  });

  test('both publish facts, and both consume them', () => {
    const [some, others] = [facts.filter(({ data }) => 'addedByTheNextRelease' in data), facts];
    expect(some.length).toBeGreaterThan(3);
    expect(others.length - some.length).toBeGreaterThan(3);
  });

  /** Documents that the next release stored and that have lost its member. */
  const lost = async (): Promise<{ readonly looked: number; readonly lost: string[] }> => {
    const found: string[] = [];
    let looked = 0;
    for (const { name, collections } of Object.values(definitions)) {
      for (const collection of collections) {
        const all = (await scenario.stores[name]?.collection(collection).acrossInstitutions.find()) ?? [];
        for (const document of all.filter(({ id }) => made.get(name)?.has(`${collection.name}/${id}`))) {
          looked += 1;
          const { addedByTheNextRelease: added } = document as Document & Partial<typeof ADDED>;
          if (added === undefined) found.push(`${collection.name}/${document.id}`);
        }
      }
    }
    return { looked, lost: found };
  };

  test('a change by the current release keeps the members of the next one', async () => {
    const found = await lost();
    expect(found.looked).toBeGreaterThan(10);
    expect(found.lost).toEqual([]);
  });

  test('negative control: a release that drops unknown members is detected', async () => {
    const first = [...(made.get('orders') ?? [])].find((one) => one.startsWith('orders/'));
    const id = String(first).slice('orders/'.length);
    await scenario.stores.orders
      ?.collection<Document>({ name: 'orders', indexes: [] })
      .acrossInstitutions.update(id, (current) => {
        const { addedByTheNextRelease: _, ...known } = current as Document & typeof ADDED;
        return { next: known };
      });
    expect((await lost()).lost).toEqual([`orders/${id}`]);
  });

  test('every fact fits its publisher’s declaration', () => {
    const schemas = Object.assign({}, ...processes.map(({ publishes }) => publishes));
    const seen = new Set(facts.map(({ type }) => type));
    for (const { type, data } of facts) expect(() => createCheck(schemas[type].schema)(data)).not.toThrow();
    expect([...seen].toSorted()).toEqual(
      expect.arrayContaining([
        'contact.erased',
        'order.cancelled',
        'order.confirmed',
        'order.expired',
        'performance.cancelled',
        'places.released',
        'ticket.controlled',
        'ticket.replaced',
        'tickets.cancelled',
      ]),
    );
  });
});
