import { expect, test } from '@jest/globals';
import { signJws } from '../../src/barcode/barcode.ts';
import { createRoutes } from '../../src/commands.ts';
import { createContext } from '../../src/context.ts';
import {
  describeOnEachEngine,
  PATH,
  readTicket,
  SERVICE_SECRET,
  type TicketView,
  toCodes,
} from '../fixture/service.ts';
import {
  createConfirmedOrder,
  createScanClock,
  getFirstTicketId,
  issueAndPrint,
  issueOrder,
  toCancelledOrder,
} from '../fixture/tickets.ts';

describeOnEachEngine('tickets are printed, controlled and reverted', (fixture) => {
  const post = (id: string, action: string, body?: object, headers?: Record<string, string>) =>
    fixture.call('POST', `${PATH}/${id}/${action}`, { body, headers });
  const revert = (id: string, action: string, headers?: Record<string, string>) =>
    fixture.call('DELETE', `${PATH}/${id}/${action}`, { headers });

  test('not_printed → printed → not_printed', async () => {
    const id = getFirstTicketId(await issueOrder(fixture));
    const first = await post(id, 'printing');
    expect([first.status, first.data]).toMatchObject([200, { status: 'printed', printedAt: expect.any(String) }]);
    expect((await post(id, 'printing')).status).toBe(412);
    expect(readTicket(await revert(id, 'printing'))).toMatchObject({ status: 'not_printed', printedAt: null });
    expect((await revert(id, 'printing')).status).toBe(412);
    expect((await fixture.ticket(id)).barcode).toBe(readTicket(first).barcode);
  });

  test('a second control is 409 with time and gate; after a revert the ticket can be controlled again', async () => {
    const { order, id } = await issueAndPrint(fixture);
    const at = createScanClock()(3);
    const inZurich = new Date(Date.parse(at) + 3_600_000).toISOString().replace('Z', '+01:00');
    const reply = await post(id, 'control', { gate: 'North', at: inZurich });
    expect(reply.data).toMatchObject({ status: 'controlled', controlledAt: at, gate: 'North' });
    const again = await post(id, 'control');
    expect(toCodes(again)).toEqual([409, 'ticket_already_controlled']);
    expect(again.body.details).toContain(at);
    expect(again.body.details).toContain('North');
    expect((await revert(id, 'printing')).status).toBe(412);
    const reverted = { status: 'printed', controlledAt: null, gate: null };
    expect(readTicket(await revert(id, 'control'))).toMatchObject(reverted);
    expect((await revert(id, 'control')).status).toBe(412);
    expect((await post(id, 'control')).status).toBe(200);
    const facts = await fixture.facts(order.orderId);
    expect(facts.map(({ type, version }) => [type, version])).toEqual([
      ['ticket.controlled', 3],
      ['ticket.control_reverted', 4],
      ['ticket.controlled', 5],
    ]);
    expect(facts[0]?.data).toEqual({ ticketId: id, orderId: order.orderId, controlledAt: at, gate: 'North' });
  });

  test('of a hundred concurrent controls one succeeds', async () => {
    const { id } = await issueAndPrint(fixture);
    const replies = await Promise.all(Array.from({ length: 100 }, () => post(id, 'control')));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(99);
  });

  test('every write checks If-Match before the status', async () => {
    const id = getFirstTicketId(await issueOrder(fixture));
    const stale = { 'if-match': '"77"' };
    const replies = [
      await post(id, 'printing', undefined, stale),
      await revert(id, 'printing', stale),
      await post(id, 'control', {}, stale),
      await revert(id, 'control', stale),
      await post(id, 'replacement', {}, stale),
      await fixture.call('PATCH', `${PATH}/${id}`, { body: { beneficiary: { lastName: 'M' } }, headers: stale }),
    ];
    for (const { status, body } of replies)
      expect([status, body.details]).toEqual([412, expect.stringContaining('If-Match')]);
    const etag = String((await fixture.call('GET', `${PATH}/${id}`)).headers.get('etag'));
    const done = await post(id, 'printing', undefined, { 'if-match': etag });
    expect(done.status).toBe(200);
    const next = String(done.headers.get('etag'));
    expect(next).not.toBe(etag);
    const known = (tag: string) => fixture.call('GET', `${PATH}/${id}`, { headers: { 'if-none-match': tag } });
    expect([(await known(next)).status, (await known(etag)).status]).toEqual([304, 200]);
  });

  test('the beneficiary of a ticket that is not printed changes in place', async () => {
    const id = getFirstTicketId(await issueOrder(fixture));
    const patch = (body: object) => fixture.call('PATCH', `${PATH}/${id}`, { body });
    const named = await patch({ beneficiary: { firstName: 'Ana', lastName: 'Martin' } });
    expect(named.data).toMatchObject({ id, beneficiary: { firstName: 'Ana', lastName: 'Martin' }, replacedBy: null });
    expect(readTicket(await patch({ beneficiary: { firstName: null } })).beneficiary).toEqual({
      firstName: null,
      lastName: 'Martin',
    });
    const whole = await fixture.ticket(id);
    expect((await patch(whole)).headers.get('etag')).toBe('"3"');
    expect(readTicket(await patch({ beneficiary: null })).beneficiary).toBeNull();
    for (const body of [{ beneficiary: { lastName: ' ' } }, { nonsense: 1 }])
      expect((await patch(body)).body.status).toBe('validation_error');
    expect((await post(id, 'control', { gate: ' ' })).body.status).toBe('validation_error');
  });
});

