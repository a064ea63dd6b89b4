import { beforeAll, expect, test } from '@jest/globals';
import { createFailingStore } from '../fixture/crashes.ts';
import { describeOnEachEngine, type Instance } from '../fixture/service.ts';
import { controlWith, createConfirmedOrder, issueAndPrint, listScans, scan } from '../fixture/tickets.ts';

/** How often each race is run. */
const TIMES = 6;

describeOnEachEngine('a nonce has one effect and one answer, also where it is sent at once', (fixture) => {
  let other: Instance;
  beforeAll(async () => {
    other = await fixture.another();
  });

  const twoTickets = async () => {
    const { order, performanceId } = await issueAndPrint(fixture, createConfirmedOrder(2));
    const [one = '', two = ''] = order.tickets.map(({ ticketId }) => ticketId);
    const statuses = async () => [(await fixture.ticket(one)).status, (await fixture.ticket(two)).status];
    return { one, two, performanceId, statuses };
  };

  test('for two tickets it controls one of them, and both requests get that answer', async () => {
    for (let time = 0; time < TIMES; time += 1) {
      const { one, two, performanceId, statuses } = await twoTickets();
      const nonce = `both.${one}`;
      const [[first], [second]] = await Promise.all([
        scan(fixture, [{ nonce, ticketId: one, gate: 'North' }]),
        scan(other, [{ nonce, ticketId: two, gate: 'South' }]),
      ]);
      expect([first, first?.result]).toEqual([second, 'admitted']);
      expect((await statuses()).sort()).toEqual(['controlled', 'printed']);
      expect(await listScans(fixture, `performanceId=${performanceId}`)).toMatchObject([
        { nonce, result: 'admitted', ticketId: first?.ticketId, gate: first?.control?.gate },
      ]);
      expect(await scan(fixture, [{ nonce, ticketId: two }])).toEqual([first]);
    }
  });

  test('for a ticket and for a code of nobody it is admitted or refused, for both alike', async () => {
    for (let time = 0; time < TIMES; time += 1) {
      const { one, performanceId, statuses } = await twoTickets();
      const nonce = `either.${one}`;
      const [[first], [second]] = await Promise.all([
        scan(fixture, [{ nonce, ticketId: one }]),
        scan(other, [{ nonce, barcode: 'scribble', performanceId }]),
      ]);
      expect(first).toEqual(second);
      const isAdmitted = first?.result === 'admitted';
      expect(await statuses()).toEqual([isAdmitted ? 'controlled' : 'printed', 'printed']);
      expect(await scan(fixture, [{ nonce, ticketId: one }])).toEqual([first]);
    }
  });

  test.each(['scans', 'tickets'])('also after a crash at the write of %s', async (crashing) => {
    const { one, two, statuses } = await twoTickets();
    const nonce = `crash.${one}`;
    const store = createFailingStore(fixture.store, crashing);
    await expect(controlWith(fixture, [{ nonce, ticketId: one }], { store })).rejects.toThrow('not written');
    const [answer] = await scan(fixture, [{ nonce, ticketId: two }]);
    expect(answer).toMatchObject({ result: 'admitted', ticketId: one });
    expect(await statuses()).toEqual(['controlled', 'printed']);
  });
});
