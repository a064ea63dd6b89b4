import { expect, test } from '@jest/globals';
import { type Call, describeOnEachEngine, type Order, type Reply } from '../fixture/fixture.ts';
import { pay } from '../fixture/orders.ts';
import { newContact } from '../fixture/shopper.ts';

const seller: Call = { scopes: ['orders:read', 'orders:write'] };
const privileged: Call = { scopes: ['orders:read', 'orders:write', 'orders.sensitive:write'] };

interface Quote {
  readonly refusals: readonly { readonly item: number | null; readonly status: string }[];
}

describeOnEachEngine('a tariff with a criterion is sold to a contact that meets it', (fixture) => {
  const open = () => {
    const hall = fixture.catalog.hall(9);
    const member = { ...hall.item(), tariffId: fixture.catalog.tariff(hall, 500, 'member') };
    return { hall, member, full: hall.item() };
  };
  const create = (items: readonly object[], contactNumber?: string, call: Call = seller): Promise<Reply> =>
    fixture.call('POST', '', { ...call, body: { items, ...(contactNumber && { contactNumber }) } });
  const name = ({ id }: Order, contactNumber: string | null, call: Call = seller) =>
    fixture.call('PATCH', `/${id}`, { ...call, body: { contactNumber } });

  const expectRefused = ({ status, code, details }: Reply) => {
    expect([status, code]).toEqual([422, 'order_tariff_not_accessible']);
    expect(details).toContain('member');
    expect(details).toContain('$.contactNumber');
  };

  test('a new order names one, or the token has orders.sensitive:write', async () => {
    const { hall, member, full } = open();
    for (const contact of [undefined, newContact(fixture), newContact(fixture, 'student')])
      expectRefused(await create([full, member], contact));
    expect(fixture.catalog.count(hall).held).toBe(0);
    expect((await create([full])).status).toBe(201);
    expect((await create([member], newContact(fixture, 'member'))).status).toBe(201);
    expect((await create([member], undefined, privileged)).status).toBe(201);
  });

  test('lines that are added need it of the contact of the order', async () => {
    const { hall, member, full } = open();
    const order = async (contact?: string) => (await create([full], contact)).data;
    const add = ({ id }: Order, call: Call = seller) =>
      fixture.call('POST', `/${id}/lines`, { ...call, body: { items: [member] } });
    const [nobodys, students, members] = [
      await order(),
      await order(newContact(fixture, 'student')),
      await order(newContact(fixture, 'member')),
    ];
    for (const one of [nobodys, students]) expectRefused(await add(one));
    expect(fixture.catalog.count(hall).held).toBe(3);
    expect([(await add(members)).status, (await add(nobodys, privileged)).status]).toEqual([201, 201]);
  });

  test('the order keeps such a contact, also once it is sold; not once it is cancelled', async () => {
    const { member } = open();
    const [first, second, none] = [
      newContact(fixture, 'member'),
      newContact(fixture, 'member', 'student'),
      newContact(fixture),
    ];
    const { data: order } = await create([member], first);
    const refusals = async () => {
      for (const contact of [null, none]) expectRefused(await name(order, contact));
    };
    await refusals();
    expect((await name(order, second)).status).toBe(200);
    await pay(fixture, `/${order.id}`, { amount: 500 });
    await refusals();
    // Another change leaves the contact alone, whatever became of it.
    fixture.contacts.criteria.set(second, []);
    const body = { contactNumber: second, externalReference: 'mine' };
    expect((await fixture.call('PATCH', `/${order.id}`, { ...seller, body })).status).toBe(200);
    expect((await name(order, none, privileged)).status).toBe(200);
    await fixture.call('POST', `/${order.id}/cancellation`);
    expect((await name(order, null)).status).toBe(200);
  });

  test('a line that is added while the contact changes is counted', async () => {
    const { member, full } = open();
    const [members, none] = [newContact(fixture, 'member'), newContact(fixture)];
    const { data: order } = await create([full], members);
    fixture.contacts.before.set('getContactInternally', async () => {
      fixture.contacts.before.clear();
      await fixture.call('POST', `/${order.id}/lines`, { ...privileged, body: { items: [member] } });
    });
    expectRefused(await name(order, none));
  });

  test('a quote names the items that need it', async () => {
    const { member, full } = open();
    const quote = async (contactNumber?: string, call: Call = seller) => {
      const body = { items: [full, member], ...(contactNumber && { contactNumber }) };
      const { data } = await fixture.call<Quote>('POST', '/quotes', { ...call, body });
      return data.refusals.map(({ item, status }) => [item, status]);
    };
    expect(await quote()).toEqual([[1, 'order_tariff_not_accessible']]);
    expect(await quote('C_unknown')).toEqual([
      [null, 'validation_error'],
      [1, 'order_tariff_not_accessible'],
    ]);
    expect([await quote(newContact(fixture, 'member')), await quote(undefined, privileged)]).toEqual([[], []]);
  });
});
