import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, missing } from '../fixture/engines.ts';
import { confirmed, firstOf, issued, knowing, PATH, SHOP, shopTicketOf } from '../fixture/orders.ts';
import { type Fixture, openFixture } from '../fixture/service.ts';

const ana = { firstName: 'Ana', lastName: 'Martin' };
const eva = { firstName: 'Eva', lastName: 'Moreau' };

/** The call and the fact of the same confirmation; only the call knows who will come. */
const bought = () => {
  const fact = confirmed(1);
  return { fact, call: knowing(fact, { beneficiary: ana }) };
};

describe.each(engines)(`names may come after the fact that issued the tickets, on $name${missing}`, (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const shown = async (order: ReturnType<typeof confirmed>) =>
    shopTicketOf(await fixture.call('GET', `${SHOP}/${firstOf(order)}`));
  const byFact = (order: ReturnType<typeof confirmed>) => fixture.hear('order.confirmed', order, { version: 3 });

  test('a ticket without a name gets the one of the late call, printed or not, and stays the same ticket', async () => {
    for (const print of [false, true]) {
      const { fact, call } = bought();
      await byFact(fact);
      expect((await shown(fact)).beneficiary).toBeNull();
      if (print) expect((await fixture.call('POST', `${PATH}/${firstOf(fact)}/printing`)).status).toBe(200);
      await issued(fixture, call);
      expect(await shown(fact)).toMatchObject({ beneficiary: ana, status: print ? 'printed' : 'not_printed' });
    }
  });

  test('a name that was set meanwhile stays, and so does one that came first', async () => {
    const { fact, call } = bought();
    await byFact(fact);
    const changed = await fixture.call('PATCH', `${PATH}/${firstOf(fact)}`, { body: { beneficiary: eva } });
    expect(changed.status).toBe(200);
    await issued(fixture, call);
    expect((await shown(fact)).beneficiary).toEqual(eva);
    const other = bought();
    await issued(fixture, other.call);
    await byFact(other.fact);
    await issued(fixture, knowing(other.fact, { beneficiary: eva }));
    expect((await shown(other.fact)).beneficiary).toEqual(ana);
  });
});
