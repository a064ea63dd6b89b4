import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { createContext } from '../../src/context.ts';
import { issueOverdue, OVERDUE_MS } from '../../src/issue/overdue.ts';
import { confirmed, firstOf, issued, PATH, SHOP, shopTicketOf, withMembers } from '../fixture/orders.ts';
import { engines, openFixture, SERVICE_SECRET } from '../fixture/service.ts';

const ana = { firstName: 'Ana', lastName: 'Martin' };
const eva = { firstName: 'Eva', lastName: 'Moreau' };

/** The call and the event of the same confirmation; only the call has the name. */
const bought = () => {
  const event = confirmed(1);
  return { event, call: withMembers(event, { beneficiary: ana }) };
};

describe.each(engines)('names may come after the tickets were issued without them, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine));

  const shown = async (order: ReturnType<typeof confirmed>) =>
    shopTicketOf(await fixture.call('GET', `${SHOP}/${firstOf(order)}`));
  /** The event says that the call follows; it has not come in time, so the tickets are issued without it. */
  const byEvent = async (order: ReturnType<typeof confirmed>) => {
    await fixture.deliver('order.confirmed', { ...order, callFollows: true }, { version: 3 });
    const later = createContext(fixture.store, SERVICE_SECRET, () => Date.now() + 2 * OVERDUE_MS);
    await issueOverdue(later, { warn: () => undefined });
  };

  test('a late call names a ticket without a name in place, printed or not', async () => {
    for (const print of [false, true]) {
      const { event, call } = bought();
      await byEvent(event);
      expect((await shown(event)).beneficiary).toBeNull();
      if (print) expect((await fixture.call('POST', `${PATH}/${firstOf(event)}/printing`)).status).toBe(200);
      await issued(fixture, call);
      expect(await shown(event)).toMatchObject({ beneficiary: ana, status: print ? 'printed' : 'not_printed' });
    }
  });

  test('a name that was set before the late call stays', async () => {
    const { event, call } = bought();
    await byEvent(event);
    const changed = await fixture.call('PATCH', `${PATH}/${firstOf(event)}`, { body: { beneficiary: eva } });
    expect(changed.status).toBe(200);
    await issued(fixture, call);
    expect((await shown(event)).beneficiary).toEqual(eva);
    const other = bought();
    await issued(fixture, other.call);
    await byEvent(other.event);
    await issued(fixture, withMembers(other.event, { beneficiary: eva }));
    expect((await shown(other.event)).beneficiary).toEqual(ana);
  });
});
