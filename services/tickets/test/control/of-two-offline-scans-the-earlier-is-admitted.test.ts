import { expect, test } from '@jest/globals';
import { confirmed, printed } from '../fixture/orders.ts';
import { scan, scansListed } from '../fixture/scans.ts';
import { describeOnEachEngine, PATH } from '../fixture/service.ts';

const at = (minute: number) => `2026-11-01T18:${String(minute).padStart(2, '0')}:00.000Z`;

describeOnEachEngine('of two offline scans the earlier is admitted', (fixture) => {
  const printedTicket = async () => {
    const { order, id } = await printed(fixture, confirmed(1));
    return { orderId: order.orderId, id, performanceId: order.tickets[0]?.performanceId };
  };
  const offline = (ticketId: string, minute: number, more: object = {}) => ({
    nonce: `${ticketId}.${minute}`,
    ticketId,
    at: at(minute),
    gate: `G${minute}`,
    offline: true,
    ...more,
  });
  const listed = async (performanceId: string | undefined) =>
    (await scansListed(fixture, `performanceId=${performanceId}`)).map(({ result, gate }) => `${gate} ${result}`);

  test('in one batch, whatever their order', async () => {
    const { id, performanceId } = await printedTicket();
    const answers = await scan(fixture, [offline(id, 9), offline(id, 5), offline(id, 7)]);
    const control = { at: at(5), gate: 'G5' };
    expect(answers.map(({ result }) => result)).toEqual(['repeated', 'admitted', 'repeated']);
    for (const answer of answers) expect(answer.control).toEqual(control);
    expect(await listed(performanceId)).toEqual(['G5 admitted', 'G7 repeated', 'G9 repeated']);
  });

  test('one that arrives later but was earlier is the control; what was answered stands', async () => {
    const { id, orderId, performanceId } = await printedTicket();
    const [late] = await scan(fixture, [offline(id, 9)]);
    const [early] = await scan(fixture, [offline(id, 5)]);
    expect([late?.result, early?.result]).toEqual(['admitted', 'admitted']);
    expect(await fixture.ticket(id)).toMatchObject({ status: 'controlled', controlledAt: at(5), gate: 'G5' });
    expect(await listed(performanceId)).toEqual(['G5 admitted', 'G9 repeated']);
    const [shown] = await scansListed(fixture, `performanceId=${performanceId}&result=repeated`);
    expect(shown).toMatchObject({ reason: 'ticket_already_controlled', control: { at: at(5), gate: 'G5' } });
    expect(await scan(fixture, [offline(id, 9), offline(id, 5)])).toEqual([late, early]);
    const [between] = await scan(fixture, [offline(id, 7)]);
    expect(between).toMatchObject({ result: 'repeated', control: { at: at(5) } });
    const facts = (await fixture.facts(orderId)).filter(({ type }) => type === 'ticket.controlled');
    expect(facts.map(({ data }) => data)).toMatchObject([{ controlledAt: at(9) }, { controlledAt: at(5) }]);
  });

  test('also where the later one was a single control', async () => {
    const { id, performanceId } = await printedTicket();
    await fixture.call('POST', `${PATH}/${id}/control`, { body: { gate: 'Desk', at: at(20) } });
    const [answer] = await scan(fixture, [offline(id, 5)]);
    expect(answer?.result).toBe('admitted');
    expect(await fixture.ticket(id)).toMatchObject({ controlledAt: at(5), gate: 'G5' });
    expect(await listed(performanceId)).toEqual(['G5 admitted', 'Desk repeated']);
  });

  test('of two at the same time the first to arrive is admitted', async () => {
    const { id } = await printedTicket();
    const [first] = await scan(fixture, [offline(id, 5)]);
    const [second] = await scan(fixture, [offline(id, 5, { nonce: `${id}.again`, gate: 'Other' })]);
    expect([first?.result, second?.result]).toEqual(['admitted', 'repeated']);
    expect((await fixture.ticket(id)).gate).toBe('G5');
  });

  test('a scan that asks, with an earlier time, is repeated', async () => {
    const { id } = await printedTicket();
    await scan(fixture, [offline(id, 9)]);
    const [answer] = await scan(fixture, [offline(id, 5, { offline: false })]);
    expect(answer).toMatchObject({ result: 'repeated', control: { at: at(9) } });
    expect((await fixture.ticket(id)).controlledAt).toBe(at(9));
  });

  test('three that arrive at the same time leave the earliest as the control and one admitted scan', async () => {
    const { id, performanceId } = await printedTicket();
    await Promise.all([9, 5, 7].map((minute) => scan(fixture, [offline(id, minute)])));
    expect(await fixture.ticket(id)).toMatchObject({ controlledAt: at(5), gate: 'G5' });
    expect(await listed(performanceId)).toEqual(['G5 admitted', 'G7 repeated', 'G9 repeated']);
  });
});
