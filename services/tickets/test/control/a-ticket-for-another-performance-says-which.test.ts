import { expect, test } from '@jest/globals';
import type { SaleDescription } from '../../src/domain/ticket.ts';
import { shopTicket } from '../../src/examples.ts';
import { createTonight, openPhone } from '../door/phones.ts';
import { describeOnEachEngine, PATH } from '../fixture/service.ts';
import { addMembers, createConfirmedOrder, issueAndPrint } from '../fixture/tickets.ts';

describeOnEachEngine('a ticket for another performance says which', (fixture) => {
  const about = { ...shopTicket.about, product: { en: 'Carmen' }, timeZone: 'America/New_York' };
  const pass = { ...about, product: { en: 'Year pass' }, productType: 'pass', validUntil: '2032-01-01T05:00:00.000Z' };
  const sell = async (described: SaleDescription) => {
    const order = addMembers(createConfirmedOrder(), { about: described, startDate: '2031-01-01T00:30:00.000Z' });
    const { id, performanceId } = await issueAndPrint(fixture, order);
    return { id, barcode: (await fixture.ticket(id)).barcode, performanceId };
  };

  test.each([
    ['a show: name, day and time by the clock of its hall', about, { type: 'show', localEnd: null }],
    ['a pass: until when it is valid', pass, { type: 'pass', localEnd: '2032-01-01T00:00' }],
  ])('%s', async (_, described, expected) => {
    const [here, ticket] = [await sell(about), await sell(described)];
    const item = { nonce: `here-${ticket.id}`, barcode: ticket.barcode, performanceId: here.performanceId };
    const { data } = await fixture.call('POST', `${PATH}/controls`, { body: { items: [item] } });
    const { product: name, venue } = described;
    const performance = { name, venue, localStart: '2030-12-31T19:30', ...expected };
    expect(data.items).toMatchObject([{ reason: 'ticket_other_performance', performance }]);
    // The same when it is sent again, and on a phone.
    expect((await fixture.call('POST', `${PATH}/controls`, { body: { items: [item] } })).data).toEqual(data);
    const { evening } = await openPhone(fixture);
    await evening.choose(createTonight(here.performanceId), 'North');
    await evening.synchronise();
    expect(await evening.scan({ text: ticket.barcode })).toMatchObject({ isAlone: false, performance });
  });

  test('an answer about the performance at the door does not name it', async () => {
    const ticket = await sell(about);
    const item = { nonce: `own-${ticket.id}`, barcode: ticket.barcode, performanceId: ticket.performanceId };
    const { data } = await fixture.call('POST', `${PATH}/controls`, { body: { items: [item] } });
    expect(data.items).toMatchObject([{ result: 'admitted' }]);
    expect((data.items as object[])[0]).not.toHaveProperty('performance');
  });
});
