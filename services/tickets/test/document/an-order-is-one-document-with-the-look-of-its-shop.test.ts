import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, expect, test } from '@jest/globals';
import { documentRequest, shopTicket } from '../../src/examples.ts';
import { type Instance, openFixture, toCodes } from '../fixture/service.ts';
import { addMembers, createConfirmedOrder, issueAndPrint, issueOrder, toCancelledOrder } from '../fixture/tickets.ts';
import { renderCodeOfSvg, renderPdfPages, scan } from './rendering.ts';

const fixture = useFixture(() => openFixture());

/** A printed order of three tickets, with its barcodes. */
const printedOrder = async (product = 'La Flûte enchantée') => {
  const about = { ...shopTicket.about, product: { fr: product } };
  const { order } = await issueAndPrint(fixture, addMembers(createConfirmedOrder(3), { about }));
  const ticketIds = order.tickets.map(({ ticketId }) => ticketId);
  const views = await Promise.all(ticketIds.map((id) => fixture.ticket(id)));
  return { order, ticketIds, barcodes: views.map(({ barcode }) => barcode) };
};

const logo = (more = '', viewBox = '0 0 40 20') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}"><rect width="40" height="20" fill="#00ff00"/>${more}</svg>`;
const branding = { colours: { accent: '#c9a227', ink: '#ffffff', paper: '#1d1b2e' }, logo: logo() };

let ticketIds: string[];
let barcodes: string[];
beforeAll(async () => {
  ({ ticketIds, barcodes } = await printedOrder());
});

const draw = async (more: object = {}, looks: object | null = branding, on: Instance = fixture) => {
  const pointOfSale = { name: 'Billetterie du Lac', branding: looks };
  const reply = await on.call('POST', '/internal/shop/documents', {
    body: { ...documentRequest, ticketIds, pointOfSale, ...more },
  });
  const { contentType, base64 } = (reply.data ?? {}) as { contentType: string; base64: string };
  return { reply, contentType, content: Buffer.from(base64 ?? '', 'base64') };
};

test('a page for each ticket, each with its code, its number, the order and its buyer', async () => {
  const { contentType, content } = await draw();
  expect(contentType).toBe('application/pdf');
  const pages = await renderPdfPages(content, 2);
  expect(await Promise.all(pages.map(scan))).toEqual(barcodes.map((barcode) => [barcode]));
  for (const [index, { text }] of pages.entries()) {
    const numbers = [`${index + 1}/3`, `place ${index + 1}`];
    for (const part of ['Billetterie du Lac', 'La Flûte', 'k3m9xqw7', 'Ana Martin', ...numbers])
      expect(text).toContain(part);
  }
}, 300_000);

test('the colours and the logo of the point of sale are on every page, the code stays black on white', async () => {
  const { content } = await draw();
  // The logo begins at the left margin, then name and number follow; the line is below.
  for (const { colourAt } of await renderPdfPages(content, 2))
    expect([colourAt(590, 10), colourAt(40, 24), colourAt(590, 49), colourAt(590, 60)]).toEqual([
      '#1d1b2e',
      '#00ff00',
      '#c9a227',
      '#ffffff',
    ]);
}, 300_000);

/** A group of ten times the one before, five times over. */
const bomb = Array.from({ length: 5 }, (_, n) => `<g id="a${n + 1}">${`<use href="#a${n}"/>`.repeat(10)}</g>`).join('');

test.each([
  ['without a look', null],
  ['without a logo', { ...branding, logo: null }],
  ['with a logo that is no SVG', { ...branding, logo: '<svg' }],
  ['with one without a size', { ...branding, logo: logo('', '0 0 0 0') }],
  ['with one that has a part that cannot be drawn', { ...branding, logo: logo('<image href="/etc/hostname"/>') }],
  ['with one whose parts multiply', { ...branding, logo: logo(`<g id="a0"><path d="M0 0h1"/></g>${bomb}`) }],
])(
  'a document %s has no logo',
  async (_what, looks) => {
    const { reply, content } = await draw({}, looks);
    expect(reply.status).toBe(200);
    const [page] = await renderPdfPages(content);
    expect(page?.text).toContain('Billetterie du Lac');
    expect(page?.colourAt(40, 24)).not.toBe('#00ff00');
  },
  300_000,
);

test('another instance gives the same bytes', async () => {
  const [first, second] = [await draw(), await draw({}, branding, await fixture.another())];
  expect(first.content.equals(second.content)).toBe(true);
}, 300_000);

test('letters of a logo are in the fonts of the product', async () => {
  const { content } = await draw({}, { ...branding, logo: logo('<text y="15" font-family="serif">Lac</text>') });
  expect(content.toString('latin1')).not.toContain('/BaseFont /Times');
  expect((await renderPdfPages(content))[0]?.text).toMatch(/^\s*Lac/);
}, 300_000);

test('a document is tagged: a section for each ticket, its code with an alternative text, the look an artifact', async () => {
  const { content } = await draw();
  const source = content.toString('latin1');
  expect(source.match(/\/S \/Sect\b/g)).toHaveLength(3);
  expect(source.match(/\/S \/Figure\b/g)).toHaveLength(3);
  expect(source).toContain('/Marked true');
}, 300_000);

test('tickets whose letters no font has are an SVG with all pages, the logo in it', async () => {
  const order = await printedOrder('\u{13000}\u{13001}');
  const { contentType, content } = await draw({ ticketIds: order.ticketIds });
  expect(contentType).toBe('image/svg+xml');
  const svg = content.toString();
  const codes = [...svg.matchAll(/<svg x=.*?<\/svg>/gs)].map(([code]) => code);
  expect(await Promise.all(codes.map((code) => scan(renderCodeOfSvg(code, 4))))).toEqual(
    order.barcodes.map((barcode) => [barcode]),
  );
  expect(svg.match(/href="data:image\/svg\+xml;base64,/g)).toHaveLength(3);
  expect(svg).not.toMatch(/<script|url\(|style=|href="(?!data:image\/svg\+xml)/);
}, 300_000);

test('one ticket that may not be shown refuses the document', async () => {
  const order = await issueOrder(fixture);
  const [unprinted = ''] = order.tickets.map(({ ticketId }) => ticketId);
  const codeOf = async (id: string) => toCodes((await draw({ ticketIds: [...ticketIds, id] })).reply);
  expect(await codeOf(unprinted)).toEqual([412, 'ticket_not_printed']);
  await fixture.deliver('order.cancelled', toCancelledOrder(order));
  expect(await codeOf(unprinted)).toEqual([412, 'ticket_cancelled']);
  expect(await codeOf('tic_unknown')).toEqual([404, 'not_found']);
});
