import { exampleFaults } from '@boxoffice/http';
import { topology } from '@boxoffice/messaging';
import { expect, test } from '@jest/globals';
import { createContext } from '../../src/context.ts';
import { examples, tickets } from '../../src/index.ts';
import { routes } from '../../src/routes.ts';
import { cancelled, confirmed, PATH, printed, ticketOf } from '../fixture/orders.ts';
import { openStand, SERVICE_SECRET } from '../fixture/service.ts';

test('every operation has examples, and they fit its schemas', async () => {
  const stand = await openStand();
  expect(exampleFaults(routes(createContext(stand.store, SERVICE_SECRET)))).toEqual([]);
  await stand.close();
});

test('the published facts look like their examples, and somebody listens to each', async () => {
  const stand = await openStand();
  const { order, id } = await printed(stand, confirmed(2));
  const next = ticketOf(await stand.call('POST', `${PATH}/${id}/replacement`, { body: {} })).id;
  await stand.call('POST', `${PATH}/${next}/control`);
  await stand.call('DELETE', `${PATH}/${next}/control`);
  await stand.hear('order.cancelled', cancelled(order));
  const facts = await stand.facts(order.orderId);
  expect(facts.map(({ type }) => type).sort()).toEqual(Object.keys(examples).sort());
  for (const { type, data } of facts)
    expect([type, Object.keys(data).sort()]).toEqual([
      type,
      Object.keys(examples[type as keyof typeof examples]).sort(),
    ]);
  const heard = Object.values(topology).flatMap(({ types }) => types as readonly string[]);
  for (const type of Object.keys(examples)) expect(heard).toContain(type);
  await stand.close();
});

test('its queues are those of the events table', () => {
  expect(tickets.queues?.map(({ name }) => name).sort()).toEqual(['tickets.contact-erased.v1', 'tickets.orders.v1']);
});
