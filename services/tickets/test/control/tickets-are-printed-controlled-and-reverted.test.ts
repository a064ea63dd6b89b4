import { expect, test } from '@jest/globals';
import { firstOf, issued, printed } from '../fixture/orders.ts';
import { describeOnEachEngine, PATH, ticketOf } from '../fixture/service.ts';

describeOnEachEngine('tickets are printed, controlled and reverted', (fixture) => {
  const post = (id: string, action: string, body?: object, headers?: Record<string, string>) =>
    fixture.call('POST', `${PATH}/${id}/${action}`, { body, headers });
  const revert = (id: string, action: string, headers?: Record<string, string>) =>
    fixture.call('DELETE', `${PATH}/${id}/${action}`, { headers });

  test('not_printed → printed → not_printed', async () => {
    const id = firstOf(await issued(fixture));
    const first = await post(id, 'printing');
    expect([first.status, first.data]).toMatchObject([200, { status: 'printed', printedAt: expect.any(String) }]);
    expect((await post(id, 'printing')).status).toBe(412);
    expect(ticketOf(await revert(id, 'printing'))).toMatchObject({ status: 'not_printed', printedAt: null });
    expect((await revert(id, 'printing')).status).toBe(412);
    expect((await fixture.ticket(id)).barcode).toBe(ticketOf(first).barcode);
  });

  test('a second control is 409 with time and gate; after a revert the ticket can be controlled again', async () => {
    const { order, id } = await printed(fixture);
    const at = '2026-11-01T18:02:03.000Z';
    const reply = await post(id, 'control', { gate: 'North', at: '2026-11-01T19:02:03+01:00' });
    expect(reply.data).toMatchObject({ status: 'controlled', controlledAt: at, gate: 'North' });
    const again = await post(id, 'control');
    expect([again.status, again.body.status]).toEqual([409, 'ticket_already_controlled']);
    expect(again.body.details).toContain(at);
    expect(again.body.details).toContain('North');
    expect((await revert(id, 'printing')).status).toBe(412);
    expect(ticketOf(await revert(id, 'control'))).toMatchObject({ status: 'printed', controlledAt: null, gate: null });
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

  test('control is 412 if not printed, 422 in the future, 400 with a blank gate', async () => {
    const id = firstOf(await issued(fixture));
    const early = await post(id, 'control');
    expect([early.status, early.body.details]).toEqual([412, 'The ticket is not printed.']);
    await post(id, 'printing');
    expect((await post(id, 'control', { at: '2199-01-01T00:00:00Z' })).status).toBe(422);
    expect((await post(id, 'control', { gate: ' ' })).body.status).toBe('validation_error');
    expect((await post(id, 'control', { at: 5 })).body.status).toBe('bad_request');
  });

  test('of a hundred concurrent controls one succeeds', async () => {
    const { id } = await printed(fixture);
    const replies = await Promise.all(Array.from({ length: 100 }, () => post(id, 'control')));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(99);
  });

  test('every write checks If-Match before the status', async () => {
    const id = firstOf(await issued(fixture));
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
    const id = firstOf(await issued(fixture));
    const patch = (body: object) => fixture.call('PATCH', `${PATH}/${id}`, { body });
    const named = await patch({ beneficiary: { firstName: 'Ana', lastName: 'Martin' } });
    expect(named.data).toMatchObject({ id, beneficiary: { firstName: 'Ana', lastName: 'Martin' }, replacedBy: null });
    expect(ticketOf(await patch({ beneficiary: { firstName: null } })).beneficiary).toEqual({
      firstName: null,
      lastName: 'Martin',
    });
    const whole = await fixture.ticket(id);
    expect((await patch(whole)).headers.get('etag')).toBe('"3"');
    expect(ticketOf(await patch({ beneficiary: null })).beneficiary).toBeNull();
    expect((await patch({ beneficiary: { lastName: ' ' } })).body.status).toBe('validation_error');
    expect((await patch({ nonsense: 1 })).body.status).toBe('validation_error');
  });

  test('an unknown ticket is 404', async () => {
    expect((await post('tic_unknown', 'control')).status).toBe(404);
    expect((await post('tic_unknown_r3', 'control')).status).toBe(404);
    expect((await fixture.call('GET', `${PATH}/tic_unknown_r1`)).status).toBe(404);
  });
});
