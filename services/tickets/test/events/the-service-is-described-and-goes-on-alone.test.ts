import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExampleFaults } from '@boxoffice/http';
import { type Message, requireQueue } from '@boxoffice/messaging';
import { createLogger } from '@boxoffice/runtime';
import { openEngines, startService } from '@boxoffice/service';
import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { createRoutes } from '../../src/commands.ts';
import { createContext } from '../../src/context.ts';
import * as example from '../../src/examples.ts';
import { tickets } from '../../src/index.ts';
import { issue } from '../../src/issue/issue.ts';
import { openFixture, PATH, SERVICE_SECRET } from '../fixture/service.ts';
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
  const about = { key: order.orderId, institution: 'opera' };
  expect(await issue(createContext(store, SERVICE_SECRET), 'opera', { ...order, version: 3 })).toHaveLength(2);
  const occurredAt = new Date().toISOString();
  const data = toCancelledOrder(order);
  await engines.bus.publish({ ...about, id: 'evt_2', type: 'order.cancelled', version: 4, occurredAt, data });
  const outcome = { orderId: order.orderId, ticketsCancelled: 2, controlled: 0 };
  expect(await settled.promise).toMatchObject({ ...about, type: 'tickets.cancelled', data: outcome });
  await service.close();
  await engines.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

const fixture = useFixture(() => openFixture());

test('every operation has examples that match its schemas', async () => {
  expect(findExampleFaults(createRoutes(createContext(fixture.store, SERVICE_SECRET)))).toEqual([]);
});

test('the example of a control is accepted today', async () => {
  const { id } = await issueAndPrint(fixture, createConfirmedOrder(1));
  const { status } = await fixture.call('POST', `${PATH}/${id}/control`, { body: example.control });
  expect(status).toBe(200);
});
