import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';
import { checkout, done, newCart, newContact } from '../fixture/shopper.ts';

let fixture: Fixture;
beforeAll(async () => {
  const [engine] = engines;
  if (!engine) throw new Error('there is no engine');
  fixture = await openFixture(engine);
});
afterAll(() => fixture.close());

test('a tickets service that hangs delays one checkout, and the next ones skip the call', async () => {
  const contactNumber = newContact(fixture);
  const carts = await Promise.all(Array.from({ length: 6 }, () => newCart(fixture, 1)));
  const buy = async (path = '') =>
    expect(done(await checkout(fixture, path, { contactNumber }))).toMatchObject({ state: 'confirmed' });
  const issueCalls = () => fixture.tickets.calls.filter(({ operation }) => operation === 'issueTickets').length;
  fixture.tickets.mishaps.set('issueTickets', 'hangs after');
  const [first, ...others] = carts.map(({ path }) => path);
  await buy(first);
  expect(issueCalls()).toBe(1);
  for (const path of others) await buy(path);
  // After a timeout the next checkouts skip the call.
  expect(issueCalls()).toBe(1);
  fixture.tickets.mishaps.clear();
});
