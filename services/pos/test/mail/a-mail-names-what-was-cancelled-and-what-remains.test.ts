// rule commerce.5: the mail names what was cancelled and what remains | services/pos/src/mail/values.ts
import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { mailsCollection } from '../../src/store.ts';
import { waitUntil } from '../fixture/fixture.ts';
import { about } from '../fixture/orders.ts';
import { endPauses, openMailing, readCalendars, readHeaders, readLink, readText, sell } from './fixture.ts';

describe('of an order whose performance is cancelled, and that has others', () => {
  const fixture = useFixture(() => openMailing());

  const title = (fr: string, en: string, de: string) => ({ about: { ...about, product: { fr, en, de } } });
  const gone = {
    performanceId: 'prf_gone',
    startDate: '2031-06-01T18:30:00.000Z',
    ...title('Ballet', 'Dance', 'Tanz'),
  };

  /** Its first line is returned by the change; the contact reads this language. */
  const returnLine = async (language: string) => {
    const email = `${randomUUID()}@example.org`;
    const { id, order, contactNumber } = await sell(fixture, { email, itemCount: 2 });
    fixture.contacts.contact(contactNumber, { email, language });
    const [line, ...lines] = order.lines;
    if (!line) throw new Error('nothing was sold');
    const ticket = fixture.tickets.tickets.get(String(line.ticketId));
    if (ticket) Object.assign(ticket, gone);
    const left = { ...line, ...gone, changeId: 'chg_1', leftAt: new Date().toISOString() };
    Object.assign(order, { lines, formerLines: [left], total: 4_500, version: 2 });
    const whose = { orderId: id, pointOfSale: fixture.pointOfSale.serviceHost, contactNumber };
    const requestedAt = new Date().toISOString();
    const tell = (version: number) => {
      const request = { ...whose, kind: 'lines_returned', changeId: 'chg_1', requestedAt };
      return fixture.deliver('order.mail_requested', request, version);
    };
    const stored = () =>
      fixture.store
        .collection(mailsCollection)
        .of('opera')
        .find({ where: { orderId: id } });
    const receive = async () => {
      await waitUntil(async () => (await stored()).every(({ state }) => state !== 'waiting'));
      return fixture.server.received.filter(({ to }) => to === email);
    };
    return { tell, stored, receive };
  };

  test.each([
    ['fr', 'Annulation', 'Ballet', 'Pièce', 'Le reste de votre commande ne change pas', 'ce qui vous est remboursé'],
    ['de', 'Abgesagt', 'Tanz', 'Pièce', 'Der Rest Ihrer Bestellung bleibt, wie er ist', 'Was Ihnen erstattet wird'],
    ['en', 'Cancelled', 'Dance', 'Play', 'The rest of your order remains as it is', 'what is refunded'],
  ])('in %s it names both, with what they cost, once', async (language, subject, cancelled, kept, rest, refund) => {
    const { tell, receive } = await returnLine(language);
    for (const version of [5, 5, 6]) await tell(version);
    const [mail, ...more] = await receive();
    if (!mail) throw new Error('no mail came');
    expect(more).toEqual([]);
    expect(readHeaders(mail)).toContain(`Content-Language: ${language}`);
    const text = readText(mail)
      .replaceAll('\r', '')
      .replaceAll(/[\u00a0\u202f]/g, ' ');
    const [before = '', after = ''] = text.split(rest);
    for (const words of [cancelled, refund]) expect(before).toContain(words);
    expect(before).toMatch(/2031.*20:30, Main hall\n- .*45\.00/);
    expect(before).not.toContain(kept);
    expect(after).not.toContain(cancelled);
    expect(after).toMatch(new RegExp(`\n${kept}\n.*2031.*20:30, Main hall\n- .*45\\.00`));
    expect(after).toMatch(/\nTotal ?: .*45\.00/);
    expect(readLink(mail)).not.toBe('');
    expect(mail.raw).toMatch(new RegExp(`^Subject: .*${subject}`, 'm'));
    // The calendar loses that evening alone.
    expect(readCalendars(mail)).toMatchObject([{ method: 'CANCEL', text: expect.stringContaining('prf_gone@') }]);
  });

  test('a move of what was cancelled since is not told', async () => {
    const email = `${randomUUID()}@example.org`;
    const { id, order } = await sell(fixture, { email, itemCount: 2 });
    const [line, ...lines] = order.lines;
    if (line) order.lines = [{ ...line, ...gone }, ...lines];
    await fixture.deliver('performance.moved', { performanceId: gone.performanceId, startDate: gone.startDate }, 7);
    order.lines = lines;
    await endPauses(fixture);
    const stored = () =>
      fixture.store
        .collection(mailsCollection)
        .of('opera')
        .find({ where: { orderId: id } });
    await waitUntil(async () => (await stored()).every(({ state }) => state !== 'waiting'));
    expect(await stored()).toMatchObject([{ kind: 'moved', state: 'dropped', reason: 'outdated' }]);
  });
});
