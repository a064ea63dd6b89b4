// rule 4: `GET /tickets` gives the tickets of the connected user | services/pos/src/tickets/routes.ts
// rule 4: `GET /tickets/{ticket_id}` gives one ticket | services/pos/src/tickets/routes.ts
// rule 4: `PATCH /tickets/{ticket_id}` sets the beneficiary's names | services/pos/src/tickets/routes.ts
// rule 4: Rule 7: filters are query parameters, documented per endpoint | services/pos/src/tickets/routes.ts

import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';
import { asUser, shopperOf } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());
let token: string;
let ticketIds: string[];
beforeAll(async () => {
  const user = await fixture.user();
  token = await fixture.logIn(user);
  const { fill, buy } = shopperOf(fixture);
  await fill(token, { quantity: 3 });
  await buy(token, asUser(user));
  ticketIds = [...fixture.tickets.tickets.keys()];
});

test('the tickets of the login are a map by id, in pages', async () => {
  const { data, headers } = await fixture.call('GET', '/tickets?limit=2', { token });
  expect([Object.keys(data).length, headers.get('x-total-amount')]).toEqual([2, '3']);
  expect(headers.get('link')).toContain('offset=2&limit=2>; rel="next"');
  const [id = ''] = ticketIds;
  expect((await fixture.call('GET', `/tickets/${id}`, { token })).data).toMatchObject({
    id,
    status: 'not_printed',
    price: 4_500,
    currency: 'CHF',
    barcode: expect.any(String),
    beneficiaryFirstName: null,
  });
});

test('status is a filter, and an unknown one is 400', async () => {
  expect(Object.keys((await fixture.call('GET', '/tickets?status=printed', { token })).data)).toEqual([]);
  expect(Object.keys((await fixture.call('GET', '/tickets?status=not_printed', { token })).data)).toHaveLength(3);
  expect((await fixture.call('GET', '/tickets?status=torn', { token })).code).toBe('invalid_parameter');
});

test('the beneficiary can be set; for a printed ticket the answer is the replacing one', async () => {
  const [id = '', printed = ''] = ticketIds;
  const name = (ticketId: string, body: object) => fixture.call('PATCH', `/tickets/${ticketId}`, { token, body });
  const named = await name(id, { beneficiaryFirstName: 'Ana', beneficiaryLastName: 'Martin' });
  expect(named.data).toMatchObject({ id, beneficiaryFirstName: 'Ana', beneficiaryLastName: 'Martin' });
  expect((await name(id, { beneficiaryFirstName: null })).data.beneficiaryLastName).toBe('Martin');
  const trimmed = await name(id, { beneficiaryFirstName: ' Ana ', beneficiaryLastName: '' });
  expect(trimmed.data).toMatchObject({ beneficiaryFirstName: 'Ana', beneficiaryLastName: null });
  for (const blank of ['  ', '\u2800'])
    expect(await name(id, { beneficiaryFirstName: blank })).toMatchObject({ status: 400, code: 'validation_error' });
  fixture.tickets.setStatus(printed, 'printed');
  const replaced = await name(printed, { beneficiaryFirstName: 'Zoë' });
  expect([replaced.status, replaced.data.id === printed]).toEqual([200, false]);
});

test('a controlled ticket cannot be changed', async () => {
  const id = String(ticketIds[2]);
  fixture.tickets.setStatus(id, 'controlled');
  const { status, code } = await fixture.call('PATCH', `/tickets/${id}`, {
    token,
    body: { beneficiaryFirstName: 'A' },
  });
  expect([status, code]).toEqual([400, 'ticket_not_changeable']);
});

test('the ticket of another contact is 404', async () => {
  const stranger = await fixture.logIn(await fixture.user());
  const [id = ''] = ticketIds;
  const foreign = await fixture.call('GET', `/tickets/${id}`, { token: stranger });
  const unknown = await fixture.call('GET', '/tickets/tic_unknown', { token: stranger });
  expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  const body = { beneficiaryFirstName: 'Eve' };
  expect((await fixture.call('PATCH', `/tickets/${id}`, { token: stranger, body })).status).toBe(404);
  expect((await fixture.call('GET', '/tickets', { token: stranger })).data).toEqual({});
});
