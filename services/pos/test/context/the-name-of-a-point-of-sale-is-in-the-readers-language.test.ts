import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { waitUntil } from '../fixture/fixture.ts';
import { decodeShownContent } from '../fixture/others.ts';
import { createShopper, createUserCheckout } from '../fixture/shopper.ts';
import { announce, openMailing, readCalendars, readDocument, readHeaders, readHtml, sell } from '../mail/fixture.ts';

const NAMES = { fr: 'Billetterie', en: 'Box office', de: 'Kasse' } as const;

const fixture = useFixture(() => openMailing());

let host: string;
beforeAll(() => {
  ({ serviceHost: host } = fixture.catalog.pointOfSale({ ...fixture.pointOfSale, name: NAMES }));
});

const nameAt = async (serviceHost: string, query = '', headers = {}): Promise<unknown> =>
  (await fixture.call('GET', `/point-of-sale${query}`, { host: serviceHost, version: 'vexp', headers })).data.name;

describe('the point-of-sale API answers one name', () => {
  test.each([
    ['', {}, NAMES.fr],
    ['?lang=de-CH', {}, NAMES.de],
    ['', { 'accept-language': 'it, en;q=0.5' }, NAMES.en],
    ['?lang=it', { 'accept-language': 'en' }, NAMES.en],
  ])('%s with %j: %s', async (query, headers, expected) => {
    expect(await nameAt(host, query, headers)).toBe(expected);
  });

  test('without one in the language that of the next that the visitor accepts, else the first of all', async () => {
    const { serviceHost } = fixture.catalog.pointOfSale({ name: { it: 'Biglietteria', de: NAMES.de } });
    expect(await nameAt(serviceHost, '', { 'accept-language': 'fr, de;q=0.5' })).toBe(NAMES.de);
    const { serviceHost: foreign } = fixture.catalog.pointOfSale({ name: { it: 'Biglietteria', es: 'Taquilla' } });
    expect(await nameAt(foreign, '?lang=en')).toBe('Biglietteria');
  });

  test('a name without a language is that of every one', async () => {
    const { serviceHost } = fixture.catalog.pointOfSale({ name: 'Kiosk' });
    for (const lang of ['fr', 'en', 'de']) expect(await nameAt(serviceHost, `?lang=${lang}`)).toBe('Kiosk');
  });
});

test.each(Object.entries(NAMES))(
  'a shop in %s is called %s, in its title, its data and its calendars',
  async (lang, name) => {
    const { product } = fixture.catalog.show({ name: { fr: 'Pièce' } });
    let html = '';
    await waitUntil(async () => {
      html = await (await fetch(`${fixture.url}/shop/${host}/show/${product.id}?lang=${lang}`)).text();
      return html.includes('application/ld+json');
    });
    expect(html).toContain(`<title>Pièce · ${name}</title>`);
    expect(html).toContain(`<meta property="og:site_name" content="${name}">`);
    expect(html).toContain(`"organizer":{"@type":"Organization","name":"${name}"}`);
    const [, data = ''] = /<script type="application\/json" data-shop>(.*?)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(data)).toMatchObject({ name, organiser: { name } });
  },
);

test.each(Object.entries(NAMES))('a document in %s has the name %s', async (lang, name) => {
  const user = await fixture.user();
  const token = await fixture.logIn(user);
  const { fill, buy } = createShopper(fixture);
  await fill(token);
  const { id } = (await buy(token, createUserCheckout(user))).data;
  fixture.tickets.print(String(id));
  const { data } = await fixture.call('GET', `/orders/${id}/document?lang=${lang}`, { token, version: 'vexp' });
  expect(decodeShownContent(data.base64).pointOfSale).toEqual({ name, branding: null });
});

test.each(Object.entries(NAMES))('a mail in %s, with all that is in it, is from %s', async (language, name) => {
  const email = `${language}@example.org`;
  const { id, contactNumber } = await sell(fixture, { email });
  fixture.contacts.contact(contactNumber, { email, language });
  await announce(fixture, id, 'order.confirmed');
  const mailTo = () => fixture.server.received.find(({ to }) => to === email);
  await waitUntil(() => mailTo() !== undefined);
  const mail = mailTo();
  if (!mail) throw new Error('no mail came');
  const sender = name.includes(' ') ? `"?${name}"?` : name;
  expect(readHeaders(mail)).toMatch(new RegExp(`^From: ${sender} <tickets@${host}>$`, 'm'));
  expect(readHtml(mail)).toContain(name);
  for (const other of Object.values(NAMES).filter((one) => one !== name)) expect(readHtml(mail)).not.toContain(other);
  expect(readCalendars(mail).map(({ text }) => /ORGANIZER;CN="?([^":]+)"?:/.exec(text)?.[1])).toEqual([name]);
  expect(readDocument(mail).pointOfSale.name).toBe(name);
});
