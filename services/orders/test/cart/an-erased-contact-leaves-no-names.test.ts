import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { openStand, type Stand, until } from '../fixture/fixture.ts';
import { checkout, done, newCart, newContact, read, wish } from '../fixture/shopper.ts';

describe.each(engines)('an erased contact leaves no names in orders, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  const bought = async (contactNumber: string, paymentToken = 'ok') => {
    const { cart, path } = await newCart(stand, 1);
    const name = { requestId: 'a', beneficiaryFirstName: 'Clara', beneficiaryLastName: 'Haskil' };
    done(await wish(stand, `${path}/lines/${cart.lines[0]?.id}/change`, name));
    done(await checkout(stand, path, { contactNumber, paymentToken }));
    return path;
  };
  const nameIn = async (path: string) => (await read(stand, path)).lines[0]?.beneficiary;

  test('of those for whom it bought; of others nothing is dropped, and the order stays valid', async () => {
    const [erased, other] = [newContact(stand), newContact(stand)];
    const paths = [await bought(erased), await bought(erased, 'pending')];
    const kept = await bought(other);
    await stand.tell('contact.erased', { contactNumber: erased });
    await until(async () => (await Promise.all(paths.map(nameIn))).every((name) => name === null));
    expect(await nameIn(kept)).toEqual({ firstName: 'Clara', lastName: 'Haskil' });
    expect(await read(stand, String(paths[0]))).toMatchObject({ state: 'confirmed', contactNumber: erased });
    await stand.tell('contact.erased', { contactNumber: erased });
  });
});
