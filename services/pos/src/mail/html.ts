import { type Html, html } from '@boxoffice/pages';

/** How a house looks. */
export interface Look {
  /** The name above the text. */
  readonly name: string;
  readonly colours: { readonly accent: string; readonly ink: string; readonly paper: string };
}

/** Of a point of sale without colours of its own. */
export const PLAIN: Look['colours'] = { accent: '#7a1526', ink: '#1d1613', paper: '#ffffff' };

const BUTTON = 'display:inline-block;padding:12px 20px;border-radius:6px;text-decoration:none;font-weight:600';

/** A paragraph of text: its lines, escaped; the link, alone on a line, is a button. */
const paragraph = (text: string, link: string, { ink, paper }: Look['colours']): Html => {
  const lines = text.split('\n').map((line, index) => {
    const shown =
      link !== '' && line === link
        ? html`<a href="${link}" style="${BUTTON};color:${paper};background:${ink}">${link.split('#', 1)[0]}</a>`
        : html`${line}`;
    return html`${index > 0 && html`<br>`}${shown}`;
  });
  return html`<p style="margin:0 0 16px">${lines}</p>\n`;
};

/**
 * The same text as HTML, for mail programs: no tables, no images, nothing that is loaded from elsewhere. Everything is
 * escaped but the markup here.
 */
export const htmlOf = (
  { text, language }: { readonly text: string; readonly language: string },
  link: string,
  { name, colours }: Look,
): string => {
  const { accent, ink, paper } = colours;
  const page = `margin:0;padding:24px;background:${paper};color:${ink};font:16px/1.5 Helvetica,Arial,sans-serif`;
  const head = `margin:0 0 24px;padding:0 0 12px;border-bottom:3px solid ${accent};font-size:20px;font-weight:700`;
  return html`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title></head>
<body style="${page}">
<div style="max-width:600px;margin:0 auto">
<p style="${head}">${name}</p>
${text
  .trim()
  .split(/\n{2,}/)
  .map((part) => paragraph(part, link, colours))}</div>
</body>
</html>
`.html;
};
