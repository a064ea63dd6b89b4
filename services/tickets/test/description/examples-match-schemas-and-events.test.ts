import { exampleFaults } from '@boxoffice/http';
import { declared } from '@boxoffice/messaging';
import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { routes } from '../../src/app.ts';
import { createContext } from '../../src/context.ts';
import { examples } from '../../src/events.ts';
import * as example from '../../src/examples.ts';
import { tickets } from '../../src/index.ts';
import { openFixture, PATH, SERVICE_SECRET, ticketOf } from '../fixture/service.ts';
import { cancelled, confirmed, printed } from '../fixture/tickets.ts';

const fixture = useFixture(() => openFixture());

test('every operation has examples that match its schemas', async () => {
  expect(exampleFaults(routes(createContext(fixture.store, SERVICE_SECRET)))).toEqual([]);
});

test('published events have the members of their examples, and each has a consumer', async () => {
  const { order, id } = await printed(fixture, confirmed(2));
  const next = ticketOf(await fixture.call('POST', `${PATH}/${id}/replacement`, { body: {} })).id;
  await fixture.call('POST', `${PATH}/${next}/control`);
  await fixture.call('DELETE', `${PATH}/${next}/control`);
  await fixture.deliver('order.cancelled', cancelled(order));
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
  const { id } = await printed(fixture, confirmed(1));
  const { status } = await fixture.call('POST', `${PATH}/${id}/control`, { body: example.control });
  expect(status).toBe(200);
});