describeOnEachEngine('an order is printed in one request', (fixture) => {
  const print = async (orderId: string) => {
    const { status, body, data } = await fixture.call('POST', `${PATH}/printing`, { body: { orderId } });
    return { status, code: body.status, items: (data as { items?: TicketView[] } | null)?.items ?? [] };
  };

  test('every ticket that is not printed yet; the answer has them all, and a repeat changes nothing', async () => {
    const order = await issueOrder(fixture, createConfirmedOrder(20));
    const [first = '', second = ''] = order.tickets.map(({ ticketId }) => ticketId);
    await fixture.call('POST', `${PATH}/${first}/printing`);
    const before = await fixture.ticket(first);
    const { status, items } = await print(order.orderId);
    expect([status, items.length]).toEqual([200, 20]);
    expect(new Set(items.map((ticket) => ticket.status))).toEqual(new Set(['printed']));
    expect(items.find(({ id }) => id === first)).toEqual(before);
    expect(items.find(({ id }) => id === second)).toEqual(await fixture.ticket(second));
    expect((await print(order.orderId)).items).toEqual(items);
  });

  test('controlled and replaced tickets stay as they are; of each line the current one is answered', async () => {
    const order = await issueOrder(fixture, createConfirmedOrder(3));
    const [first = '', second = '', third = ''] = order.tickets.map(({ ticketId }) => ticketId);
    for (const id of [first, second]) await fixture.call('POST', `${PATH}/${id}/printing`);
    await fixture.call('POST', `${PATH}/${first}/control`, { body: {} });
    const { id: replacing } = readTicket(await fixture.call('POST', `${PATH}/${second}/replacement`, { body: {} }));
    const { items } = await print(order.orderId);
    expect(Object.fromEntries(items.map(({ id, status }) => [id, status]))).toEqual({
      [first]: 'controlled',
      [replacing]: 'printed',
      [third]: 'printed',
    });
  });

  test('an order without tickets is 404, a cancelled one 412', async () => {
    const unknown = await print('ord_unknown');
    expect([unknown.status, unknown.code]).toEqual([404, 'not_found']);
    const order = await issueOrder(fixture, createConfirmedOrder(2));
    await fixture.deliver('order.cancelled', toCancelledOrder(order));
    const refused = await print(order.orderId);
    expect([refused.status, refused.code]).toEqual([412, 'ticket_cancelled']);
  });
});

describeOnEachEngine('a barcode is controlled in one request', (fixture) => {
  const barcodeOf = async (id: string) => (await fixture.ticket(id)).barcode;
  const control = (body: object, headers = {}) => fixture.call('POST', `${PATH}/control`, { body, headers });
  const codeOf = async (body: object) => toCodes(await control(body));

  test('once, with gate and time, and published like any other control', async () => {
    const { order, id, performanceId } = await issueAndPrint(fixture);
    const barcode = await barcodeOf(id);
    const at = createScanClock()(3);
    const { status, data, headers } = await control({ barcode, performanceId, gate: 'North', at });
    expect([status, data]).toMatchObject([200, { id, status: 'controlled', gate: 'North', controlledAt: at }]);
    expect(headers.get('etag')).toBe((await fixture.call('GET', `${PATH}/${id}`)).headers.get('etag'));
    const again = await control({ barcode });
    expect(toCodes(again)).toEqual([409, 'ticket_already_controlled']);
    expect(again.body.details).toContain(at);
    expect((await fixture.facts(order.orderId)).map(({ type }) => type)).toEqual(['ticket.controlled']);
  });

  test('one that is unknown, forged, of another institution or of no ticket is 404', async () => {
    const { id, order } = await issueAndPrint(fixture);
    const barcode = await barcodeOf(id);
    const unknown = [404, 'ticket_unknown_barcode'];
    const changed = `${barcode.slice(0, 60)}${barcode[60] === 'A' ? 'B' : 'A'}${barcode.slice(61)}`;
    for (const text of [changed, `${barcode} 1`, barcode.toLowerCase(), 'nonsense', id, order.orderId, 'a.b.c'])
      expect([text, await codeOf({ barcode: text })]).toEqual([text, unknown]);
    const museum = await fixture.call('POST', `${PATH}/control`, { institution: 'museum', body: { barcode } });
    expect(toCodes(museum)).toEqual(unknown);
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
    const [one, other] = [await issueAndPrint(fixture), await issueAndPrint(fixture)];
    const [first, second] = [scanned(await barcodeOf(one.id)), scanned(await barcodeOf(other.id))];
    expect((await control({ barcode: first })).data).toMatchObject({ id: one.id, status: 'controlled' });
    const body = { items: [{ nonce: other.id, barcode: second }] };
    const batch = await fixture.call('POST', `${PATH}/controls`, { body });
    expect(batch.data.items).toMatchObject([{ result: 'admitted', ticketId: other.id }]);
    const listed = await fixture.call('GET', `${PATH}?barcode=${encodeURIComponent(first)}`);
    expect(listed.data.items).toMatchObject([{ id: one.id }]);
  });

  test('for another performance it is 409, whatever its status is', async () => {
    const barcode = await barcodeOf(getFirstTicketId(await issueOrder(fixture)));
    expect(await codeOf({ barcode, performanceId: 'prf_other' })).toEqual([409, 'ticket_other_performance']);
    expect(await codeOf({ barcode })).toEqual([412, 'ticket_not_printed']);
  });

  test('a ticket of an earlier release with its longer barcode stays valid', async () => {
    const { order, id, performanceId } = await issueAndPrint(fixture);
    const key = await fixture.context.keys.signing(fixture.institution);
    const barcode = signJws(key, { tid: id, prf: performanceId, plc: String(order.tickets[0]?.place.id), iat: 1 });
    const { tickets } = fixture.context.collections(fixture.institution);
    await tickets.update(id, (ticket) => ({ next: { ...ticket, barcode } }));
    expect((await control({ barcode })).data).toMatchObject({ id, status: 'controlled' });
  });
});

