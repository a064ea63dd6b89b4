import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { checkout, done, newCart, newContact, read, shopPost } from '../fixture/shopper.ts';

describe.each(engines)('an erasure removes names from orders, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const bought = async (contactNumber: string, paymentToken = 'ok') => {
    const { cart, path } = await newCart(fixture, 1);
    const name = { requestId: 'a', beneficiaryFirstName: 'Clara', beneficiaryLastName: 'Haskil' };
    done(await shopPost(fixture, `${path}/lines/${cart.lines[0]?.id}/change`, name));
    done(await checkout(fixture, path, { contactNumber, paymentToken }));
    return path;
  };
  const nameIn = async (path: string) => (await read(fixture, path)).lines[0]?.beneficiary;

  test("the beneficiaries of the contact's orders are removed; other orders and the order itself stay", async () => {
    const [erased, other] = [newContact(fixture), newContact(fixture)];
    const paths = [await bought(erased), await bought(erased, 'pending')];
    const untouched = await bought(other);
    await fixture.deliver('contact.erased', { contactNumber: erased });
    await until(async () => (await Promise.all(paths.map(nameIn))).every((name) => name === null));
    expect(await nameIn(untouched)).toEqual({ firstName: 'Clara', lastName: 'Haskil' });
    expect(await read(fixture, String(paths[0]))).toMatchObject({ state: 'confirmed', contactNumber: erased });
    await fixture.deliver('contact.erased', { contactNumber: erased });
  });
});
