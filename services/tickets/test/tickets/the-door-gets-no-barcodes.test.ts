// rule platform.1: the institution's tickets without `barcode` (absent) and without their documents (403) | services/tickets/src/tickets/answers.ts
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createBoxOfficeUser, describeOnEachEngine, door, PATH } from '../fixture/service.ts';
import { createConfirmedOrder, getFirstTicketId, issueOrder } from '../fixture/tickets.ts';

describeOnEachEngine('the door gets no barcodes', (fixture) => {
  const printed = async () => {
    const order = await issueOrder(fixture, createConfirmedOrder(1, null));
    const path = `${PATH}/${getFirstTicketId(order)}`;
    expect((await fixture.call('POST', `${path}/printing`)).status).toBe(200);
    const { barcode } = (await fixture.call('GET', path)).data;
    return { order, path, barcode: String(barcode) };
  };

  test('no answer to it has one, in lists, single tickets, statuses and controls', async () => {
    const { order, path, barcode } = await printed();
    const { performanceId } = (await fixture.call('GET', path)).data;
    const [of, scan] = [`performanceId=${performanceId}`, { nonce: randomUUID(), barcode }];
    const requests: readonly [string, string, object?][] = [
      ['GET', `${PATH}?orderId=${order.orderId}`],
      ['GET', `${PATH}?barcode=${encodeURIComponent(barcode)}`],
      ['GET', path],
      ['GET', `${PATH}/statuses?${of}`],
      ['GET', `${PATH}/admissions?${of}`],
      ['POST', `${PATH}/control`, { barcode }],
      ['DELETE', `${path}/control`],
      ['POST', `${path}/control`, {}],
      ['DELETE', `${path}/control`],
      ['POST', `${PATH}/controls`, { items: [scan] }],
      ['GET', `${PATH}/controls?${of}`],
    ];
    for (const [method, url, body] of requests) {
      const { status, text } = await fixture.call(method, url, { user: door, body });
      expect([method, url, status]).toEqual([method, url, 200]);
      expect(text).not.toContain(barcode);
      expect(text).not.toContain('"barcode"');
      expect(text).toContain('"');
    }
    // A box office gets it with the same request.
    expect((await fixture.call('GET', path, { user: createBoxOfficeUser() })).text).toContain(barcode);
  });

  test('no document is for it, whatever the ticket is', async () => {
    const { path } = await printed();
    for (const ticket of [path, `${PATH}/tic_0000000000000000`])
      expect((await fixture.call('GET', `${ticket}/document`, { user: door })).status).toBe(403);
    expect((await fixture.call('GET', `${path}/document`, { user: createBoxOfficeUser() })).status).toBe(200);
  });

  test('a remembered answer from before its role is not replayed', async () => {
    const { path, barcode } = await printed();
    const as = (user: typeof door) =>
      fixture.call('POST', `${path}/control`, { user, body: {}, headers: { 'idempotency-key': 'before the change' } });
    const other = { ...createBoxOfficeUser(), id: door.id };
    expect((await as(other)).text).toContain(barcode);
    const after = await as(door);
    expect([after.status, after.text.includes(barcode)]).toEqual([422, false]);
  });
});
