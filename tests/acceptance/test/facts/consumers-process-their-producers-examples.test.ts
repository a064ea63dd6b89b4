import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizer } from '@boxoffice/authorizer';
import { catalog, examples as ofCatalog } from '@boxoffice/catalog';
import { contacts, examples as ofContacts } from '@boxoffice/contacts';
import { events } from '@boxoffice/events';
import type { Message } from '@boxoffice/messaging';
import { topology } from '@boxoffice/messaging';
import { examples as ofOrders, orders } from '@boxoffice/orders';
import type { Logger } from '@boxoffice/runtime';
import { type Engines, openEngines, type RunningService, startService } from '@boxoffice/service';
import { examples as ofTickets, tickets } from '@boxoffice/tickets';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

// The services' real reactions process the producers' examples, current ones and those of the last release, whose
// instances may still be running: renaming a fact on one side fails here.

type Examples = Readonly<Record<string, object>>;

const today: Examples = {
  ...ofCatalog,
  ...ofOrders,
  ...ofTickets,
  ...Object.fromEntries(Object.entries(ofContacts).map(([type, { data }]) => [type, data])),
};

const releasedBy = ({ name }: { readonly name: string }): Examples => {
  const file = new URL(`../../../../services/${name}/released/events.json`, import.meta.url);
  const { publishes } = JSON.parse(readFileSync(file, 'utf8')) as { publishes: Record<string, { example: object }> };
  return Object.fromEntries(Object.entries(publishes).map(([type, { example }]) => [type, example]));
};

const released: Examples = Object.assign({}, ...[catalog, contacts, orders, tickets].map(releasedBy));

const served = [authorizer, catalog, contacts, events, orders, tickets].flatMap(({ queues = [] }) => queues);
const institution = `inst-${randomUUID()}`;

/** An address without a listener: no reaction calls another service. */
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
  let engines: Engines;

  const start = async (
    definition: typeof authorizer | typeof catalog | typeof contacts | typeof events | typeof tickets | typeof orders,
  ) => {
    const settings = {
      catalogUrl: nowhere,
      contactsUrl: nowhere,
      ticketsUrl: nowhere,
      maxHeldPlaces: 5_000,
      posHeldPlacesPerAddress: 50,
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
      authorizerUrl: nowhere,
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
    engines = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger, serves: served });
    for (const definition of [authorizer, catalog, contacts, events, tickets, orders]) await start(definition);
  });

  afterAll(async () => {
    for (const service of running) await service.close();
    await engines.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });

  const types = [...new Set(Object.values(topology).flatMap((queue): readonly string[] => queue.types))];

  test.each(types)('%s: every consumer processes the publisher’s example', async (type) => {
    const example = today[type];
    expect(example).toBeDefined();
    await engines.bus.publish(message(type, example as object));
    expect(await engines.bus.deadLetters.list()).toEqual([]);
  });

  // A fact without a last release has no old example.
  test.each(types.filter((type) => released[type]))(
    '%s: every consumer processes the example of the last release',
    async (type) => {
      await engines.bus.publish(message(type, released[type] as object));
      expect(await engines.bus.deadLetters.list()).toEqual([]);
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
    await engines.bus.publish(message('order.cancelled', {}));
    const letters = await engines.bus.deadLetters.list();
    expect(letters.map(({ queue }) => queue).sort()).toEqual(
      [topology.catalogReleases.name, topology.ticketsOrders.name].sort(),
    );
  });
});
