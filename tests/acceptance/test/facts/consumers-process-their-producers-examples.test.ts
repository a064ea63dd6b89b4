import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizer } from '@boxoffice/authorizer';
import { catalog } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { events } from '@boxoffice/events';
import { declared, type Message } from '@boxoffice/messaging';
import { orders } from '@boxoffice/orders';
import { pos } from '@boxoffice/pos';
import type { Logger } from '@boxoffice/runtime';
import { type Engines, type FactMoment, openEngines, type RunningService, startService } from '@boxoffice/service';
import { type Authority, openAuthority } from '@boxoffice/service/testkit';
import { tickets } from '@boxoffice/tickets';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

// The services' real reactions process the producers' examples, current ones and those of the last release, whose
// instances may still be running: renaming a fact on one side fails here.

type Examples = Readonly<Record<string, object>>;

const definitions = [authorizer, catalog, contacts, events, orders, pos, tickets];

const today: Examples = Object.assign({}, ...definitions.map(({ facts }) => facts?.examples));

const releasedBy = (service: string): Examples => {
  const folder = service === 'authorizer' ? service : `services/${service}`;
  const file = new URL(`../../../../${folder}/released/events.json`, import.meta.url);
  const { publishes } = JSON.parse(readFileSync(file, 'utf8')) as { publishes: Record<string, { example: object }> };
  return Object.fromEntries(Object.entries(publishes).map(([type, { example }]) => [type, example]));
};

const released: Examples = Object.assign({}, ...definitions.map(({ name }) => releasedBy(name)));

const served = definitions.flatMap(({ queues = [] }) => queues);
const institution = `inst-${randomUUID()}`;

/** An address without a listener: only pos calls another service, orders, when it reacts. */
const nowhere = 'http://127.0.0.1:1';

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
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-facts-'));
  // Dead letters are checked below.
  const quiet = () => undefined;
  const logger: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const running: RunningService[] = [];
  const moments = channel('boxoffice:fact');
  const handled: FactMoment[] = [];
  const onMoment = (moment: unknown): void => {
    if ((moment as FactMoment).phase === 'handled') handled.push(moment as FactMoment);
  };
  let engines: Engines;
  let authority: Authority;

  const start = async (definition: (typeof definitions)[number]) => {
    const settings = {
      catalogUrl: nowhere,
      contactsUrl: nowhere,
      ordersUrl: running.find(({ name }) => name === 'orders')?.url ?? nowhere,
      ticketsUrl: nowhere,
      sessionIdleSeconds: 1_800,
      sessionAbsoluteSeconds: 43_200,
      simulatedPayments: false,
      maxHeldPlaces: 5_000,
      posHeldPlacesPerAddress: 200,
      posHeldPlacesPerLogin: 50,
      paymentGraceSeconds: 900,
      accessTokenLifetime: 900,
      eventRetentionDays: 30,
      webhookAllowedNetworks: [],
      loginFailuresPerAddress: 300,
      serviceRootSecret: 'a root secret of this test',
      keyEncryptionKey: 'a key encryption key of this test',
    };
    const common = {
      store: await engines.store(definition.name, definition.collections),
      bus: engines.bus,
      authorizerUrl: authority.listening.url,
      publicUrl: 'https://localhost:8443',
      serviceSecret: 'a secret of this test',
      host: '127.0.0.1',
      port: 0,
      logger,
      settings,
    };
    running.push(await startService(definition as typeof orders, common));
  };

  beforeAll(async () => {
    authority = await openAuthority('pos');
    engines = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger, serves: served });
    for (const definition of definitions) await start(definition);
    moments.subscribe(onMoment);
  });

  afterAll(async () => {
    moments.unsubscribe(onMoment);
    for (const service of running) await service.close();
    await engines.close();
    await authority.listening.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });

  const { queues } = declared;
  const types = [...new Set(queues.flatMap((queue) => queue.types))];

  /** Publishes the fact, and returns the queues whose consumer has handled it. */
  const handlersOf = async (type: string, data: object | undefined): Promise<string[]> => {
    if (data === undefined) throw new Error(`${type} has no example`);
    const fact = message(type, data);
    await engines.bus.publish(fact);
    return handled
      .filter(({ id }) => id === fact.id)
      .map(({ queue }) => queue)
      .toSorted();
  };
  const consumersOf = (type: string): string[] =>
    queues
      .filter((queue) => queue.types.includes(type))
      .map(({ name }) => name)
      .toSorted();

  test.each(types)('%s: every consumer processes the publisher’s example', async (type) => {
    expect(await handlersOf(type, today[type])).toEqual(consumersOf(type));
  });

  // A fact without a last release has no old example.
  test.each(types.filter((type) => released[type]))(
    '%s: every consumer processes the example of the last release',
    async (type) => {
      expect(await handlersOf(type, released[type])).toEqual(consumersOf(type));
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
    expect(await engines.bus.deadLetters.list()).toEqual([]);
    await engines.bus.publish(message('order.cancelled', {}));
    const letters = await engines.bus.deadLetters.list();
    expect(letters.map(({ queue }) => queue).sort()).toEqual(['catalog.releases.v1', 'tickets.orders.v1'].sort());
  });
});
