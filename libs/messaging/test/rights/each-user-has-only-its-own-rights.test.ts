import { readFileSync } from 'node:fs';
import { probe, silent, waitUntil } from '@boxoffice/messaging/conformance';
import { builtInRows, parseRows } from '@boxoffice/runtime/services';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ConfirmChannel } from 'amqplib';
import {
  type Bus,
  connectRabbitmq,
  type Declared,
  declared,
  declareRabbitmqTopology,
  listFacts,
  listRights,
  requireQueue,
  Unreadable,
} from '../../src/index.ts';
import { type Composed, connectAsUser, startComposedBroker } from './composed.ts';

const control = process.env.TEST_RABBITMQ_CONTROL;

/** The permissions of each user: the exchanges that it publishes to and the queues that it reads. */
const own: Readonly<Record<string, { exchanges: readonly string[]; queues: readonly string[] }>> = {
  authorizer: { exchanges: [], queues: ['authorizer.contact-erased.v1', 'authorizer.institutions.v1'] },
  catalog: {
    exchanges: ['boxoffice.institution', 'boxoffice.performance', 'boxoffice.places', 'boxoffice.product'],
    queues: ['catalog.releases.v1'],
  },
  contacts: { exchanges: ['boxoffice.contact'], queues: ['contacts.orders.v1'] },
  orders: {
    exchanges: ['boxoffice.order'],
    queues: [
      ...['orders.contact-erased.v1', 'orders.fulfilment.v1'],
      ...['orders.performance-cancelled.v1', 'orders.performance-moved.v1'],
    ],
  },
  tickets: {
    exchanges: ['boxoffice.ticket', 'boxoffice.tickets'],
    queues: ['tickets.contact-erased.v1', 'tickets.orders.v1', 'tickets.performances.v1'],
  },
  pos: { exchanges: [], queues: ['pos.contact-erased.v1', 'pos.mail.v1'] },
  events: { exchanges: [], queues: ['events.facts.v1'] },
};

const users = Object.keys(own);
const workQueues = declared.queues.map(({ name }) => name);
const moves = workQueues.map((name) => `${name}.moves`);
const besides = workQueues.flatMap((name) =>
  ['dlq', 'retry.5s', 'retry.30s', 'retry.5m'].map((end) => `${name}.${end}`),
);
const domains = ['contact', 'institution', 'performance', 'places', 'product', 'order', 'ticket', 'tickets'];
const exchanges = domains.map((name) => `boxoffice.${name}`);

test('every exchange has one publisher, so that permission for it is permission for its facts', () => {
  const publishers = builtInRows.flatMap(({ name: user, publishes }) =>
    [...new Set(publishes.map((type) => type.split('.', 1)[0]))].map((domain) => [domain, user] as const),
  );
  expect(publishers.map(([domain]) => domain).toSorted()).toEqual(domains.toSorted());
  const types = builtInRows.flatMap(({ publishes }) => publishes);
  expect(types.toSorted()).toEqual([...new Set(listFacts(declared))].toSorted());
});

