import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { type Process, processes } from '@boxoffice/contracts';
import { declared, type Message } from '@boxoffice/messaging';
import type { FactMoment } from '@boxoffice/service';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openScenario, type Scenario } from '../../src/scenario/open-scenario.ts';
import { readReleasedSnapshot } from '../../src/snapshot.ts';

// The services' real reactions process the producers' examples, current ones and those of the last release, whose
// instances may still be running: renaming a fact on one side fails here.

type Examples = Readonly<Record<string, object>>;

const listExamples = (publishes: Process['publishes'] = {}) =>
  Object.entries(publishes).map(([type, { example }]) => [type, example] as const);
const today: Examples = Object.fromEntries(processes.flatMap(({ publishes }) => listExamples(publishes)));
const released: Examples = Object.fromEntries(
  processes.flatMap((process) => listExamples(readReleasedSnapshot(process)?.events.publishes)),
);
const institution = `inst-${randomUUID()}`;

const message = (type: string, data: object): Message => ({
  id: randomUUID(),
  type,
  key: 'orderId' in data ? String(data.orderId) : randomUUID(),
  version: 3,
  institution,
  occurredAt: '2027-01-03T18:13:20.000Z',
  data,
});

describe('every fact of the topology', () => {
  const moments = channel('boxoffice:fact');
  const handled: FactMoment[] = [];
  const onMoment = (moment: unknown): void => {
    if ((moment as FactMoment).phase === 'handled') handled.push(moment as FactMoment);
  };
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
    moments.subscribe(onMoment);
  });
  afterAll(async () => {
    moments.unsubscribe(onMoment);
    await scenario.close();
  });

  const { queues } = declared;
  const types = [...new Set(queues.flatMap((queue) => queue.types))];

  /** Publishes the fact, and returns the queues whose consumer has handled it. */
  const publishFact = async (type: string, data: object | undefined): Promise<string[]> => {
    if (data === undefined) throw new Error(`${type} has no example`);
    const fact = message(type, data);
    await scenario.bus.publish(fact);
    return handled
      .filter(({ id }) => id === fact.id)
      .map(({ queue }) => queue)
      .toSorted();
  };
  const listConsumers = (type: string): string[] =>
    queues
      .filter((queue) => queue.types.includes(type))
      .map(({ name }) => name)
      .toSorted();

  test.each(types)('%s: every consumer processes the publisher’s example', async (type) => {
    expect(await publishFact(type, today[type])).toEqual(listConsumers(type));
  });

  // A fact without a last release has no old example.
  test.each(types.filter((type) => released[type]))(
    '%s: every consumer processes the example of the last release',
    async (type) => {
      expect(await publishFact(type, released[type])).toEqual(listConsumers(type));
    },
  );

  test.each(types)('%s: contains ids, states, amounts and times, and no personal data', (type) => {
    const names = new Set<string>();
    JSON.stringify(today[type], (name, value) => {
      names.add(name.toLowerCase());
      return value;
    });
    // The name of an institution or of a venue is no person's.
    if (type === 'institution.changed' || type === 'performance.moved') names.delete('name');
    const personal = /name|email|phone|address|beneficiary|birth|document|iban|reason|note|comment/;
    expect([...names].filter((name) => personal.test(name))).toEqual([]);
  });

  test('negative control: a fact without its ids becomes a dead letter', async () => {
    expect(await scenario.deadLetters.list()).toEqual([]);
    await scenario.bus.publish(message('order.cancelled', {}));
    const letters = await scenario.deadLetters.list();
    expect(letters.map(({ queue }) => queue).sort()).toEqual([
      'catalog.releases.v1',
      'payments.orders.v1',
      'tickets.orders.v1',
    ]);
  });
});
