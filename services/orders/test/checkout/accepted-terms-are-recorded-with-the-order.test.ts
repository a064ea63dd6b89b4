import { beforeAll, expect, test } from '@jest/globals';
import { describeOnEachEngine } from '../fixture/fixture.ts';
import { buyCart, createCart, createContact, requireDone } from '../fixture/orders.ts';

describeOnEachEngine('a checkout', (fixture) => {
  let contactNumber: string;
  beforeAll(() => {
    contactNumber = createContact(fixture, 'account');
  });

  test.each(['simulated', 'external', 'on_account'])('%s records that the buyer accepted the terms', async (method) => {
    const shown = async (more: object) => {
      const { path } = await createCart(fixture);
      const { id } = requireDone(await buyCart(fixture, path, { contactNumber, paymentMethod: method, ...more }));
      const { data } = await fixture.call('GET', `/svc/v3/orders/${id}`);
      return (data as { readonly termsAccepted?: boolean }).termsAccepted;
    };
    expect([await shown({ termsAccepted: true }), await shown({})]).toEqual([true, false]);
  });

  test('takes no refusal of the terms', async () => {
    const { path } = await createCart(fixture);
    const body = { requestId: 'r', contactNumber, paymentMethod: 'external', termsAccepted: false };
    expect((await fixture.shop('POST', `${path}/checkout`, { body })).status).toBe(400);
  });
});