describeOnEachEngine('each 412 has its own code', (fixture) => {
  const send = async (method: string, id: string, action: string, body?: object) =>
    toCodes(await fixture.call(method, `${PATH}/${id}${action}`, { body }));

  test('printing a ticket of an unconfirmed order is 404, and order_not_confirmed is not described', async () => {
    for (const id of ['tic_of_no_confirmation', 'tic_of_no_confirmation_r3'])
      expect(await send('POST', id, '/printing')).toEqual([404, 'not_found']);
    const { errors } =
      createRoutes(createContext(fixture.store, SERVICE_SECRET)).find(({ id }) => id === 'printTicket') ?? {};
    expect(errors).toContain('ticket_cancelled');
    expect(errors).not.toContain('order_not_confirmed');
  });

  test('ticket_not_printed refuses control, replacement and roll-back', async () => {
    const id = getFirstTicketId(await issueOrder(fixture));
    const expected = [412, 'ticket_not_printed'];
    expect(await send('POST', id, '/control', {})).toEqual(expected);
    expect(await send('POST', id, '/replacement', {})).toEqual(expected);
    expect(await send('DELETE', id, '/printing')).toEqual(expected);
    expect(await send('DELETE', id, '/control')).toEqual(expected);
  });

  const everything = async (id: string) => [
    await send('POST', id, '/printing'),
    await send('DELETE', id, '/printing'),
    await send('POST', id, '/control', {}),
    await send('DELETE', id, '/control'),
    await send('POST', id, '/replacement', {}),
    await send('PATCH', id, '', { beneficiary: { lastName: 'Other' } }),
  ];

  test('ticket_cancelled and ticket_invalidated refuse every command', async () => {
    const one = await issueAndPrint(fixture);
    await fixture.deliver('order.cancelled', toCancelledOrder(one.order));
    expect(await everything(one.id)).toEqual(Array(6).fill([412, 'ticket_cancelled']));
    const other = await issueAndPrint(fixture);
    expect(await send('POST', other.id, '/replacement', {})).toEqual([201, 'success']);
    expect(await everything(other.id)).toEqual(Array(6).fill([412, 'ticket_invalidated']));
  });

  test('order_cancelled refuses to revert a control before the cancellation', async () => {
    const { order, id } = await issueAndPrint(fixture);
    await send('POST', id, '/control', {});
    await fixture.deliver('order.cancelled', toCancelledOrder(order));
    expect(await send('DELETE', id, '/control')).toEqual([412, 'order_cancelled']);
  });

  test('a ticket can be written back as it was read in every status', async () => {
    const { order, id } = await issueAndPrint(fixture);
    const back = async () => {
      const { data } = await fixture.call('GET', `${PATH}/${id}`);
      return send('PATCH', id, '', data as object);
    };
    expect(await back()).toEqual([200, 'success']);
    await send('POST', id, '/control', {});
    expect(await back()).toEqual([200, 'success']);
    await fixture.deliver('order.cancelled', toCancelledOrder(order, { override: true }));
    expect(await back()).toEqual([200, 'success']);
  });
});
