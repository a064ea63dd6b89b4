import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findLogoProblems, LOGO_BYTES } from '../../src/points-of-sale/logo.ts';
import { changeReceipt } from '../../src/provisioning.ts';
import {
  buildItem,
  createShow,
  createStalls,
  createTariff,
  type Held,
  type Page,
  startCatalog,
} from '../fixture/service.ts';

describe('points of sale', () => {
  const catalog = useFixture(() => startCatalog());

  const base = '/svc/v3/catalog/points-of-sale';
  const body = () => ({
    serviceHost: `${randomUUID()}.example`,
    name: 'Web shop',
    languages: ['fr', 'en'],
    currency: 'CHF',
    tariffIds: [] as string[],
    paymentMethods: ['external', 'on_account'],
    maxPlacesPerOrder: 8,
    holdMinutes: 0.25,
  });

  test('creation, reading, listing; no origins means all', async () => {
    const wanted = body();
    const created = await catalog.call('POST', base, { body: wanted });
    expect([created.status, created.headers.get('location')]).toEqual([201, `${base}/${wanted.serviceHost}`]);
    expect(created.data).toMatchObject({ ...wanted, corsOrigins: [] });
    const upper = await catalog.call('GET', `${base}/${wanted.serviceHost.toUpperCase()}`);
    expect(upper.data).toEqual(created.data);
    const { items, asOf } = (await catalog.call<Page<object>>('GET', base)).data;
    expect([items, asOf]).toEqual([expect.arrayContaining([created.data]), expect.any(String)]);
    const again = await catalog.call('POST', base, { body: wanted });
    expect([again.status, again.body.status]).toEqual([409, 'point_of_sale_duplicate_host']);
  });

  test('another currency and unknown tariffs are 422; impossible numbers are 400', async () => {
    const status = async (more: object) => (await catalog.call('POST', base, { body: { ...body(), ...more } })).status;
    expect(await status({ currency: 'EUR' })).toBe(422);
    expect(await status({ tariffIds: ['trf_unknown'] })).toBe(422);
    for (const more of [
      { holdMinutes: 0 },
      { holdMinutes: -1 },
      { maxPlacesPerOrder: 0 },
      { maxPlacesPerOrder: 1.5 },
      { paymentMethods: ['cash'] },
      { languages: [] },
      { ticketDelivery: 'pigeon' },
      { corsOrigins: ['https://a.example/path'] },
      { corsOrigins: ['https://a.example\\path'] },
      { corsOrigins: ['https://who@a.example'] },
      { corsOrigins: ['https://a.example:99999'] },
      { corsOrigins: ['https://[::g]'] },
      { corsOrigins: ['https://übung.example'] },
      { serviceHost: 'not a host' },
    ]) {
      expect(await status(more)).toBe(400);
    }
  });

  test('tickets are electronic unless a point of sale prints them, also when the member is removed', async () => {
    const electronic = await catalog.call('POST', base, { body: body() });
    const printing = await catalog.call('POST', base, { body: { ...body(), ticketDelivery: 'print' } });
    expect([electronic.data.ticketDelivery, printing.data.ticketDelivery]).toEqual(['electronic', 'print']);
    const path = `${base}/${printing.data.serviceHost}`;
    const renamed = await catalog.call('PATCH', path, { body: { name: 'Kiosk' } });
    const removed = await catalog.call('PATCH', path, { body: { ticketDelivery: null } });
    expect([renamed.data.ticketDelivery, removed.data.ticketDelivery]).toEqual(['print', 'electronic']);
  });

  test('origins are stored as browsers send them, and can be written back', async () => {
    const corsOrigins = [
      'https://shop.example:443',
      'https://xn--bung-zra.example',
      'https://Shop.Example',
      'http://a:8080',
    ];
    const stored = ['https://shop.example', 'https://xn--bung-zra.example', 'http://a:8080'];
    const created = await catalog.call('POST', base, { body: { ...body(), corsOrigins } });
    expect([created.status, created.data.corsOrigins]).toEqual([201, stored]);
    const path = `${base}/${created.data.serviceHost}`;
    const back = await catalog.call('PATCH', path, { body: created.data });
    expect([back.status, back.data.corsOrigins]).toEqual([200, stored]);
    const patched = await catalog.call('PATCH', path, { body: { corsOrigins: ['http://b.example:80'] } });
    expect([patched.status, patched.data.corsOrigins]).toEqual([200, ['http://b.example']]);
  });

  test('PATCH merges: origins, tariffs, minutes; the host is read-only; If-Match is honoured', async () => {
    const wanted = body();
    const { data, headers } = await catalog.call('POST', base, {
      body: { ...wanted, corsOrigins: ['https://a.example'] },
    });
    const path = `${base}/${wanted.serviceHost}`;
    const tariff = await createTariff(catalog);
    expect((await catalog.call('PATCH', path, { body: { serviceHost: 'other.example' } })).status).toBe(422);
    const change = { tariffIds: [tariff.id], corsOrigins: null, holdMinutes: 2.5 };
    const patched = await catalog.call('PATCH', path, { body: change });
    expect(patched.data).toMatchObject({
      serviceHost: wanted.serviceHost,
      tariffIds: [tariff.id],
      corsOrigins: [],
      holdMinutes: 2.5,
      name: data.name,
    });
    const stale = { body: { name: 'x' }, headers: { 'If-Match': headers.get('etag') ?? '' } };
    expect((await catalog.call('PATCH', path, stale)).status).toBe(412);
    expect((await catalog.call('PATCH', path, { body: { currency: 'EUR' } })).status).toBe(422);
    expect((await catalog.call('PATCH', path, { body: { tariffIds: ['trf_unknown'] } })).status).toBe(422);
    expect((await catalog.call('PATCH', path, { body: patched.data })).status).toBe(200);
  });

  test('look and links are null until set, partly set, written back, and removed', async () => {
    const colours = { accent: '#8C1D18', ink: '#000000', paper: '#ffffff' };
    const logo = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9v9z"/></svg>';
    const created = await catalog.call('POST', base, { body: body() });
    expect([created.data.branding, created.data.links]).toEqual([null, null]);
    const path = `${base}/${created.data.serviceHost}`;
    const patch = async (change: object) => {
      const { status, data } = await catalog.call('PATCH', path, { body: change });
      return [status, data?.branding, data?.links];
    };
    const links = { terms: 'https://a.example/terms#sale', privacy: null, contact: 'mailto:box.office@a.example' };
    expect(await patch({ branding: { logo } })).toEqual([400, undefined, undefined]);
    expect(await patch({ branding: { colours }, links: { terms: links.terms, contact: links.contact } })).toEqual([
      200,
      { colours, logo: null },
      links,
    ]);
    expect(await patch({ branding: { logo } })).toEqual([200, { colours, logo }, links]);
    const read = (await catalog.call('GET', path)).data;
    expect(await patch(read)).toEqual([200, { colours, logo }, links]);
    expect(await patch({ branding: { logo: null }, links: { terms: null } })).toEqual([
      200,
      { colours, logo: null },
      { ...links, terms: null },
    ]);
    expect(await patch({ branding: null, links: null })).toEqual([200, null, null]);
  });

  test('the head of receipts is the own one, else that of the institution; null removes it and its members', async () => {
    const created = await catalog.call('POST', base, { body: body() });
    expect(created.data.receipt).toBeNull();
    const path = `${base}/${created.data.serviceHost}`;
    const patch = async (receipt: unknown) => {
      const { status, data } = await catalog.call('PATCH', path, { body: { receipt } });
      return [status, data?.receipt];
    };
    const found = async () =>
      (await catalog.call('GET', `/internal/points-of-sale/${created.data.serviceHost}`)).data.receipt;
    const house = { name: 'House', address: null, taxNumber: null };
    expect(await found()).toBeNull();
    await changeReceipt(catalog.store, catalog.institution, () => ({ name: ' House ' }));
    expect([await found(), (await catalog.call('GET', path)).data.receipt]).toEqual([house, null]);
    const own = { name: 'Shop Ltd', address: '1 High Street\r\nTown ', taxNumber: 'GB 1' };
    const stored = { ...own, address: '1 High Street\nTown' };
    expect(await patch({ address: own.address })).toEqual([400, undefined]);
    expect(await patch(own)).toEqual([200, stored]);
    expect(await found()).toEqual(stored);
    const back = await catalog.call('PATCH', path, { body: (await catalog.call('GET', path)).data });
    expect([back.status, back.data.receipt]).toEqual([200, stored]);
    expect(await patch({ taxNumber: null })).toEqual([200, { ...stored, taxNumber: null }]);
    expect(await patch(null)).toEqual([200, null]);
    expect(await found()).toEqual(house);

    // A hold keeps who sells.
    const show = await createShow(catalog, createStalls(2));
    const { serviceHost: pointOfSale } = created.data;
    await catalog.call('PATCH', path, { body: { tariffIds: [show.tariff.id], receipt: own } });
    const sellerOf = async (more: object) => {
      const requested = { holder: `ord_${randomUUID()}`, requestId: 'one', items: [buildItem(show)], ...more };
      const { data } = await catalog.call<Held>('POST', '/internal/stock/holds', { body: requested });
      return data.lines[0]?.about?.seller;
    };
    expect([await sellerOf({ pointOfSale }), await sellerOf({})]).toEqual([stored, house]);
  });

  test('addresses of the house are stored as browsers send them; null brings back the default', async () => {
    const created = await catalog.call('POST', base, { body: body() });
    const defaults = { returnUrls: [], refundCredit: true, imageHosts: [], frameAncestors: [], requireTerms: false };
    expect(created.data).toMatchObject(defaults);
    const path = `${base}/${created.data.serviceHost}`;
    const wanted = {
      returnUrls: ['https://Shop.Example:443', 'https://shop.example', 'https://shop.example:8443'],
      refundCredit: false,
      imageHosts: ['Images.Example:443', 'images.example', 'images.example:8443'],
      frameAncestors: ['https://www.Opera.example'],
      requireTerms: true,
    };
    const stored = {
      returnUrls: ['https://shop.example', 'https://shop.example:8443'],
      refundCredit: false,
      imageHosts: ['images.example', 'images.example:8443'],
      frameAncestors: ['https://www.opera.example'],
      requireTerms: true,
    };
    const written = await catalog.call('PATCH', path, { body: wanted });
    expect([written.status, written.data]).toEqual([200, expect.objectContaining(stored)]);
    const back = await catalog.call('PATCH', path, { body: written.data });
    expect([back.status, back.data]).toEqual([200, expect.objectContaining(stored)]);
    const none = Object.fromEntries(Object.keys(defaults).map((name) => [name, null]));
    expect((await catalog.call('PATCH', path, { body: none })).data).toMatchObject(defaults);
  });

  test.each([
    [{ returnUrls: ['http://shop.example'] }, '$.returnUrls[0]'],
    [{ returnUrls: ['https://shop.example/after'] }, '$.returnUrls[0]'],
    [{ returnUrls: ['https://*.example'] }, '$.returnUrls[0]'],
    [{ imageHosts: ['https://images.example'] }, '$.imageHosts[0]'],
    [{ imageHosts: ['images.example/pictures'] }, '$.imageHosts[0]'],
    [{ imageHosts: ['*.example'] }, '$.imageHosts[0]'],
    [{ imageHosts: ["images.example; script-src 'none'"] }, '$.imageHosts[0]'],
    [{ frameAncestors: ['*'] }, '$.frameAncestors[0]'],
    [{ frameAncestors: ["'self'"] }, '$.frameAncestors[0]'],
    [{ frameAncestors: ['http://www.opera.example'] }, '$.frameAncestors[0]'],
    [{ frameAncestors: Array.from({ length: 11 }, (_, n) => `https://a${n}.example`) }, '$.frameAncestors'],
    [{ requireTerms: 'yes' }, '$.requireTerms'],
    [{ receipt: { name: 'n'.repeat(201) } }, '$.receipt.name'],
    [{ receipt: { name: 'Two\nlines' } }, '$.receipt.name'],
    [{ receipt: { name: 'House', address: 'a'.repeat(501) } }, '$.receipt.address'],
    [{ receipt: { name: 'House', taxNumber: '1'.repeat(51) } }, '$.receipt.taxNumber'],
    [{ receipt: { name: 'House', vat: '1' } }, '$.receipt.vat'],
  ])('no origin or host of the web, no head of receipts: %j is 400', async (more, where) => {
    const { status, body: said } = await catalog.call('POST', base, { body: { ...body(), ...more } });
    expect([status, said.details]).toEqual([400, expect.stringContaining(where)]);
  });

  test.each([
    [400, { branding: { colours: { accent: 'red', ink: '#000000', paper: '#ffffff' } } }, '$.branding.colours.accent'],
    [400, { branding: { colours: { ink: '#000000', paper: '#ffffff' } } }, '$.branding.colours.accent'],
    [400, { links: { terms: 'http://a.example' } }, '$.links.terms'],
    [400, { links: { terms: 'mailto:a@a.example' } }, '$.links.terms'],
    [400, { links: { contact: 'mailto:a@a.example?bcc=b@b.example' } }, '$.links.contact'],
    [400, { links: { privacy: 'javascript:alert(1)' } }, '$.links.privacy'],
    [400, { links: { imprint: 'https://a.example' } }, '$.links.imprint'],
    [422, { branding: { colours: { accent: '#777777', ink: '#777777', paper: '#ffffff' } } }, '4.48'],
    [
      422,
      { branding: { colours: { accent: '#777777', ink: '#767676', paper: '#ffffff' }, logo: '<p/>' } },
      '$.branding.logo',
    ],
  ])('%d for %j, which names the member', async (status, change, named) => {
    const created = await catalog.call('POST', base, { body: { ...body(), ...change } });
    expect([created.status, created.body.details]).toEqual([status, expect.stringContaining(named)]);
  });
});

