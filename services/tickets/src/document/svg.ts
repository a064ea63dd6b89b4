import { type Content, formatTitle } from './about.ts';
import type { Band, Layout } from './layout/page.ts';
import { createLayouts } from './layout/tickets.ts';

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Pages one below the other, without scripts, styles or references but to the logo in it. Fonts are the reader's. */
export function drawSvg(content: Content): Buffer {
  const layouts = createLayouts(content);
  const width = Math.max(...layouts.map((layout) => layout.width));
  const height = layouts.reduce((sum, layout) => sum + layout.height, 0);
  let top = 0;
  const pages = layouts.map((layout, index) => {
    const page = drawPage(layout, content.pages[index]?.code ?? '');
    const placed = top === 0 ? page : `<g transform="translate(0 ${top})">${page}</g>`;
    top += layout.height;
    return placed;
  });
  const { language = 'en' } = content.pages[0] ?? {};
  const size = `width="${width}pt" height="${height}pt" viewBox="0 0 ${width} ${height}"`;
  const title = `<title>${escapeXml(formatTitle(content))}</title>`;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} lang="${language}" xml:lang="${language}">` +
      `${title}${pages.join('')}</svg>\n`,
  );
}

const drawPage = ({ width, height, band, texts, code }: Layout, label: string): string => {
  const lines = texts.map(({ x, y, size, room, isBold, isGrey, ink, fromRight, atEnd, text }) => {
    // The end of the text is at the left.
    const direction = fromRight ? ' direction="rtl" text-anchor="end"' : atEnd ? ' text-anchor="end"' : '';
    const colour = ink === undefined ? (isGrey ? ' fill="#555"' : '') : ` fill="${ink}"`;
    const style = `${isBold ? ' font-weight="bold"' : ''}${colour}${direction}`;
    return `<text x="${atEnd ? x + room : x}" y="${y + size}" font-size="${size}"${style}>${escapeXml(text)}</text>`;
  });
  return (
    `<rect width="${width}" height="${height}" fill="#fff"/>${band ? drawBand(band, width) : ''}` +
    `<g font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif" fill="#000">${lines.join('')}</g>${code ? drawCode(code, label) : ''}`
  );
};

const drawCode = (code: NonNullable<Layout['code']>, label: string): string => {
  const { side } = code.qr;
  const dots = code.qr.runs.map(({ x, y, width: run }) => `M${x} ${y}h${run}v1h-${run}z`).join('');
  return (
    `<svg x="${code.x}" y="${code.y}" width="${code.side}" height="${code.side}" viewBox="0 0 ${side} ${side}" ` +
    `shape-rendering="crispEdges" role="img" aria-label="${escapeXml(label)}"><path d="${dots}" fill="#000"/></svg>`
  );
};

/** Removes the control characters that XML does not allow. */
const escapeXml = (text: string): string =>
  text
    .replace(/[&<>"']/g, (one) => ESCAPED[one] ?? one)
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '');

const drawBand = ({ height, line, colours, logo }: Band, width: number): string => {
  const picture = logo
    ? `<image x="${logo.x}" y="${logo.y}" width="${logo.width}" height="${logo.height}" ` +
      `href="data:image/svg+xml;base64,${Buffer.from(logo.svg).toString('base64')}"/>`
    : '';
  return (
    `<rect width="${width}" height="${height}" fill="${colours.paper}"/>` +
    `<rect y="${height}" width="${width}" height="${line}" fill="${colours.accent}"/>${picture}`
  );
};
