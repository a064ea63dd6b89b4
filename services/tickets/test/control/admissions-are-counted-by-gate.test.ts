import { expect, test } from '@jest/globals';
import { cancelled, confirmed, issued, printed } from '../fixture/orders.ts';
import { scan } from '../fixture/scans.ts';
import { describeOnEachEngine, PATH } from '../fixture/service.ts';

describeOnEachEngine('admissions are counted by gate', (fixture) => {
  const admissions = async (performanceId: string) => {
    const reply = await fixture.call('GET', `${PATH}/admissions?performanceId=${performanceId}`);
    const { asOf, ...counts } = reply.data as unknown as { asOf: string };
    expect(Math.abs(Date.now() - Date.parse(asOf))).toBeLessThan(60_000);
    return counts;
  };

  /** The same performance for the tickets of another order. */
  const at = (performanceId: string, lines: number) => {
    const order = confirmed(lines);
    return { ...order, tickets: order.tickets.map((ticket) => ({ ...ticket, performanceId })) };
  };

  test('of the tickets in force: all, those that open the door, and those inside', async () => {
    const performanceId = `prf_${Date.now().toString(36)}`;
    const empty = { performanceId, issued: 0, printed: 0, controlled: 0, gates: [] };
    expect(await admissions(performanceId)).toEqual(empty);
    await issued(fixture, at(performanceId, 1));
    const gone = at(performanceId, 1);
    await printed(fixture, gone);
    await fixture.deliver('order.cancelled', cancelled(gone));
    const { order } = await printed(fixture, at(performanceId, 6));
    const [one, two, three, four, five] = order.tickets.map(({ ticketId }) => ticketId);
    await fixture.call('POST', `${PATH}/${five}/replacement`, { body: {} });
    await scan(fixture, [
      { nonce: `${one}`, ticketId: one, gate: 'South' },
      { nonce: `${two}`, ticketId: two, gate: 'North' },
      { nonce: `${three}`, ticketId: three, gate: 'South' },
      { nonce: `${four}`, ticketId: four },
      { nonce: `${one}.2`, ticketId: one, gate: 'North' },
    ]);
    expect(await admissions(performanceId)).toEqual({
      performanceId,
      issued: 7,
      printed: 6,
      controlled: 4,
      gates: [
        { gate: null, controlled: 1 },
        { gate: 'North', controlled: 1 },
        { gate: 'South', controlled: 2 },
      ],
    });
    await fixture.call('DELETE', `${PATH}/${two}/control`);
    expect(await admissions(performanceId)).toMatchObject({ printed: 6, controlled: 3 });
  });

  test('the performance must be named', async () => {
    const { status, body } = await fixture.call('GET', `${PATH}/admissions`);
    expect([status, body.status]).toEqual([400, 'missing_parameter']);
  });
});