const svg = (inner: string, attributes = '') => `<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${inner}</svg>`;

const filled = (bytes: number, letter = 'a') => {
  const empty = svg('<title></title>');
  return svg(`<title>${letter.repeat((bytes - empty.length) / Buffer.byteLength(letter))}</title>`);
};

describe('a logo', () => {
  test.each([
    svg('<circle cx="8" cy="8" r="7" fill="#8c1d18"/>', ' viewBox="0 0 16 16"'),
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- drawn by hand -->\n${svg('<title>Opéra &amp; co &#233;</title>')}\n`,
    svg(
      '<defs><linearGradient id="g" href="#h"><stop offset="0" stop-color="rgb(1,2,3)"/></linearGradient></defs>' +
        '<g id="a" class="b" data-name="Layer 1" transform="translate(1 2) rotate(3)" clip-path="url(#c)">' +
        `<path d="M0 0h1v1z" style="fill:url('#g'); stroke : none;"/></g><text x="1">O</text>`,
      ' xmlns:xlink="http://www.w3.org/1999/xlink" width="10" height="10" role="img" aria-label="Opera (Geneva)"',
    ),
    filled(LOGO_BYTES),
  ])('may be drawn of shapes, text and gradients: %#', (text) => expect(findLogoProblems(text)).toEqual([]));

  test.each([
    ['a script', svg('<script>alert(1)</script>'), 'element script'],
    ['a script of another namespace', svg('<x:script xmlns:x="http://www.w3.org/2000/svg"/>'), 'element x:script'],
    ['upper case', svg('<SCRIPT/>'), 'element SCRIPT'],
    ['an event', svg('<rect/>', ' onload="alert(1)"'), 'attribute onload'],
    [
      'foreign content',
      svg('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'),
      'foreignObject',
    ],
    ['an image', svg('<image href="data:image/png;base64,"/>'), 'element image'],
    ['a link', svg('<a href="javascript:alert(1)"/>'), 'element a'],
    ['an animation', svg('<path d=""><set attributeName="href" to="javascript:alert(1)"/></path>'), 'element set'],
    ['repeated use', svg('<g id="a"/><use href="#a"/>'), 'element use'],
    ['a drawing within', svg(svg('')), 'element svg'],
    ['a reference to elsewhere', svg('<linearGradient href="https://a.example/#b"/>'), 'attribute href'],
    ['the same by XLink', svg('<linearGradient xlink:href="//a.example/#b"/>'), 'attribute xlink:href'],
    ['a URL of CSS', svg('<rect fill="url(https://a.example/)"/>'), 'attribute fill'],
    ['one after a harmless one', svg('<rect fill="url(#a) url( //a.example)"/>'), 'attribute fill'],
    ['one in disguise', svg('<rect fill="u\\72l(https://a.example/)"/>'), 'attribute fill'],
    ['one by a reference', svg('<rect fill="&#117;rl(//a.example)"/>'), 'attribute fill'],
    ['one in a style', svg('<rect style="fill:URL(//a.example)"/>'), 'attribute style'],
    ['a set of images', svg('<rect mask="image-set(//a.example)"/>'), 'attribute mask'],
    ['a property of pages', svg('<rect style="position:fixed"/>'), 'attribute style'],
    ['a style sheet', svg('<style>@import "//a.example";</style>'), 'element style'],
    ['a style sheet named before', `<?xml-stylesheet href="//a.example"?>${svg('')}`, 'processing instruction'],
    ['a DOCTYPE', `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${svg('<title>&b;</title>')}`, 'DOCTYPE'],
    ['an entity of HTML', svg('<title>&nbsp;</title>'), 'entity'],
    ['a CDATA section', svg('<title><![CDATA[<script>]]></title>'), 'CDATA'],
    ['a comment that ends early in HTML', svg('<!--><img src="x" onerror="alert(1)">-->'), 'comment'],
    ['a title that ends early in HTML', svg('<desc><title><g id="</title><img>"/></title></desc>'), 'attribute id'],
    ['a base', svg('', ' xml:base="https://a.example/"'), 'attribute xml:base'],
    ['another root', '<html xmlns="http://www.w3.org/1999/xhtml"/>', 'must be an element svg'],
    ['no namespace', '<svg/>', 'must be an element svg'],
    ['two roots', svg('') + svg(''), 'must be one SVG image'],
    ['an open end', svg('<g>'), 'well-formed'],
    ['no XML', 'GIF89a', 'well-formed'],
    ['nothing', ' ', 'must be one SVG image'],
    ['a comment alone', '<!-- -->', 'must be one SVG image'],
    ['20 KB and one byte', filled(LOGO_BYTES + 1), 'more than 20480 bytes'],
    ['20 KB of characters of two bytes', filled(LOGO_BYTES + 2, 'é'), 'more than 20480 bytes'],
  ])('has not %s', (_, text, problem) => expect(findLogoProblems(text).join()).toContain(problem));

  test('with many faults is refused in few lines', () => {
    const many = svg(Array.from({ length: 50 }, (_, index) => `<x${index}/>`).join(''));
    expect(findLogoProblems(many)).toHaveLength(5);
  });

  test('of any broken text is refused, not an exception', () => {
    const whole = svg('<!-- a --><g id="a"><path d="M0 0"/>&amp;</g>');
    const piece = fc.oneof(
      fc.constantFrom('<', '>', '&', '"', "'", '/', '!', '?', '<!', '<?', '<![CDATA[', ']]>', '-->'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(20), fc.array(piece, { maxLength: 5 }), (at, dropped, pieces) => {
        expect(findLogoProblems(whole.slice(0, at) + pieces.join('') + whole.slice(at + dropped))).toBeInstanceOf(
          Array,
        );
      }),
    );
  });
});
