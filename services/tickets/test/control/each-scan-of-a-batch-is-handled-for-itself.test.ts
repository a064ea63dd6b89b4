import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createContext } from '../../src/context.ts';
import { controlMany, NONCE_MS } from '../../src/control/batch.ts';
import { engines, notExercised } from '../fixture/engines.ts';
import { cancelled, confirmed, firstOf, issued, PATH, printed, ticketOf } from '../fixture/orders.ts';
import { scan } from '../fixture/scans.ts';
import { type Fixture, openFixture, SERVICE_SECRET } from '../fixture/service.ts';

const user = (id: string) => ({ id, role: 'door', contact: null, pointsOfSale: [] }) as const;

describe.each(engines)(`each scan of a batch is handled for itself, on $name${notExercised}`, (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const ticket = async (id: string) => ticketOf(await fixture.call('GET', `${PATH}/${id}`));
  const revert = (id: string) => fixture.call('DELETE', `${PATH}/${id}/control`);

  test('in their order, with the reasons of the single control', async () => {
    const { order, id } = await printed(fixture, confirmed(2));
    const second = order.tickets[1]?.ticketId ?? '';
    const gone = await printed(fixture);
    await fixture.deliver('order.cancelled', cancelled(gone.order));
    const old = await printed(fixture);
    await fixture.call('POST', `${PATH}/${old.id}/replacement`, { body: {} });
    const early = firstOf(await issued(fixture));
    const { barcode } = await ticket(id);
    const at = '2026-11-01T18:02:03.000Z';
    const answers = await scan(fixture, [
      { nonce: `${id}.1`, barcode: 'nonsense' },
      { nonce: `${id}.2`, barcode, gate: 'North', at, performanceId: order.tickets[0]?.performanceId },
      { nonce: `${id}.3`, ticketId: id, gate: 'South' },
      { nonce: `${id}.4`, ticketId: second, performanceId: 'prf_other' },
      { nonce: `${id}.5`, ticketId: early },
      { nonce: `${id}.6`, ticketId: gone.id },
      { nonce: `${id}.7`, ticketId: old.id },
      { nonce: `${id}.8`, ticketId: 'tic_unknown' },
      { nonce: `${id}.9`, ticketId: second, at: '2099-01-01T00:00:00Z' },
      { nonce: `${id}.A`, ticketId: second },
    ]);
    const performanceId = order.tickets[0]?.performanceId;
    const control = { at, gate: 'North' };
    expect(answers).toMatchObject([
      { result: 'refused', reason: 'ticket_unknown_barcode', ticketId: null, place: null, performanceId: null },
      { result: 'admitted', reason: null, ticketId: id, place: { label: 'A-1' }, performanceId, control },
      { result: 'repeated', reason: 'ticket_already_controlled', ticketId: id, control },
      { result: 'refused', reason: 'ticket_other_performance', ticketId: second, performanceId, control: null },
      { result: 'refused', reason: 'ticket_not_printed', ticketId: early },
      { result: 'refused', reason: 'ticket_cancelled' },
      { result: 'refused', reason: 'ticket_invalidated' },
      { result: 'refused', reason: 'not_found', ticketId: null },
      { result: 'refused', reason: 'validation_error', ticketId: second, control: null },
      { result: 'admitted', ticketId: second, control: { gate: null } },
    ]);
    expect(answers.map(({ nonce }) => nonce.slice(-1)).join('')).toBe('123456789A');
    expect(await ticket(id)).toMatchObject({ status: 'controlled', controlledAt: at, gate: 'North' });
    const facts = (await fixture.facts(order.orderId)).filter(({ type }) => type === 'ticket.controlled');
    expect(facts.map(({ data }) => data)).toMatchObject([{ ticketId: id, gate: 'North' }, { ticketId: second }]);
  });

  test('up to 500, each with a nonce of its own spelling, and a barcode or a ticket', async () => {
    const { order } = await printed(fixture, confirmed(3));
    const items = Array.from({ length: 500 }, (_, index) => ({
      nonce: `${order.orderId}-${index}`,
      ticketId: order.tickets[index % 3]?.ticketId,
    }));
    const answers = await scan(fixture, items);
    expect(answers.filter(({ result }) => result === 'admitted').map(({ nonce }) => nonce)).toEqual(
      items.slice(0, 3).map(({ nonce }) => nonce),
    );
    expect(answers.filter(({ result }) => result === 'repeated').length).toBe(497);
    const ticketId = firstOf(order);
    for (const [body, status, code] of [
      [{ items: [...items, { nonce: 'one-more', ticketId }] }, 400, 'validation_error'],
      [{ items: [] }, 400, 'validation_error'],
      [{ items: [{ ticketId }] }, 400, 'bad_request'],
      [{ items: [{ nonce: 'a b', ticketId }] }, 400, 'validation_error'],
      [{ items: [{ nonce: 'n'.repeat(65), ticketId }] }, 400, 'validation_error'],
      [{ items: [{ nonce: 'none' }] }, 400, 'bad_request'],
      [{ items: [{ nonce: 'both', ticketId, barcode: 'x' }] }, 400, 'validation_error'],
    ] as const) {
      const reply = await fixture.call('POST', `${PATH}/controls`, { body });
      expect([body.items.length, reply.status, reply.body.status]).toEqual([body.items.length, status, code]);
    }
  });

  test('a nonce has one effect and one answer, per client and user, whatever else is sent with it', async () => {
    const { order, id } = await printed(fixture, confirmed(2));
    const other = order.tickets[1]?.ticketId ?? '';
    const nonce = `once.${id}`;
    const [first] = await scan(fixture, [{ nonce, ticketId: id, gate: 'North' }]);
    expect(first).toMatchObject({ result: 'admitted', control: { gate: 'North' } });
    expect(await scan(fixture, [{ nonce, ticketId: id, gate: 'North' }])).toEqual([first]);
    await revert(id);
    expect(await scan(fixture, [{ nonce, ticketId: other }])).toEqual([first]);
    expect([(await ticket(id)).status, (await ticket(other)).status]).toEqual(['printed', 'printed']);
    const early = firstOf(await issued(fixture));
    const [refused] = await scan(fixture, [{ nonce: `early.${id}`, ticketId: early }]);
    await fixture.call('POST', `${PATH}/${early}/printing`);
    expect(await scan(fixture, [{ nonce: `early.${id}`, ticketId: early }])).toEqual([refused]);
    const results = [];
    for (const sender of [{ client: 'other' }, { user: user('usr_1') }, { user: user('usr_2') }, { client: 'other' }])
      results.push((await scan(fixture, [{ nonce, ticketId: id }], sender))[0]?.result);
    expect(results).toEqual(['admitted', 'repeated', 'repeated', 'admitted']);
  });

  test('a nonce that is twice in a batch counts once', async () => {
    const { order, id } = await printed(fixture, confirmed(2));
    const [first, second] = await scan(fixture, [
      { nonce: `twice.${id}`, ticketId: id },
      { nonce: `twice.${id}`, ticketId: order.tickets[1]?.ticketId },
    ]);
    expect([first, first?.result]).toEqual([second, 'admitted']);
    expect((await ticket(order.tickets[1]?.ticketId ?? '')).status).toBe('printed');
  });

  test('the same batch twice at the same time admits once and answers the same', async () => {
    const { order } = await printed(fixture, confirmed(8));
    const items = order.tickets.map(({ ticketId }) => ({ nonce: ticketId, ticketId }));
    const [one, ...others] = await Promise.all(Array.from({ length: 4 }, () => scan(fixture, items)));
    for (const other of others) expect(other).toEqual(one);
    expect(one?.every(({ result }) => result === 'admitted')).toBe(true);
    const facts = (await fixture.facts(order.orderId)).filter(({ type }) => type === 'ticket.controlled');
    expect(facts.length).toBe(8);
  });

  test('a nonce is free again after 30 days, and not before', async () => {
    const { id } = await printed(fixture);
    const begin = Date.now();
    const caller = { institution: fixture.institution, client: 'partner', user: null };
    const resultAfter = async (ms: number) => {
      const context = createContext(fixture.store, SERVICE_SECRET, () => begin + ms);
      const [answer] = await controlMany(context, caller, [{ nonce: `month.${id}`, ticketId: id }]);
      await context.drawing.close();
      return answer?.result;
    };
    expect(await resultAfter(0)).toBe('admitted');
    for (const days of [1, 15, 29]) expect(await resultAfter(days * 86_400_000)).toBe('admitted');
    expect(await resultAfter(NONCE_MS - 1)).toBe('admitted');
    expect(await resultAfter(NONCE_MS + 1)).toBe('repeated');
  });
});
