import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mailsCollection } from '../../src/store.ts';
import { engines, openFixture, waitUntil } from '../fixture/fixture.ts';
import {
  announce,
  createAnnouncement,
  endPauses,
  openMailing,
  type Received,
  readCalendars,
  readDocument,
  readHeaders,
  readHtml,
  readLink,
  readText,
  sell,
} from './fixture.ts';

describe.each(engines)('mails follow from facts, on $name', (engine) => {
  const fixture = useFixture(() => openMailing({ engine }));

  const stored = () => fixture.store.collection(mailsCollection).of('opera').find();
  /** Waits until nothing is left to be sent; the mails to an address. */
  const sentTo = async (address: string): Promise<readonly Received[]> => {
    await waitUntil(async () => (await stored()).every(({ state }) => state !== 'waiting'));
    return fixture.server.received.filter(({ to }) => to === address);
  };
  let email: string;
  beforeEach(() => {
    email = `${randomUUID()}@example.org`;
  });

  test('a purchase leads to one mail with texts, tickets and headers, however often its fact comes', async () => {
    const { id, order } = await sell(fixture, { email, itemCount: 2 });
    const fact = createAnnouncement(fixture, id, 'order.confirmed');
    await Promise.all([fixture.deliver('order.recorded', fact), fixture.deliver('order.recorded', fact)]);
    const [mail, ...others] = await sentTo(email);
    await fixture.deliver('order.recorded', fact);
    expect([...others, ...(await sentTo(email)).slice(1)]).toEqual([]);
    if (!mail) throw new Error('no mail came');
    const [stored1] = (await stored()).filter(({ orderId }) => orderId === id);
    const headers = readHeaders(mail);
    expect(headers).toMatch(/^Message-ID: <mail_[\w-]+@[\w.-]+\.example>$/m);
    expect(headers).toContain(`Message-ID: <${stored1?.id}@`);
    for (const header of ['Auto-Submitted: auto-generated', 'Content-Language: fr', `To: Ana Martin <${email}>`])
      expect(headers.split('\r\n')).toContain(header);
    expect(headers).toMatch(/^Date: /m);
    expect(headers).not.toMatch(/^(X-Mailer|List-|Bcc)/im);
    expect(mail.from).toBe(`tickets@${fixture.pointOfSale.serviceHost}`);
    expect(readText(mail)).toContain('Bonjour Ana Martin,');
    expect(readText(mail)).toContain('Pièce');
    const shown = await fixture.call('GET', '/order-links/current', {
      version: 'vexp',
      headers: { 'x-order-link': new URL(readLink(mail)).hash.slice(1) },
    });
    expect(shown).toMatchObject({ status: 200, data: { id } });
    expect(readText(mail)).toMatch(/^Jeudi 1 mai 2031.*20:30, Main hall/m);
    expect(readText(mail)).toContain('- Parterre, A 1');
    // As the shop writes it.
    expect(readText(mail)).toMatch(/Total\u202f: 90\.00\sCHF/);
    expect(readDocument(mail)).toMatchObject({
      ticketIds: order.lines.map(({ ticketId }) => ticketId),
      languages: ['fr', 'en', 'de'],
      order: { number: order.number, buyer: 'Ana Martin' },
    });
    expect(readText(mail)).toContain(`votre commande ${order.number} `);
    for (const ending of ['pdf', 'ics'])
      expect(mail.raw).toContain(`Content-Disposition: attachment; filename=${order.number}.${ending}`);
    expect(stored1).toMatchObject({ state: 'sent', sealedLink: null, attempts: 0 });
    expect(stored1?.due).toBeUndefined();
    // The outbox keeps neither the address nor what the mail said.
    expect(JSON.stringify(stored1)).not.toContain('@');
  });

  /** An order of places that are described like this, each of another performance. */
  const sellAs = async (
    things: readonly {
      readonly performanceId?: string;
      readonly startDate?: string;
      readonly place?: object;
      readonly about: object;
    }[],
  ) => {
    const sale = await sell(fixture, { email, itemCount: things.length });
    for (const [index, line] of sale.order.lines.entries()) {
      const as = {
        performanceId: line.performanceId,
        ...things[index],
        about: { ...line.about, ...things[index]?.about },
      };
      Object.assign(line, as);
      Object.assign(fixture.tickets.tickets.get(line.ticketId ?? '') ?? {}, as);
    }
    return sale;
  };
  const named = (name: string) => ({ product: { fr: name }, seatCategory: { fr: name } });
  const goods = { performanceId: 'prf_closed', about: { ...named('Livret'), productType: 'goods' } };
  const confirmationOf = async ({ id }: { readonly id: string }): Promise<Received & { readonly text: string }> => {
    await announce(fixture, id, 'order.confirmed');
    const mail = (await sentTo(email)).at(-1);
    if (!mail) throw new Error('no mail came');
    return { ...mail, text: readText(mail).replaceAll('\r\n', '\n').replaceAll('\u00a0', ' ') };
  };

  test('each thing of an order speaks for itself: evenings, what is valid for a while, goods', async () => {
    const pass = fixture.catalog.show({ type: 'pass' });
    Object.assign(pass.product, { endDate: '2031-06-30T22:00:00.000Z' });
    fixture.catalog.touch(pass);
    // What the catalogue says now wins.
    const about = { ...named('Amis'), productType: 'pass', validUntil: '2031-05-31T22:00:00.000Z' };
    const { performanceId } = pass;
    const closed = { performanceId: 'prf_ended', about: { ...about, ...named('Club') } };
    const mail = await confirmationOf(
      await sellAs([
        { place: { id: 'plc_a1', label: 'A-1', row: 'A', seat: 1 }, about: {} },
        { performanceId, about },
        closed,
        goods,
        goods,
      ]),
    );
    const { text } = mail;
    expect(text).toMatch(
      /^Pièce\nJeudi 1 mai 2031 à 20:30, Main hall\n- Parterre, Rang A, place 1, Tarif de la vente\u202f: 45.00 CHF$/m,
    );
    for (const lines of [
      'Amis\nValable du 1 mai 2031 au 30 juin 2031, Main hall\n- 1 × Tarif de la vente\u202f: 45.00 CHF\n\n',
      'Club\nValable du 1 mai 2031 au 31 mai 2031, Main hall\n- 1 × Tarif de la vente\u202f: 45.00 CHF\n\n',
      'Livret\n- 2 × Tarif de la vente\u202f: 90.00 CHF\n\nTotal\u202f: 225.00 CHF\n\nVous trouvez ci-joint le code pour\u202f: Pièce, Amis, Club, Livret.',
    ])
      expect(text).toContain(lines);
    expect(readCalendars(mail).map(({ text }) => text.match(/^SUMMARY:.*$/gm))).toEqual([['SUMMARY:Pièce']]);
  });

  test('a date is that of the venue, by the zone data of the product; a time that comes twice names its offset', async () => {
    const at = (startDate: string, timeZone: string) => ({
      ...{ performanceId: `prf_${startDate}`, startDate },
      about: { timeZone, venue: { name: timeZone, city: null } },
    });
    const { text } = await confirmationOf(
      await sellAs([
        at('2027-01-01T00:30:00.000Z', 'America/New_York'),
        at('2026-12-31T15:00:00.000Z', 'Asia/Tokyo'),
        at('2026-12-12T00:30:00.000Z', 'America/Winnipeg'),
        at('2031-10-26T00:30:00.000Z', 'Europe/Zurich'),
        at('2031-10-26T01:30:00.000Z', 'Europe/Rome'),
      ]),
    );
    for (const line of [
      'Jeudi 31 décembre 2026 à 19:30, America/New_York',
      'Vendredi 1 janvier 2027 à 00:00, Asia/Tokyo',
      'Vendredi 11 décembre 2026 à 19:30, America/Winnipeg',
      'Dimanche 26 octobre 2031 à 02:30 (UTC+2), Europe/Zurich',
      'Dimanche 26 octobre 2031 à 02:30 (UTC+1), Europe/Rome',
    ])
      expect(text.split('\n')).toContain(line);
  });

  test('an order of goods speaks of no tickets, in each language, and has no date', async () => {
    for (const [language, words] of [
      ['fr', /billet|soir|représentation/i],
      ['de', /karte|ticket|abend|vorstellung/i],
      ['en', /ticket|evening|performance/i],
    ] as const) {
      email = `${randomUUID()}@example.org`;
      const sale = await sellAs([goods]);
      fixture.contacts.contact(sale.contactNumber, { language, email });
      const { text, raw } = await confirmationOf(sale);
      expect(text.replaceAll(/https:\S+/g, '')).not.toMatch(words);
      expect(text).toContain('\n\nLivret\n- 1 × ');
      expect(text).not.toContain('2031');
      expect(raw).toContain(`filename=${sale.order.number}.pdf`);
      expect(raw).not.toContain('.ics');
    }
  });

  test('an order of a client, one that was never sold, and facts of long ago lead to none', async () => {
    const { id } = await sell(fixture, { email });
    const belongsTo = { clientIds: ['cli_partner'], pointOfSale: fixture.pointOfSale.serviceHost };
    await announce(fixture, id, 'order.confirmed', { belongsTo });
    const data = { contactNumber: 'C1', confirmedAt: null, cancellation: { requestedAt: new Date().toISOString() } };
    await announce(fixture, id, 'order.cancelled', { data });
    const old = { contactNumber: 'C1', confirmedAt: '2026-01-01T00:00:00.000Z' };
    await announce(fixture, id, 'order.confirmed', { data: old, again: true });
    await announce(fixture, id, 'order.changed');
    const gone = { clientIds: [], pointOfSale: 'gone.example' };
    await announce(fixture, id, 'order.confirmed', { belongsTo: gone });
    await fixture.deliver('performance.moved', { performanceId: 'prf_1', startDate: '2026-01-01T00:00:00.000Z' });
    expect((await stored()).filter(({ orderId }) => orderId === id)).toEqual([]);
  });

  test('the confirmation that the institution asks for is sent again, also of an order of a client, with a new link', async () => {
    const { id, contactNumber } = await sell(fixture, { email });
    const { serviceHost: pointOfSale } = fixture.pointOfSale;
    const requestedAt = new Date().toISOString();
    const request = { orderId: id, pointOfSale, contactNumber, kind: 'confirmation', requestedAt };
    await fixture.deliver('order.mail_requested', request, 5);
    await fixture.deliver('order.mail_requested', request, 5);
    await fixture.deliver('order.mail_requested', request, 6);
    const links = (await sentTo(email)).map(readLink);
    expect(new Set(links).size).toBe(2);
    expect(links).toHaveLength(2);
    const long = { ...request, requestedAt: '2026-01-01T00:00:00.000Z' };
    await fixture.deliver('order.mail_requested', long, 7);
    expect(await sentTo(email)).toHaveLength(2);
  });

  test('cancellations and refunds are told, each by its own text', async () => {
    const own = await sell(fixture, { email });
    own.order.state = 'cancelled';
    await announce(fixture, own.id, 'order.cancelled');
    const [cancelled] = await sentTo(email);
    expect(readHeaders(cancelled as Received)).toContain('annul');
    const lost = await sell(fixture, { email: `lost-${email}` });
    Object.assign(lost.order, { state: 'cancelled', performanceCancelled: true });
    await announce(fixture, lost.id, 'order.cancelled');
    const [gone] = await sentTo(`lost-${email}`);
    expect(readText(gone as Received)).toContain('est annulée, ainsi que votre commande');
    // Who decides about refunds is nothing that they say: some are made by themselves.
    for (const mail of [cancelled, gone])
      expect(readText(mail as Received)).toMatch(/^Un autre message vous dit ce qui vous est remboursé\.$/m);
    const refund = (id: string) => ({
      type: 'refund.recorded',
      resource: { type: 'refund', id },
      data: { orderId: lost.id, amount: 4_500, currency: 'CHF' },
    });
    for (const id of ['ref_1', 'ref_2', 'ref_1']) await announce(fixture, lost.id, '', refund(id));
    const refunds = (await sentTo(`lost-${email}`)).slice(1);
    expect(refunds.map(readText)).toEqual([
      expect.stringMatching(/45\.00\sCHF de votre commande/),
      expect.stringMatching(/45\.00\sCHF de votre commande/),
    ]);
    expect((await stored()).filter(({ kind }) => kind === 'refund')).toMatchObject(
      [1, 2].map(() => ({ contactNumber: lost.contactNumber })),
    );
  });

  test.each([
    ['fr', 'votre commande a donc expiré', 'reste confirmée'],
    ['de', 'darum ist Ihre Bestellung verfallen', 'bleibt bestätigt'],
    ['en', 'so your order has expired', 'stays confirmed'],
  ])('in %s money that goes back says whether it came too late or the order stays', async (language, late, stays) => {
    for (const [state, said, other] of [
      ['expired', late, stays],
      ['confirmed', stays, late],
    ] as const) {
      const address = `${language}-${state}-${email}`;
      const { id, contactNumber, order } = await sell(fixture, { email: address });
      fixture.contacts.contact(contactNumber, { email: address, language });
      order.state = state;
      const data = { orderId: id, amount: 4_500, currency: 'CHF' };
      await announce(fixture, id, '', { type: 'refund.recorded', resource: { type: 'refund', id: `ref_${id}` }, data });
      const text = readText((await sentTo(address)).at(-1) as Received);
      expect([text.includes(said), text.includes(other), text.includes('45')]).toEqual([true, false, true]);
    }
  });

  test.each([
    ['fr', 'est modifiée', 'Merci'],
    ['de', 'ist geändert', 'vielen Dank'],
    ['en', 'is changed', 'Thank you'],
  ])(
    'in %s an exchange leads to one mail with the tickets that are valid now, a return to none',
    async (language, said, thanks) => {
      const { id, contactNumber, order } = await sell(fixture, { email, itemCount: 2 });
      fixture.contacts.contact(contactNumber, { email, language });
      const [left, ...lines] = order.lines;
      const former = [{ ...left, changeId: 'chg_2', leftAt: new Date().toISOString() }];
      Object.assign(order, { lines, formerLines: former, version: 2 });
      const tell = (changeId: string, exchanged: object[]) =>
        announce(fixture, id, 'order.lines_changed', { data: { changeId, returned: [], exchanged, difference: 0 } });
      await tell('chg_1', []);
      for (const _ of [1, 2]) await tell('chg_2', [{ lineId: left?.id, newLineId: lines[0]?.id }]);
      const [mail, ...more] = await sentTo(email);
      const text = readText(mail as Received);
      expect([more, text.includes(said), text.includes(thanks)]).toEqual([[], true, false]);
      expect(readDocument(mail as Received)).toMatchObject({ ticketIds: [lines[0]?.ticketId] });
    },
  );

  test.each([
    ['fr', 'sont remboursés', 'a échoué', 'l’a encore'],
    ['de', 'werden Ihnen erstattet', 'ist fehlgeschlagen', 'liegt noch bei'],
    ['en', 'is refunded', 'could not be made', 'still has it'],
  ])('in %s a refund that fails later is told once, and truly', async (language, made, failed, there) => {
    const { id, contactNumber } = await sell(fixture, { email });
    fixture.contacts.contact(contactNumber, { email, language });
    const tell = (type: string, state: string, again = false) =>
      announce(fixture, id, type, {
        ...{ resource: { type: 'refund', id: `ref_${id}` }, again },
        data: { orderId: id, state, amount: 4_500, currency: 'CHF' },
      });
    await tell('refund.recorded', 'pending');
    await tell('refund.changed', 'done');
    const [first] = await sentTo(email);
    await tell('refund.changed', 'failed');
    await tell('refund.changed', 'failed');
    await tell('refund.changed', 'failed', true);
    const [, second, ...more] = (await sentTo(email)).map(readText);
    expect(more).toEqual([]);
    expect(readText(first as Received)).toContain(made);
    for (const words of [failed, there, '45']) expect(second).toContain(words);
    expect(second).not.toContain(made);
  });

  test('a refund that has failed before its mail goes is never told as made, whichever fact comes first', async () => {
    const { id, order } = await sell(fixture, { email });
    const resource = { type: 'refund', id: 'ref_early' };
    const data = { orderId: id, state: 'failed', amount: 4_500, currency: 'CHF' };
    order.failedRefunds = [resource.id];
    await announce(fixture, id, 'refund.changed', { resource, data });
    await announce(fixture, id, 'refund.recorded', { resource, data: { ...data, state: 'pending' } });
    expect((await sentTo(email)).map(readText)).toEqual([expect.stringContaining('a échoué')]);
    const mails = (await stored()).filter(({ orderId }) => orderId === id);
    expect(mails.toSorted((a, b) => a.kind.localeCompare(b.kind))).toMatchObject([
      { kind: 'refund', state: 'dropped', reason: 'outdated' },
      { kind: 'refund-failed', state: 'sent' },
    ]);
  });

  test('a confirmation that comes after the cancellation is not sent', async () => {
    const { id, order } = await sell(fixture, { email });
    order.state = 'cancelled';
    await announce(fixture, id, 'order.confirmed');
    expect(await sentTo(email)).toEqual([]);
    expect((await stored()).filter(({ orderId }) => orderId === id)).toMatchObject([
      { state: 'dropped', reason: 'outdated' },
    ]);
  });

  test('names and titles inject neither headers nor addresses of the web', async () => {
    const { id, contactNumber, order } = await sell(fixture, { email });
    fixture.contacts.contact(contactNumber, { firstName: 'Win at evil.example', lastName: 'Now', email });
    const title = { fr: 'Pièce\r\nBcc: evil@example.org\r\n\r\n<script>' };
    for (const line of order.lines) if (line.about) Object.assign(line, { about: { ...line.about, product: title } });
    for (const ticket of fixture.tickets.tickets.values())
      if (ticket.orderId === id) Object.assign(ticket, { about: { ...ticket.about, product: title } });
    const mail = await confirmationOf({ id });
    expect(mail.raw).not.toMatch(/^Bcc:/im);
    expect(mail.raw).not.toContain('evil.example');
    const [, htmlPart = ''] = mail.raw.split('Content-Type: text/html');
    expect(htmlPart).toContain('&lt;script&gt;');
    expect(htmlPart).not.toContain('<script>');
    expect(readText(mail)).toContain('Bonjour,');
  });

  test.each([
    [{ firstName: 'J.P.', lastName: 'Dupont' }, 'J.P. Dupont'],
    [{ firstName: 'J.P.Dupont', lastName: '' }, 'J.P. Dupont'],
    [{ firstName: 'Anna & Ben', lastName: 'Frei-Müller' }, 'Anna & Ben Frei-Müller'],
    [{ firstName: 'Louis', lastName: 'Martin 3rd' }, 'Louis Martin 3rd'],
    [{ firstName: '', lastName: 'Klasse 4b (Schule Süd)' }, 'Klasse 4b (Schule Süd)'],
    [{ firstName: 'R2D2', lastName: "O'Brien, Jr." }, "R2D2 O'Brien, Jr."],
    // Addresses of the web, numbers to call, and what else is no name.
    [{ firstName: 'Win at t.co', lastName: 'Now' }, undefined],
    [{ firstName: 'Go to 10.0.0.1', lastName: 'Now' }, undefined],
    [{ firstName: 'Call 0900 12 34', lastName: 'Now' }, undefined],
    [{ firstName: 'https://evil', lastName: 'Now' }, undefined],
    [{ firstName: 'ana@example', lastName: 'Now' }, undefined],
  ])('the buyer %j is greeted as %j', async (names, greeted) => {
    const { id, contactNumber } = await sell(fixture, { email });
    fixture.contacts.contact(contactNumber, { ...names, email });
    const [greeting] = (await confirmationOf({ id })).text.split('\n');
    expect(greeting).toBe(greeted === undefined ? 'Bonjour,' : `Bonjour ${greeted},`);
  });

  test('the button of a mail has words, and the address of the order is shown whole, with its secret part', async () => {
    const mail = await confirmationOf(await sell(fixture, { email }));
    const link = readLink(mail);
    const anchors = [...readHtml(mail).matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)];
    expect(anchors.map(([, href, shown]) => [href, shown])).toEqual([
      [link, 'Ouvrir votre commande'],
      [link, link],
    ]);
  });

  test('a moved performance is told to each of its buyers once, when their tickets show it', async () => {
    const email2 = `second-${email}`;
    const show = fixture.catalog.show();
    const { performanceId, seatCategoryId } = show;
    const [first, second, third] = [
      await sell(fixture, { email, first: { performanceId, seatCategoryId } }),
      await sell(fixture, { email: email2 }),
      await sell(fixture, { email: `third-${email}` }),
    ];
    for (const { order } of [second, third])
      order.lines = order.lines.map((line) => ({ ...line, performanceId: first.performanceId }));
    const startDate = '2031-05-03T18:30:00.000Z';
    for (const performance of show.product.performances) Object.assign(performance, { startDate });
    fixture.catalog.touch(show);
    const orders = [first, second, third].map(({ id }) => id);
    for (const ticket of fixture.tickets.tickets.values())
      if (orders.includes(ticket.orderId)) Object.assign(ticket, { startDate, performanceId: first.performanceId });
    const move = { performanceId: first.performanceId, startDate, timeZone: 'Europe/Zurich', venue: { name: 'Hall' } };
    await fixture.deliver('performance.moved', move, 7);
    await fixture.deliver('performance.moved', move, 7);
    const mails = await endPauses(fixture);
    expect(mails.map(({ orderId }) => orderId).sort()).toEqual(orders.sort());
    for (const { bulk, due } of mails) expect([bulk, Number(due?.sendToMany?.at) > Date.now()]).toEqual([true, true]);
    const [mail] = await sentTo(email2);
    expect(readText(mail as Received)).toMatch(/^Samedi 3 mai 2031.*20:30/m);
    expect(await sentTo(email)).toHaveLength(1);
  });

  test('a moved pass says when it is valid now, moved goods say nothing', async () => {
    const until = { validUntil: '2031-06-30T22:00:00.000Z' };
    const pass = { performanceId: 'prf_moved', about: { ...named('Amis'), productType: 'pass', ...until } };
    const [moved, others] = [await sellAs([pass]), await sellAs([{ ...goods, performanceId: 'prf_moved' }])];
    const [line] = moved.order.lines;
    await fixture.deliver('performance.moved', { performanceId: 'prf_moved', startDate: line?.startDate }, 2);
    await endPauses(fixture);
    const [mail, ...more] = await sentTo(email);
    expect(more).toEqual([]);
    expect(readText(mail as Received)).toMatch(/\r?\nAmis\r?\nValable du 1 mai 2031 au 30 juin 2031\r?\nMain hall/);
    expect(readText(mail as Received)).toContain('Ce que vous avez acheté est valable');
    expect((await stored()).find(({ orderId }) => orderId === others.id)).toMatchObject({ reason: 'goods' });
  });

  test('an erasure deletes the mails of a contact, waiting ones and sent ones, and none is sent after it', async () => {
    const { id, contactNumber } = await sell(fixture, { email });
    await announce(fixture, id, 'order.confirmed');
    expect(await sentTo(email)).toHaveLength(1);
    fixture.contacts.contact(contactNumber, { email: null, erasedAt: new Date().toISOString() });
    await fixture.deliver('contact.erased', { contactNumber });
    expect((await stored()).filter(({ orderId }) => orderId === id)).toEqual([]);
    await announce(fixture, id, 'order.confirmed');
    await waitUntil(async () => (await stored()).every(({ orderId }) => orderId !== id));
    expect(await sentTo(email)).toHaveLength(1);
  });
});

test('without MAIL_URL, and outside the demo data, no mail is written', async () => {
  const fixture = await openFixture();
  const { id } = await sell(fixture);
  await announce(fixture, id, 'order.confirmed');
  expect(await fixture.store.collection(mailsCollection).of('opera').count()).toBe(0);
  expect((await fetch(`${fixture.url}/shop/outbox`)).status).toBe(404);
  await fixture.close();
});
