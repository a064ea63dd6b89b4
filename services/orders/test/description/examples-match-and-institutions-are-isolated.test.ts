import { exampleFaults } from '@boxoffice/http';
import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import * as example from '../../src/api/examples.ts';
import { routes } from '../../src/app.ts';
import type { OrdersContext } from '../../src/context.ts';
import { openFixture } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());

test('every operation has examples that match its schemas', () => {
  expect(exampleFaults(routes({} as OrdersContext))).toEqual([]);
});

test('the example of a reservation is accepted for the next five years', async () => {
  const hall = fixture.catalog.hall(1);
  const { data } = await fixture.call('POST', '', { body: { items: [hall.item()] } });
  const { dueAt } = example.reserved;
  expect(Date.parse(dueAt)).toBeGreaterThan(Date.now() + 5 * 365 * 86_400_000);
  expect((await fixture.call('POST', `/${data.id}/reservation`, { body: { dueAt } })).status).toBe(200);
});

test('every operation answers for an order of another institution as for an unknown one', async () => {
  const hall = fixture.catalog.hall(1, { institution: 'museum' });
  const { data } = await fixture.call('POST', '', { institution: 'museum', body: { items: [hall.item()] } });
  expect(data.state).toBe('open');
  const operations: [string, string, unknown][] = [
    ['GET', '', undefined],
    ['PATCH', '', { externalReference: 'x' }],
    ['POST', '/lines', { items: [hall.item()] }],
    ['DELETE', `/lines/${data.lines[0]?.id}`, undefined],
    ['POST', '/extension', { minutes: 5 }],
    ['POST', '/reservation', { dueAt: '2099-01-01T00:00:00Z' }],
    ['GET', '/payments', undefined],
    ['GET', '/payments/pay_1', undefined],
    ['POST', '/payments', { method: 'card', amount: 1, status: 'captured' }],
    ['PATCH', '/payments/pay_1', { status: 'failed' }],
    ['POST', '/confirmation', {}],
    ['POST', '/cancellation', {}],
    ['GET', '/refunds', undefined],
    ['GET', '/refunds/ref_1', undefined],
    ['POST', '/refunds', { amount: 1, method: 'card' }],
  ];
  for (const [method, path, body] of operations) {
    const foreign = await fixture.call(method, `/${data.id}${path}`, { body });
    const unknown = await fixture.call(method, `/ord_unknown${path}`, { body });
    expect([method, path, foreign.status, foreign.text]).toEqual([method, path, 404, unknown.text]);
  }
});
