import type { About } from './about.ts';
import { layoutOf } from './layout.ts';

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text for an XML document: without the control characters that XML does not allow. */
const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, (one) => ESCAPED[one] ?? one)
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '');

/** The document of a ticket as SVG, without scripts, styles or references. Fonts are the reader's. */
export const svgOf = (about: About): Buffer => {
  const { width, height, texts, code } = layoutOf(about);
  const { side } = code.qr;
  const dots = code.qr.runs.map(({ x, y, width: run }) => `M${x} ${y}h${run}v1h-${run}z`).join('');
  const lines = texts.map(({ x, y, size, isBold, isGrey, fromRight, text }) => {
    // Its end is at the left.
    const direction = fromRight ? ' direction="rtl" text-anchor="end"' : '';
    const style = `${isBold ? ' font-weight="bold"' : ''}${isGrey ? ' fill="#555"' : ''}${direction}`;
    return `<text x="${x}" y="${y + size}" font-size="${size}"${style}>${escaped(text)}</text>`;
  });
  const { language } = about;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}pt" height="${height}pt" viewBox="0 0 ${width} ${height}" ` +
      `lang="${language}" xml:lang="${language}"><title>${escaped(about.title)}</title>` +
      `<rect width="${width}" height="${height}" fill="#fff"/>` +
      `<g font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif" fill="#000">${lines.join('')}</g>` +
      `<svg x="${code.x}" y="${code.y}" width="${code.side}" height="${code.side}" viewBox="0 0 ${side} ${side}" ` +
      `shape-rendering="crispEdges" role="img" aria-label="${escaped(about.code)}"><path d="${dots}" fill="#000"/></svg></svg>\n`,
  );
};
