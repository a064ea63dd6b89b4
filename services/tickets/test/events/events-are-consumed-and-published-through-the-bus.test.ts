import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Message, queueNamed } from '@boxoffice/messaging';
import { createLogger } from '@boxoffice/runtime';
import { openEngines, startService } from '@boxoffice/service';
import { expect, test } from '@jest/globals';
import { tickets } from '../../src/index.ts';
import { ticketsCollection } from '../../src/store.ts';
import { SERVICE_SECRET } from '../fixture/service.ts';
import { cancelled, confirmed } from '../fixture/tickets.ts';

test('the composed service consumes its events and publishes the result, without any other service', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-tickets-'));
  const logger = createLogger({ service: 'tickets', level: 'error' });
  const serves = [...(tickets.queues ?? []), queueNamed('orders.fulfilment.v1')];
  const engines = await openEngines({ mongodbUrl: undefined, amqpUrl: undefined, directory, logger, serves });
  const settled = Promise.withResolvers<Message>();
  await engines.bus.subscribe(queueNamed('orders.fulfilment.v1'), async (message) => settled.resolve(message));
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
  const order = confirmed(2);
  const about = { key: order.orderId, institution: 'opera', occurredAt: new Date().toISOString() };
  await engines.bus.publish({ ...about, id: 'evt_1', type: 'order.confirmed', version: 3, data: order });
  const found = await store
    .collection(ticketsCollection)
    .of('opera')
    .find({ where: { orderId: order.orderId } });
  expect(found).toHaveLength(2);
  await engines.bus.publish({ ...about, id: 'evt_2', type: 'order.cancelled', version: 4, data: cancelled(order) });
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
