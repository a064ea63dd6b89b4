import { posix } from 'node:path';
import { type Html, html } from '@boxoffice/pages';
import { DOCS, guides } from './guides.ts';

/** A rendered guide. */
interface Rendered {
  /** The text of its first heading. */
  readonly title: string;
  readonly content: Html;
}

/** The anchor of a heading, as GitHub and GitLab make it, so that links work in the repository, too. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const pathOf = new Map(guides.map(({ path, file }) => [file, `${DOCS}${path}`]));

/** Where a link of a file leads among the pages; undefined for what is in the repository only. */
const targetOf = (file: string, href: string): string | undefined => {
  if (/^https?:/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = path === '' ? file : posix.join(posix.dirname(file), path);
  const found = pathOf.get(target);
  return found === undefined || anchor === undefined ? found : `${found}#${anchor}`;
};

/** Tables and code wider than the page scroll by themselves; the keyboard reaches them. */
const scrollable = (text: string): string =>
  text
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">');

/**
 * Renders a Markdown file of the repository. Links to other pages lead there, links to what is in the repository only
 * are their text, images are left out, and HTML is shown as text.
 */
export const render = async (file: string, text: string): Promise<Rendered> => {
  const { Marked } = await import('marked');
  let title = '';
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
        if (depth === 1) title ||= plain;
        return `<h${depth} id="${anchorOf(plain)}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = targetOf(file, href);
        return target === undefined ? inner : html`<a href="${target}">${{ html: inner }}</a>`.html;
      },
      image: () => '',
      html: ({ text: raw }) => html`${raw}`.html,
    },
  });
  const content = scrollable(await marked.parse(text));
  return { title, content: { html: content } };
};
