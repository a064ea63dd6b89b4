import { sendEightAtOnce } from '@boxoffice/service/testkit';
import { beforeAll, expect, test } from '@jest/globals';
import { describeOnEachEngine, type Instance, PATH, readTicket } from '../fixture/service.ts';
import {
  createConfirmedOrder,
  createScanClock,
  getFirstTicketId,
  issueAndPrint,
  issueOrder,
  listScans,
  toCancelledOrder,
} from '../fixture/tickets.ts';

describeOnEachEngine('ETags follow visible changes', (fixture) => {
  const get = (id: string) => fixture.call('GET', `${PATH}/${id}`);
  const etagOf = async (id: string) => (await get(id)).headers.get('etag') ?? '';
  const act = (method: string, id: string, what: string, etag: string) =>
    fixture.call(method, `${PATH}/${id}/${what}`, { headers: { 'if-match': etag } });

  test('a new buyer is not visible: the ETag stays valid', async () => {
    const order = await issueOrder(fixture, createConfirmedOrder(1, 'C1'));
    const id = getFirstTicketId(order);
    const before = await get(id);
    const etag = before.headers.get('etag') ?? '';
    for (const [version, contactNumber] of [
      [7, 'C2'],
      [9, 'C3'],
    ] as const)
      await issueOrder(fixture, { ...order, contactNumber }, version);
    const after = await get(id);
    expect([after.headers.get('etag'), after.text]).toEqual([etag, before.text]);
    const print = await act('POST', id, 'printing', etag);
    expect(print.status).toBe(200);
    expect((await act('DELETE', id, 'printing', etag)).status).toBe(412);
    const next = print.headers.get('etag') ?? '';
    expect(next).not.toBe(etag);
    expect(await etagOf(id)).toBe(next);
    const replaced = await act('POST', id, 'replacement', next);
    expect(replaced.status).toBe(201);
    const { id: newId } = replaced.data as { id: string };
    expect(await etagOf(newId)).toBe(replaced.headers.get('etag'));
  });

  test('the ETag of a controlled ticket stays if a cancellation leaves it controlled', async () => {
    const { order, id } = await issueAndPrint(fixture);
    await fixture.call('POST', `${PATH}/${id}/control`);
    const etag = await etagOf(id);
    await fixture.deliver('order.cancelled', toCancelledOrder(order), { version: 9 });
    expect(await etagOf(id)).toBe(etag);
    expect((await act('DELETE', id, 'control', etag)).body.details).toContain('stays controlled');
  });

  test('two visible states never have the same ETag', async () => {
    const { order, id } = await issueAndPrint(fixture, createConfirmedOrder(1, 'C1'));
    const seen = new Map<string, string>();
    const check = async () => {
      const { headers, text } = await get(id);
      const etag = headers.get('etag') ?? '';
      expect(seen.get(etag) ?? text).toBe(text);
      seen.set(etag, text);
    };
    const buyer = (version: number) => issueOrder(fixture, { ...order, contactNumber: `C${version}` }, version);
    await check();
    for (let round = 0; round < 3; round += 1) {
      await fixture.call('POST', `${PATH}/${id}/control`);
      await check();
      await buyer(10 + round);
      await check();
      await fixture.call('DELETE', `${PATH}/${id}/control`);
      await check();
    }
    expect(seen.size).toBe(7);
  });
});

describeOnEachEngine('of eight requests with one key at two instances', (fixture) => {
  let other: Instance;
  beforeAll(async () => {
    other = await fixture.another();
  });

  const send = (method: string, path: string, body?: object, ifMatch?: string) => {
    const condition: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch };
    return sendEightAtOnce([fixture, other], (on: Instance, key) =>
      on.call(method, `${PATH}${path}`, { body, headers: { 'idempotency-key': key, ...condition } }),
    );
  };
  const versionOf = async (id: string) =>
    (await fixture.context.collections(fixture.institution).tickets.get(id))?.version;

  test('a print, a change of the beneficiary and a control are written once', async () => {
    const order = await issueOrder(fixture);
    const id = getFirstTicketId(order);
    const named = await send('PATCH', `/${id}`, { beneficiary: { firstName: 'Clara', lastName: 'Haskil' } });
    expect([named.status, await versionOf(id)]).toEqual([200, 2]);
    expect([(await send('POST', `/${id}/printing`)).status, await versionOf(id)]).toEqual([200, 3]);
    expect([(await send('POST', `/${id}/control`, {})).status, await versionOf(id)]).toEqual([200, 4]);
    expect((await fixture.facts(order.orderId)).map(({ type }) => type)).toEqual(['ticket.controlled']);
    expect(await listScans(fixture, `performanceId=${order.tickets[0]?.performanceId}`)).toHaveLength(1);
  });

  test('a control by barcode admits once', async () => {
    const { id, performanceId } = await issueAndPrint(fixture);
    const { barcode } = await fixture.ticket(id);
    expect((await send('POST', '/control', { barcode })).status).toBe(200);
    expect(await listScans(fixture, `performanceId=${performanceId}`)).toHaveLength(1);
  });

  test('a batch of scans admits each ticket once', async () => {
    const { id, performanceId } = await issueAndPrint(fixture);
    const { barcode } = await fixture.ticket(id);
    const items = [{ nonce: 'gate-7.000123', barcode, gate: 'North', at: createScanClock()(3) }];
    const reply = await send('POST', '/controls', { items });
    expect(reply.data).toMatchObject({ items: [{ result: 'admitted' }] });
    expect(await listScans(fixture, `performanceId=${performanceId}`)).toHaveLength(1);
  });

  test.each([
    ['a replacement', 'POST', '/replacement', { reason: 'lost' }, 201],
    ['a change of the beneficiary of a printed ticket', 'PATCH', '', { beneficiary: { lastName: 'Haskil' } }, 200],
  ])('%s makes one ticket', async (_what, method, path, body, status) => {
    const { order, id } = await issueAndPrint(fixture);
    const etag = (await fixture.call('GET', `${PATH}/${id}`)).headers.get('etag') ?? '';
    const reply = await send(method, `/${id}${path}`, body, etag);
    expect(reply.status).toBe(status);
    const { id: replacedBy } = readTicket(reply);
    expect(await fixture.ticket(id)).toMatchObject({ status: 'invalidated', replacedBy });
    expect((await fixture.facts(order.orderId)).map(({ type }) => type)).toEqual(['ticket.replaced']);
  });

  test('a print of an order prints each ticket once', async () => {
    const order = await issueOrder(fixture);
    expect((await send('POST', '/printing', { orderId: order.orderId })).status).toBe(200);
    const id = getFirstTicketId(order);
    expect([(await fixture.ticket(id)).status, await versionOf(id)]).toEqual(['printed', 2]);
  });

  test('a refusal is the same for all, and one scan', async () => {
    const order = await issueOrder(fixture);
    expect((await send('POST', `/${getFirstTicketId(order)}/control`, {})).body.status).toBe('ticket_not_printed');
    expect(await listScans(fixture, `performanceId=${order.tickets[0]?.performanceId}`)).toHaveLength(1);
  });
});
