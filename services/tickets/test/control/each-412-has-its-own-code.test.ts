import { expect, test } from '@jest/globals';
import { routes } from '../../src/app.ts';
import { createContext } from '../../src/context.ts';
import { cancelled, firstOf, issued, printed } from '../fixture/orders.ts';
import { describeOnEachEngine, PATH, SERVICE_SECRET } from '../fixture/service.ts';

describeOnEachEngine('each 412 has its own code', (fixture) => {
  const send = async (method: string, id: string, action: string, body?: object) => {
    const reply = await fixture.call(method, `${PATH}/${id}${action}`, { body });
    return [reply.status, reply.body.status];
  };

  test('printing a ticket of an unconfirmed order is 404, and order_not_confirmed is not described', async () => {
    expect(await send('POST', 'tic_of_no_confirmation', '/printing')).toEqual([404, 'not_found']);
    const { errors } =
      routes(createContext(fixture.store, SERVICE_SECRET)).find(({ id }) => id === 'printTicket') ?? {};
    expect(errors).toContain('ticket_cancelled');
    expect(errors).not.toContain('order_not_confirmed');
  });

  test('ticket_not_printed refuses control, replacement and roll-back', async () => {
    const id = firstOf(await issued(fixture));
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
    const one = await printed(fixture);
    await fixture.deliver('order.cancelled', cancelled(one.order));
    expect(await everything(one.id)).toEqual(Array(6).fill([412, 'ticket_cancelled']));
    const other = await printed(fixture);
    expect(await send('POST', other.id, '/replacement', {})).toEqual([201, 'success']);
    expect(await everything(other.id)).toEqual(Array(6).fill([412, 'ticket_invalidated']));
  });

  test('order_cancelled refuses to revert a control before the cancellation', async () => {
    const { order, id } = await printed(fixture);
    await send('POST', id, '/control', {});
    await fixture.deliver('order.cancelled', cancelled(order));
    expect(await send('DELETE', id, '/control')).toEqual([412, 'order_cancelled']);
  });

  test('a ticket can be written back as it was read in every status', async () => {
    const { order, id } = await printed(fixture);
    const back = async () => {
      const { data } = await fixture.call('GET', `${PATH}/${id}`);
      return send('PATCH', id, '', data as object);
    };
    expect(await back()).toEqual([200, 'success']);
    await send('POST', id, '/control', {});
    expect(await back()).toEqual([200, 'success']);
    await fixture.deliver('order.cancelled', cancelled(order, { override: true }));
    expect(await back()).toEqual([200, 'success']);
  });
});
