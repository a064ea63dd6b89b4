import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { currentFacts } from '../../src/events.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { checkout, done, newCart, newContact, shopPost } from '../fixture/shopper.ts';

describe.each(engines)('the names of beneficiaries reach tickets by the direct call only, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const clara = { firstName: 'Clara', lastName: 'Haskil' };
  const document = (id: string) => fixture.context.orders.of('opera').get(id);
  const named = (orderId: string) =>
    fixture.tickets.calls.filter(
      ({ operation, body }) =>
        operation === 'issueTickets' &&
        (body as { orderId: string }).orderId === orderId &&
        JSON.stringify(body).includes(clara.lastName),
    ).length;

  const buyNamed = async (): Promise<string> => {
    const { cart, path } = await newCart(fixture);
    const name = { requestId: 'a', beneficiaryFirstName: clara.firstName, beneficiaryLastName: clara.lastName };
    done(await shopPost(fixture, `${path}/lines/${cart.lines[0]?.id}/change`, name));
    done(await checkout(fixture, path, { contactNumber: newContact(fixture) }));
    return cart.id;
  };

  test.each(['fails', 'lost', 'hangs after'] as const)(
    'after the mishap "%s" the call of tickets is repeated until it is acknowledged',
    async (how) => {
      fixture.tickets.mishaps.set('issueTickets', how);
      const id = await buyNamed();
      await fixture.later(20_000);
      expect((await document(id))?.namesDue).not.toBeNull();
      fixture.tickets.mishaps.clear();
      const before = named(id);
      // A service that hung is called again only after a pause.
      await until(async () => {
        await fixture.later(20_000);
        return (await document(id))?.namesDue === null;
      });
      const acknowledged = named(id);
      expect(acknowledged).toBeGreaterThan(before);
      // No further sweep repeats the call.
      await fixture.later(20_000);
      expect(named(id)).toBe(acknowledged);
    },
  );

  test('no event of the order contains a name', async () => {
    const id = await buyNamed();
    await fixture.later(20_000);
    const facts = fixture.facts.filter(({ key }) => key === id);
    expect(facts.map(({ type }) => type)).toContain('order.confirmed');
    expect(JSON.stringify(facts)).not.toContain(clara.lastName);
  });

  test('the event leaves the issue to the call while the order owes it, and only then', async () => {
    const noticesOf = (id: string) =>
      fixture.facts
        .filter(({ type, key }) => type === 'order.confirmed' && key === id)
        .map(({ data }) => (data as { callFollows?: boolean }).callFollows);
    const [named, unnamed] = [await buyNamed(), (await newCart(fixture)).path];
    done(await checkout(fixture, unnamed, { contactNumber: newContact(fixture) }));
    await until(async () => (await document(named))?.namesDue === null);
    // Tickets has the names: another buyer is told by the event alone.
    await fixture.call('PATCH', `/${named}`, { body: { contactNumber: newContact(fixture) } });
    await until(async () => noticesOf(named).length === 2);
    expect(noticesOf(named)).toEqual([true, undefined]);
    await until(async () => noticesOf(unnamed.split('/').at(-1) ?? '').length === 1);
    expect(noticesOf(unnamed.split('/').at(-1) ?? '')).toEqual([undefined]);
    const present = [];
    for await (const { type, key, data } of currentFacts.read(fixture.store))
      if (type === 'order.confirmed' && key === named) present.push((data as { callFollows?: boolean }).callFollows);
    expect(present).toEqual([undefined]);
  });
});
