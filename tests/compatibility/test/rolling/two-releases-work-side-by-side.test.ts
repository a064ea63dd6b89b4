import { processes } from '@boxoffice/contracts';
import { createCheck } from '@boxoffice/http';
import type { Bus, Message } from '@boxoffice/messaging';
import type { Logger } from '@boxoffice/runtime';
import type { Document } from '@boxoffice/store';
import { waitUntil } from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { definitions, isSilent, openScenario, quiet, type Scenario } from '../../src/scenario/open-scenario.ts';
import { runScenario } from '../../src/scenario/run-scenario.ts';
import { type ADDED, nextRelease } from './next-release.ts';

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
