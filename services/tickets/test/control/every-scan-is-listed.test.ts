import { startSweeper } from '@boxoffice/service';
import { expect, test } from '@jest/globals';
import { collections, retention, SCAN_RETENTION_MS } from '../../src/store.ts';
import { confirmed, firstOf, issued, printed } from '../fixture/orders.ts';
import { scan, scansListed } from '../fixture/scans.ts';
import { customer, describeOnEachEngine, door, PATH, till } from '../fixture/service.ts';

describeOnEachEngine('every scan is listed', (fixture) => {
  test('single controls and batches, refused ones too, in the order in which they happened', async () => {
    const { order, id } = await printed(fixture, confirmed(2));
    const [{ performanceId = '' } = {}, { ticketId: second = '' } = {}] = order.tickets;
    const { barcode } = await fixture.ticket(id);
    const minute = (n: number) => `2026-11-01T18:0${n}:00.000Z`;
    const post = (path: string, body: object) => fixture.call('POST', `${PATH}${path}`, { body });
    await post('/control', { barcode, performanceId, gate: 'North', at: minute(2) });
    await post(`/${id}/control`, { gate: 'South', at: minute(3) });
    await post('/control', { barcode: 'a visiting card: Ana Martin', performanceId, gate: 'North', at: minute(1) });
    await post('/control', { barcode, performanceId: `${performanceId}x`, at: minute(1) });
    await scan(fixture, [{ nonce: 'in-a-batch', ticketId: second, gate: 'South', at: minute(4) }]);
    const query = `performanceId=${performanceId}`;
    const listed = await scansListed(fixture, query);
    const control = { at: minute(2), gate: 'North' };
    expect(listed).toMatchObject([
      { nonce: null, result: 'refused', reason: 'ticket_unknown_barcode', ticketId: null, at: minute(1) },
      { nonce: null, result: 'admitted', reason: null, ticketId: id, place: { label: 'A-1' }, control, gate: 'North' },
      { nonce: null, result: 'repeated', reason: 'ticket_already_controlled', ticketId: id, control, gate: 'South' },
      { nonce: 'in-a-batch', result: 'admitted', ticketId: second, gate: 'South', offline: false },
    ]);
    const stored = await fixture.context.collections(fixture.institution).scans.find();
    expect(JSON.stringify(stored)).not.toContain('Ana Martin');
    expect(JSON.stringify(stored)).not.toContain(barcode);
    const resultsOf = async (more: string) => (await scansListed(fixture, query + more)).map(({ result }) => result);
    expect(await resultsOf('&gate=South')).toEqual(['repeated', 'admitted']);
    expect(await resultsOf('&result=refused')).toEqual(['refused']);
    expect(await resultsOf(`&from=${minute(2)}&to=${minute(4)}`)).toEqual(['admitted', 'repeated']);
    expect(await resultsOf(`&to=${minute(2)}`)).toEqual(['refused']);
    const pages = [];
    for (let cursor = ''; ; ) {
      const { data } = await fixture.call('GET', `${PATH}/controls?limit=3&${query}${cursor}`);
      const { items, nextCursor } = data as unknown as { items: { at: string }[]; nextCursor: string | null };
      pages.push(items.map(({ at }) => at));
      if (nextCursor === null) break;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
    expect(pages).toEqual([[minute(1), minute(2), minute(3)], [minute(4)]]);
    const other = await fixture.call('GET', `${PATH}/controls`, { institution: 'museum' });
    expect(other.data.items).toEqual([]);
  });

  test('the door scans and lists; a customer does neither; a point of sale sees the scans of its tickets', async () => {
    const [north, south] = ['north.opera.example', 'south.opera.example'];
    const order = { ...confirmed(1), pointOfSale: north };
    const { id } = await printed(fixture, order);
    const query = `performanceId=${order.tickets[0]?.performanceId}`;
    const [unknown] = await scan(fixture, [{ nonce: `south.${id}`, ticketId: id }], { user: till(south) });
    expect(unknown).toMatchObject({ result: 'refused', reason: 'not_found', ticketId: null, place: null });
    expect((await scan(fixture, [{ nonce: id, ticketId: id }], { user: door }))[0]?.result).toBe('admitted');
    const seen = async (user: Parameters<typeof scansListed>[2]) => (await scansListed(fixture, query, user)).length;
    expect([await seen({ user: door }), await seen({ user: till(north) }), await seen({ user: till(south) })]).toEqual([
      1, 1, 0,
    ]);
    for (const [method, path, body] of [
      ['POST', 'controls', { items: [{ nonce: 'mine', ticketId: id }] }],
      ['GET', 'controls', undefined],
      ['GET', `admissions?${query}`, undefined],
    ] as const)
      expect((await fixture.call(method, `${PATH}/${path}`, { user: customer('C1'), body })).status).toBe(403);
  });

  test('for 90 days', async () => {
    const ticketId = firstOf(await issued(fixture));
    await scan(fixture, [{ nonce: `kept.${ticketId}`, ticketId }]);
    const kept = async () =>
      (await fixture.context.collections(fixture.institution).scans.find({ where: { ticketId } })).length;
    const sweepAfter = async (ms: number) => {
      const now = () => Date.now() + ms;
      const sweeper = startSweeper({
        store: fixture.store,
        collections,
        retention,
        now,
        logger: { warn: (message) => expect(message).toBe('') },
      });
      await sweeper.sweep();
      await sweeper.close();
      return kept();
    };
    expect(await sweepAfter(SCAN_RETENTION_MS - 60_000)).toBe(1);
    expect(await sweepAfter(SCAN_RETENTION_MS + 60_000)).toBe(0);
  });
});