if (control === undefined || control === '') {
  describe('each user of RabbitMQ', () => {
    test.skip('not exercised: TEST_RABBITMQ_CONTROL names no command to start a node with users', () => {});
  });
} else {
  let broker: Composed;
  const buses: Bus[] = [];
  const connect = async (name: string): Promise<Bus> => {
    const bus = await connectRabbitmq({ url: broker.url(name), name, logger: silent, connectTimeoutMs: 60_000 });
    buses.push(bus);
    return bus;
  };

  beforeAll(async () => {
    broker = await startComposedBroker(control);
  });
  afterAll(async () => {
    await Promise.all(buses.map((bus) => bus.close()));
    await broker.stop();
  });

  describe('with the users and rights of the composition', () => {
    test('no process declares the topology; its message names the command, and it continues when that was run', async () => {
      for (const user of users) await expect(connect(user)).rejects.toThrow(/operator topology declare$/);
      const early = await connectRabbitmq({
        url: broker.url('orders'),
        name: 'orders',
        logger: silent,
        connectTimeoutMs: 0,
      });
      buses.push(early);
      await expect(early.publish(probe({ type: 'order.expired' }))).rejects.toThrow();
      await declareRabbitmqTopology({ url: broker.url('operator'), logger: silent });
      await waitUntil('its publisher', () =>
        early.ping().then(
          () => true,
          () => false,
        ),
      );
      await early.publish(probe({ type: 'order.expired' }));
    });

    test('the operator can declare the topology repeatedly', async () => {
      await declareRabbitmqTopology({ url: broker.url('operator'), logger: silent });
    });

    test('a process finds the topology of its release in that of a later release, and not in that of an earlier one', async () => {
      const connectDeclaring = (all: Declared) =>
        connectRabbitmq({
          url: broker.url('orders'),
          name: 'orders',
          logger: silent,
          connectTimeoutMs: 60_000,
          declared: all,
        });
      const { queues } = declared;
      const [fulfilment] = queues.filter(({ name }) => name === 'orders.fulfilment.v1');
      const others = queues.filter(
        (queue) => queue !== fulfilment && queue !== requireQueue('authorizer.institutions.v1'),
      );
      if (!fulfilment) throw new Error('orders has no queue of facts about its tickets');
      const fewer = { ...fulfilment, types: fulfilment.types.slice(1) };
      const more = { ...fulfilment, types: [...fulfilment.types, 'ticket.planted'] };
      buses.push(await connectDeclaring({ ...declared, queues: [fewer, ...others] }));
      await expect(connectDeclaring({ ...declared, queues: [more, ...others] })).rejects.toMatchObject({
        name: 'TopologyMissing',
        message: expect.stringMatching(/\(boxoffice\.topology\.orders\.fulfilment\.v1:ticket\.planted:/),
      });
    });

    test.each(users)('%s publishes its facts and consumes its queues', async (user) => {
      const bus = await connect(user);
      for (const type of builtInRows.find(({ name }) => name === user)?.publishes ?? [])
        await bus.publish(probe({ type }));
      for (const queue of declared.queues.filter(({ name }) => name.startsWith(`${user}.`)))
        await bus.subscribe(queue, async () => {});
      expect((await bus.depths(declared.queues)).length).toBe(workQueues.length);
    });

    test('an unreadable message is dead-lettered, listed and replayed by the operator; a failed one waits for its retry', async () => {
      const tickets = await connectRabbitmq({ url: broker.url('tickets'), name: 'tickets', logger: silent });
      buses.push(tickets);
      const [dying, failing] = [probe({ type: 'contact.erased' }), probe({ type: 'contact.erased' })];
      const attempts: string[] = [];
      await closeOthers();
      await tickets.subscribe(requireQueue('tickets.contact-erased.v1'), async ({ id }, attempt) => {
        attempts.push(`${id} ${attempt}`);
        const times = attempts.filter((one) => one.startsWith(id)).length;
        if (id === dying.id && times === 1) throw new Unreadable('planted');
        if (id === failing.id && times === 1) throw new Error('planted');
      });
      const contacts = await connectRabbitmq({ url: broker.url('contacts'), name: 'contacts', logger: silent });
      buses.push(contacts);
      await contacts.publish(dying);
      await contacts.publish(failing);
      const operator = await connect('operator');
      const { deadLetters } = operator;
      await waitUntil('the dead letter', async () =>
        (await deadLetters.list()).some(({ message }) => message.id === dying.id),
      );
      const [letter] = (await deadLetters.list()).filter(({ message }) => message.id === dying.id);
      expect(await deadLetters.replay(String(letter?.id))).toBe(true);
      await waitUntil('its replay', () => attempts.filter((one) => one.startsWith(dying.id)).length === 2);
      const depths = () => operator.depths([requireQueue('tickets.contact-erased.v1')]);
      const isPutAside = async () => attempts.includes(`${failing.id} 2`) || (await depths())[0]?.retrying === 1;
      await waitUntil('the other one among the retries', isPutAside);
    });
  });

  /** Closes consumers of earlier tests, which would take messages. */
  const closeOthers = async (): Promise<void> => {
    for (const bus of buses.splice(0, buses.length - 1)) await bus.close();
  };

  const bytes = Buffer.from('{}');

  describe.each(users)('%s is refused', (user) => {
    const { exchanges: mine, queues: read } = own[user] as (typeof own)[string];
    let it: Awaited<ReturnType<typeof connectAsUser>>;
    beforeAll(async () => {
      it = await connectAsUser(broker.url(user));
    });
    afterAll(() => it.close());
    /** The reply code of each attempt that did not get the expected answer. */
    const others = async (
      names: readonly string[],
      allowed: readonly string[],
      act: (name: string) => (channel: ConfirmChannel) => Promise<unknown>,
    ): Promise<string[]> => {
      const codes = await Promise.all(names.map(async (name) => ({ name, code: await it.attempt(act(name)) })));
      // 405: a queue with a single active consumer, to which RabbitMQ admits no other reader.
      const wrong = codes.filter(({ name, code }) => !(allowed.includes(name) ? [0, 405] : [403]).includes(code));
      return wrong.map(({ name, code }) => `${name}: ${code}`);
    };
    const publish = (exchange: string, key: string) => async (channel: ConfirmChannel) => {
      channel.publish(exchange, key, bytes);
      await channel.waitForConfirms();
    };

    test('every exchange but those of its facts', async () => {
      const standard = ['amq.topic', 'amq.direct', 'amq.fanout', 'amq.headers'];
      expect(await others([...exchanges, ...standard], mine, (name) => publish(name, 'planted.fact'))).toEqual([]);
    });

    test('every queue by name, and the moves of others', async () => {
      expect(await others([...workQueues, ...besides], [], (name) => publish('', name))).toEqual([]);
      const allowed = read.map((name) => `${name}.moves`);
      expect(await others(moves, allowed, (name) => publish(name, 'nowhere'))).toEqual([]);
    });

    test('reading any queue but its own, and all dead letters', async () => {
      const get = (name: string) => (channel: ConfirmChannel) => channel.get(name);
      const consume = (name: string) => (channel: ConfirmChannel) => channel.consume(name, () => {});
      expect(await others([...workQueues, ...besides], read, get)).toEqual([]);
      expect(await others([...workQueues, ...besides], read, consume)).toEqual([]);
    });

    test('declaring, deleting and binding, its own queues included', async () => {
      const all = [...workQueues, ...besides];
      const names = [...all, 'orders.planted.v1', `${user}.planted`, 'planted'];
      expect(await others(names, [], (name) => (channel) => channel.assertQueue(name))).toEqual([]);
      expect(await others(all, [], (name) => (channel) => channel.deleteQueue(name))).toEqual([]);
      const every = [...exchanges, ...moves, 'planted'];
      expect(await others(every, [], (name) => (channel) => channel.assertExchange(name, 'topic'))).toEqual([]);
      expect(await others([...exchanges, ...moves], [], (name) => (channel) => channel.deleteExchange(name))).toEqual(
        [],
      );
      const bind = (queue: string) => (name: string) => (channel: ConfirmChannel) =>
        channel.bindQueue(queue, name, '#');
      for (const queue of read.length > 0 ? read : workQueues.slice(0, 1))
        expect(await others(exchanges, [], bind(queue))).toEqual([]);
    });

    test('every other virtual host', async () => {
      await expect(connectAsUser(broker.url(user, '/'))).rejects.toThrow(/ConnectionClose/);
    });
  });

  test('the operator reaches only exchanges and queues of the installation', async () => {
    const operator = await connectAsUser(broker.url('operator'));
    for (const name of ['gateway.planted', 'amq.topic', 'planted'])
      expect([name, await operator.attempt((channel) => channel.assertExchange(name, 'topic'))]).toEqual([name, 403]);
    await operator.close();
    await expect(connectAsUser(broker.url('operator', '/'))).rejects.toThrow(/ConnectionClose/);
    await expect(connectAsUser(broker.url('guest'))).rejects.toThrow(/ConnectionClose/);
  });

  test('the gateway is no user', async () => {
    await expect(connectAsUser(broker.url('gateway'))).rejects.toThrow(/Login was refused/);
  });
}

test('a service of a team has rights of its own: its exchange, its queues, and nothing else', () => {
  const rows = parseRows(
    JSON.stringify([{ name: 'loyalty', publishes: ['card.issued'], consumes: ['order.confirmed', 'order.cancelled'] }]),
  );
  expect(listRights(rows).slice(0, -2)).toEqual(listRights().slice(0, -1));
  expect(listRights(rows).at(-2)).toEqual({
    user: 'loyalty',
    configure: '^$',
    write: String.raw`^(boxoffice\.card|loyalty\.facts\.v1\.moves)$`,
    read: String.raw`^(loyalty\.facts\.v1)$`,
  });
  expect(listRights(rows).at(-1)?.configure).toContain(String.raw`|loyalty\..*|`);
});

test('the composition gives each user the permissions that follow from the topology', () => {
  const read = (file: string) => readFileSync(new URL(`../../../../deploy/compose/${file}`, import.meta.url), 'utf8');
  expect(JSON.parse(read('broker-rights.json'))).toEqual(listRights(parseRows(read('services/services.json'))));
});
