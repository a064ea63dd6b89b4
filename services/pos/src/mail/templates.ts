import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capitalise } from '@boxoffice/http';
import { type Html, html } from '@boxoffice/pages';
import type { PointOfSale } from '../clients/catalog.ts';

export const templateKinds = [
  'confirmation',
  'moved',
  'order-cancelled',
  'performance-cancelled',
  'lines-returned',
  'refund',
  'refund-failed',
  'link',
] as const;
export type TemplateKind = (typeof templateKinds)[number];

/** docs/mail.md describes them. */
export const placeholders = [
  'buyer',
  'pointOfSale',
  'number',
  'products',
  'lines',
  'returned',
  'fees',
  'total',
  'taxes',
  'seller',
  'details',
  'link',
  'attached',
  'tickets',
  'printed',
  'performance',
  'when',
  'where',
  'refund',
  'confirmed',
  'expired',
] as const;
export type Values = Readonly<Record<(typeof placeholders)[number], string>>;

interface Template {
  readonly subject: string;
  /** The text of the button that leads to the order; empty: its address. */
  readonly button: string;
  readonly body: string;
}

interface Texts {
  readonly subject: string;
  readonly button: string;
  readonly text: string;
}

/** A section is shown if its placeholder has a value (`#`) or has none (`^`); within it may be others. */
const SECTION = /\{\{([#^])(\w+)\}\}([\s\S]*?)\{\{\/\2\}\}/g;
const PLACEHOLDER = /\{\{(\w+)\}\}/g;

const MAX_LENGTH = 65_536;

/** `Subject: …`, perhaps `Button: …`, an empty line, the text. @throws {Error} saying what is wrong */
export function parseTemplate(file: string): Template {
  if (file.length > MAX_LENGTH) throw new Error(`it has more than ${MAX_LENGTH} characters`);
  const [, subject, button = '', body] =
    /^Subject: *(\S.*)\n(?:Button: *(\S.*)\n)?\n([\s\S]*\S)\s*$/.exec(
      file.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'),
    ) ?? [];
  if (subject === undefined || body === undefined)
    throw new Error('it must begin with a line "Subject: …" and an empty line, before the text');
  const whole = `${subject}\n${button}\n${body}`;
  const { text, names: sections } = unfoldSections(whole);
  const names = [...sections, ...[...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name)];
  for (const name of names)
    if (!isPlaceholder(name)) throw new Error(`{{${name}}} is unknown; there are ${placeholders.join(', ')}`);
  const [left] = text.replaceAll(PLACEHOLDER, '').match(/\{\{.*|\}\}/) ?? [];
  if (left !== undefined) throw new Error(`"${left.slice(0, 40)}" is no placeholder, and no section that ends`);
  return { subject, button, body };
}

const unfoldSections = (whole: string): { readonly text: string; readonly names: readonly string[] } => {
  const names = [...whole.matchAll(SECTION)].map(([, , name = '']) => name);
  if (names.length === 0) return { text: whole, names };
  const inner = unfoldSections(whole.replaceAll(SECTION, '$3'));
  return { text: inner.text, names: [...names, ...inner.names] };
};

const isPlaceholder = (name: string): name is keyof Values => placeholders.some((known) => known === name);

/** A line that only absent values leave empty vanishes; the subject is one line. */
export function fillTemplate({ subject, button, body }: Template, values: Values): Texts {
  return {
    subject: fillPlaceholders(subject, values).replaceAll(/\s+/g, ' ').trim(),
    button: fillPlaceholders(button, values).trim(),
    text: `${fillPlaceholders(
      body.replaceAll(/^\{\{when\}\}/gm, () => capitalise(values.when)),
      values,
    )
      .replaceAll(/[ \t]+$/gm, '')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim()}\n`,
  };
}

const fillPlaceholders = (text: string, values: Values): string =>
  chooseSections(text, values).replaceAll(PLACEHOLDER, (_, name: keyof Values) => values[name]);

const chooseSections = (text: string, values: Values): string =>
  text.replaceAll(SECTION, (_, sign: string, name: keyof Values, inner: string) =>
    (values[name] !== '') === (sign === '#') ? chooseSections(inner, values) : '',
  );

/** Finds the institution's template for a point of sale and a language, else the product's. */
export type FindTemplate = (
  serviceHost: string,
  languages: readonly string[],
  kind: TemplateKind,
) => { readonly template: Template; readonly language: string };

const PRODUCT = fileURLToPath(new URL('../../mail/', import.meta.url));

/** `<serviceHost>/<language>/<kind>.txt` of a folder; in the place of a useless one, `refused`, the product's. */
export function readTemplates(
  folder: string | undefined,
  refused: (file: string, reason: string) => void,
): FindTemplate {
  const product = readLanguages(PRODUCT, (file, reason) => {
    throw new Error(`${file}: ${reason}`);
  });
  const own = new Map<string, Template>();
  if (folder !== undefined && !existsSync(folder)) refused(folder, 'there is no such folder');
  else if (folder !== undefined)
    for (const host of foldersIn(folder)) {
      const read = readLanguages(join(folder, host), (file, reason) => refused(joinKey(host, file), reason));
      for (const [key, template] of read) own.set(joinKey(host.toLowerCase(), key), template);
    }
  return (serviceHost, languages, kind) => {
    for (const tag of [...languages, 'en']) {
      for (const language of new Set([tag.toLowerCase(), primary(tag)])) {
        const key = joinKey(language, kind);
        const template = own.get(joinKey(serviceHost, key)) ?? product.get(key);
        if (template) return { template, language: tag };
      }
    }
    throw new Error(`there is no template ${kind}`);
  };
}

const readLanguages = (folder: string, refused: (file: string, reason: string) => void) => {
  const found = new Map<string, Template>();
  for (const language of foldersIn(folder)) {
    for (const name of readdirSync(join(folder, language))) {
      const file = joinKey(language, name);
      const kind = templateKinds.find((known) => name === `${known}.txt`);
      try {
        if (!kind)
          throw new Error(
            `there is no such kind of mail; there are ${templateKinds.map((one) => `${one}.txt`).join(', ')}`,
          );
        found.set(joinKey(language.toLowerCase(), kind), parseTemplate(readFileSync(join(folder, file), 'utf8')));
      } catch (error) {
        refused(file, (error as Error).message);
      }
    }
  }
  return found;
};

const foldersIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory());

const joinKey = (...parts: readonly string[]): string => parts.join('/');

const primary = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? '';

interface Look {
  readonly name: string;
  /** Beside what a mail program shows without them. */
  readonly images: readonly { readonly url: string; readonly alt: string }[];
  readonly colours: NonNullable<PointOfSale['branding']>['colours'];
}

export const PLAIN: Look['colours'] = { accent: '#7a1526', ink: '#1d1613', paper: '#ffffff' };

const IMAGE = 'display:block;width:100%;height:auto;margin:0 0 16px';

const BUTTON = 'display:inline-block;padding:12px 20px;border-radius:6px;text-decoration:none;font-weight:600';

/** For mail programs: no tables, nothing loaded but the house's images. Everything is escaped but the markup here. */
export function renderHtml(
  { text, button, language }: Pick<Texts, 'text' | 'button'> & { readonly language: string },
  link: string,
  { name, colours, images }: Look,
): string {
  const { accent, ink, paper } = colours;
  const shownLink = linkIn(link, button, colours);
  const page = `margin:0;padding:24px;background:${paper};color:${ink};font:16px/1.5 Helvetica,Arial,sans-serif`;
  const head = `margin:0 0 24px;padding:0 0 12px;border-bottom:3px solid ${accent};font-size:20px;font-weight:700`;
  return html`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title></head>
<body style="${page}">
<div style="max-width:600px;margin:0 auto">
<p style="${head}">${name}</p>
${images.map(({ url, alt }) => html`<img src="${url}" alt="${alt}" style="${IMAGE}">\n`)}${text
  .trim()
  .split(/\n{2,}/)
  .map((part) => paragraph(part, link, shownLink))}</div>
</body>
</html>
`.html;
}

/** The whole address is below the button, to be copied. */
const linkIn = (link: string, button: string, { ink, paper }: Look['colours']): Html => {
  const address = html`<a href="${link}" style="font-size:13px;word-break:break-all;color:${ink}">${link}</a>`;
  if (button === '') return address;
  return html`<a href="${link}" style="${BUTTON};color:${paper};background:${ink}">${button}</a><br><br>${address}`;
};

/** An element takes the place of the link, alone on a line. */
const paragraph = (text: string, link: string, shownLink: Html): Html => {
  const lines = text.split('\n').map((line, index) => {
    const shown = link !== '' && line === link ? shownLink : html`${line}`;
    return html`${index > 0 && html`<br>`}${shown}`;
  });
  return html`<p style="margin:0 0 16px">${lines}</p>\n`;
};
