import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExampleFaults } from '@boxoffice/http';
import { declared, type Message, requireQueue } from '@boxoffice/messaging';
import { createLogger } from '@boxoffice/runtime';
import { openEngines, startService } from '@boxoffice/service';
import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { createRoutes } from '../../src/commands.ts';
import { createContext } from '../../src/context.ts';
import { examples } from '../../src/events.ts';
import * as example from '../../src/examples.ts';
import { tickets } from '../../src/index.ts';
import { issue } from '../../src/issue/issue.ts';
import { ticketsCollection } from '../../src/store.ts';
import { openFixture, PATH, readTicket, SERVICE_SECRET } from '../fixture/service.ts';
import { createConfirmedOrder, issueAndPrint, toCancelledOrder } from '../fixture/tickets.ts';

test('the composed service consumes its events and publishes the result, without any other service', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-tickets-'));
  const logger = createLogger({ service: 'tickets', level: 'error' });
  const serves = [...(tickets.queues ?? []), requireQueue('orders.fulfilment.v1')];
  const engines = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger, serves });
  const settled = Promise.withResolvers<Message>();
  await engines.bus.subscribe(requireQueue('orders.fulfilment.v1'), async (message) => settled.resolve(message));
  const store = await engines.store('tickets', tickets.collections);
  const unreachable = 'http://127.0.0.1:9';
  const service = await startService(tickets, {
    store,
    bus: engines.bus,
    authorizerUrl: unreachable,
    publicUrl: unreachable,
    serviceSecret: SERVICE_SECRET,
    host: '127.0.0.1',
    port: 0,
    logger,
    settings: { ticketFontsDirectory: '/nowhere', doorClientIds: '' },
  });
  const order = createConfirmedOrder(2);
  const about = { key: order.orderId, institution: 'opera', occurredAt: new Date().toISOString() };
  await issue(createContext(store, SERVICE_SECRET), 'opera', { ...order, version: 3 });
  const found = await store
    .collection(ticketsCollection)
    .of('opera')
    .find({ where: { orderId: order.orderId } });
  expect(found).toHaveLength(2);
  await engines.bus.publish({
    ...about,
    id: 'evt_2',
    type: 'order.cancelled',
    version: 4,
    data: toCancelledOrder(order),
  });
  expect(await settled.promise).toMatchObject({
    type: 'tickets.cancelled',
    key: order.orderId,
    institution: 'opera',
    data: { orderId: order.orderId, ticketsCancelled: 2, controlled: 0 },
  });
  await service.close();
  await engines.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

const fixture = useFixture(() => openFixture());

test('every operation has examples that match its schemas', async () => {
  expect(findExampleFaults(createRoutes(createContext(fixture.store, SERVICE_SECRET)))).toEqual([]);
});

test('published events have the members of their examples, and each has a consumer', async () => {
  const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(2));
  const next = readTicket(await fixture.call('POST', `${PATH}/${id}/replacement`, { body: {} })).id;
  await fixture.call('POST', `${PATH}/${next}/control`);
  await fixture.call('DELETE', `${PATH}/${next}/control`);
  await fixture.deliver('order.cancelled', toCancelledOrder(order));
  const facts = await fixture.facts(order.orderId);
  const ofTickets = (await fixture.store.outbox.pending(100)).filter(({ type }) => type === 'ticket.recorded');
  const { [ofTickets[0]?.type as 'ticket.recorded']: _, ...ofOrders } = examples;
  expect(facts.map(({ type }) => type).sort()).toEqual(Object.keys(ofOrders).sort());
  for (const { type, data } of [...facts, ...ofTickets])
    expect([type, Object.keys(data).sort()]).toEqual([
      type,
      Object.keys(examples[type as keyof typeof examples]).sort(),
    ]);
  const consumed = declared.queues.flatMap(({ types }) => types);
  for (const type of Object.keys(examples)) expect(consumed).toContain(type);
});

test('the queues of the service are those of the topology', () => {
  expect(tickets.queues?.map(({ name }) => name).sort()).toEqual([
    'tickets.contact-erased.v1',
    'tickets.orders.v1',
    'tickets.performances.v1',
  ]);
});

test('the example of a control is accepted today', async () => {
  const { id } = await issueAndPrint(fixture, createConfirmedOrder(1));
  const { status } = await fixture.call('POST', `${PATH}/${id}/control`, { body: example.control });
  expect(status).toBe(200);
});
