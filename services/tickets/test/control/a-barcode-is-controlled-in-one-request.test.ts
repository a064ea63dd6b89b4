import { expect, test } from '@jest/globals';
import { signJws } from '../../src/barcode/barcode.ts';
import { cancelled, confirmed, firstOf, issued, printed } from '../fixture/orders.ts';
import { describeOnEachEngine, PATH, ticketOf } from '../fixture/service.ts';

describeOnEachEngine('a barcode is controlled in one request', (fixture) => {
  const barcodeOf = async (id: string) => (await fixture.ticket(id)).barcode;
  const control = (body: object, headers = {}) => fixture.call('POST', `${PATH}/control`, { body, headers });
  const codeOf = async (body: object) => {
    const { status, body: answered } = await control(body);
    return [status, answered.status];
  };

  test('once, with gate and time, and published like any other control', async () => {
    const { order, id } = await printed(fixture);
    const barcode = await barcodeOf(id);
    const performanceId = order.tickets[0]?.performanceId;
    const at = '2026-11-01T18:02:03.000Z';
    const { status, data, headers } = await control({ barcode, performanceId, gate: 'North', at });
    expect([status, data]).toMatchObject([200, { id, status: 'controlled', gate: 'North', controlledAt: at }]);
    expect(headers.get('etag')).toBe((await fixture.call('GET', `${PATH}/${id}`)).headers.get('etag'));
    const again = await control({ barcode });
    expect([again.status, again.body.status]).toEqual([409, 'ticket_already_controlled']);
    expect(again.body.details).toContain(at);
    expect((await fixture.facts(order.orderId)).map(({ type }) => type)).toEqual(['ticket.controlled']);
  });

  test('one that is unknown, forged, of another institution or of no ticket is 404', async () => {
    const { id, order } = await printed(fixture);
    const barcode = await barcodeOf(id);
    const unknown = [404, 'ticket_unknown_barcode'];
    const changed = `${barcode.slice(0, 60)}${barcode[60] === 'A' ? 'B' : 'A'}${barcode.slice(61)}`;
    for (const text of [changed, `${barcode} 1`, barcode.toLowerCase(), 'nonsense', id, order.orderId, 'a.b.c'])
      expect([text, await codeOf({ barcode: text })]).toEqual([text, unknown]);
    const museum = await fixture.call('POST', `${PATH}/control`, { institution: 'museum', body: { barcode } });
    expect([museum.status, museum.body.status]).toEqual(unknown);
    const key = await fixture.context.keys.signing(fixture.institution);
    const signed = signJws(key, { tid: 'tic_never', prf: 'prf_never', plc: 'plc_never', iat: 0 });
    expect(await codeOf({ barcode: signed })).toEqual(unknown);
    expect(await codeOf({ barcode: '' })).toEqual([400, 'validation_error']);
    expect(await codeOf({})).toEqual([400, 'bad_request']);
  });

  test.each([
    ['white space, CR and LF around it', (text: string) => ` \t${text}\r\n`],
    ['the prefix of a hand scanner', (text: string) => `]Q1${text}\r`],
    ['another prefix, and white space before and after it', (text: string) => `\r\n]d2 ${text}`],
  ])('as scanned, with %s: one by one, in a batch and as a filter', async (_, scanned) => {
    const [one, other] = [await printed(fixture), await printed(fixture)];
    const [first, second] = [scanned(await barcodeOf(one.id)), scanned(await barcodeOf(other.id))];
    expect((await control({ barcode: first })).data).toMatchObject({ id: one.id, status: 'controlled' });
    const body = { items: [{ nonce: other.id, barcode: second }] };
    const batch = await fixture.call('POST', `${PATH}/controls`, { body });
    expect(batch.data.items).toMatchObject([{ result: 'admitted', ticketId: other.id }]);
    const listed = await fixture.call('GET', `${PATH}?barcode=${encodeURIComponent(first)}`);
    expect(listed.data.items).toMatchObject([{ id: one.id }]);
  });

  test('for another performance it is 409, whatever its status is', async () => {
    const barcode = await barcodeOf(firstOf(await issued(fixture)));
    expect(await codeOf({ barcode, performanceId: 'prf_other' })).toEqual([409, 'ticket_other_performance']);
    expect(await codeOf({ barcode })).toEqual([412, 'ticket_not_printed']);
  });

  test('a cancelled or replaced ticket is 412; the replacing one is controlled', async () => {
    const { order, id } = await printed(fixture, confirmed(2));
    const old = await barcodeOf(id);
    const next = ticketOf(await fixture.call('POST', `${PATH}/${id}/replacement`, { body: {} }));
    expect(await codeOf({ barcode: old })).toEqual([412, 'ticket_invalidated']);
    expect((await control({ barcode: next.barcode })).data).toMatchObject({ id: next.id, status: 'controlled' });
    const second = await barcodeOf(order.tickets[1]?.ticketId ?? '');
    await fixture.deliver('order.cancelled', cancelled(order));
    expect(await codeOf({ barcode: second })).toEqual([412, 'ticket_cancelled']);
  });

  test('a ticket of an earlier release with its longer barcode stays valid', async () => {
    const { order, id } = await printed(fixture);
    const key = await fixture.context.keys.signing(fixture.institution);
    const [line] = order.tickets;
    const barcode = signJws(key, { tid: id, prf: String(line?.performanceId), plc: String(line?.place.id), iat: 1 });
    const { tickets } = fixture.context.collections(fixture.institution);
    await tickets.update(id, (ticket) => ({ next: { ...ticket, barcode } }));
    expect((await control({ barcode })).data).toMatchObject({ id, status: 'controlled' });
  });
});
