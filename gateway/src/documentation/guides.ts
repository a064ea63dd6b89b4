import { posix } from 'node:path';
import { html } from '@boxoffice/pages';

export const DOCS = '/docs';

export interface Entry {
  /** The path after `/docs`; empty for the reference of the institution API. */
  readonly path: string;
  readonly label: string;
  /** The path from the root of the repository; undefined for a page that is no guide. */
  readonly file?: string;
}

interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

const guide = (path: string, file: string, label: string): Entry => ({ path: `/${path}`, file, label });

const decision = (page: string, label: string): Entry => guide(`decisions-${page}`, `docs/decisions/${page}.md`, label);

export const sections: readonly Section[] = [
  {
    title: 'Reference',
    entries: [
      { path: '', label: 'Institution API' },
      { path: '/pos', label: 'Point-of-sale API' },
      { path: '/pos/vexp', label: 'Point-of-sale API, experimental' },
      guide('errors', 'docs/guides/errors.md', 'Errors'),
      guide('limits', 'docs/guides/limits.md', 'Limits'),
      guide('versions', 'docs/guides/versions.md', 'Versions'),
      guide('changes', 'docs/guides/changes.md', 'Changes'),
    ],
  },
  {
    title: 'First steps',
    entries: [
      guide('demo', 'docs/guides/demo.md', 'The demo data'),
      guide('token', 'docs/guides/token.md', 'Getting a token'),
      guide('sale', 'docs/guides/sale.md', 'Selling in one call'),
      guide('client', 'libs/client/README.md', 'The client package'),
    ],
  },
  {
    title: 'Guides',
    entries: [
      guide('season', 'docs/guides/season.md', 'Making a season'),
      guide('taxes-and-fees', 'docs/guides/taxes-and-fees.md', 'Taxes and fees'),
      guide('codes', 'docs/guides/codes.md', 'Codes'),
      guide('cards', 'docs/guides/cards.md', 'Take cards in ten minutes'),
      guide('payments', 'docs/payments.md', 'Payments by a provider'),
      guide('reservations', 'docs/guides/reservations.md', 'Reservations and invoices'),
      guide('after-sale', 'docs/guides/after-sale.md', 'After the sale'),
      guide('door', 'docs/guides/door.md', 'The door'),
      guide('mirror', 'docs/guides/mirror.md', 'Mirroring a catalogue'),
      guide('webhooks', 'docs/webhooks.md', 'Webhooks'),
      guide('api-keys', 'docs/api-keys.md', 'API keys and usage'),
      guide('sign-in', 'docs/sign-in.md', 'Signing users in'),
      guide('point-of-sale', 'docs/point-of-sale.md', 'Building a web shop'),
    ],
  },
  {
    title: 'Background',
    entries: [
      guide('selling', 'docs/selling.md', 'Orders and stock'),
      guide('glossary', 'docs/glossary.md', 'Glossary'),
    ],
  },
  {
    title: 'Decisions',
    entries: [
      guide('decisions', 'docs/decisions.md', 'By subject'),
      decision('institution-api', 'Institution API'),
      decision('bounds-and-roles', 'Bounds, roles, users'),
      decision('catalogue', 'Catalogue, places, dates'),
      decision('orders', 'Orders and money'),
      decision('tickets', 'Tickets and the door'),
      decision('events', 'Events and webhooks'),
      decision('point-of-sale', 'Point-of-sale API'),
      decision('shop-and-mails', 'The shop and its mails'),
      decision('operating', 'Operating, teams’ services'),
    ],
  },
];

export type Guide = Entry & { readonly file: string };

const isGuide = (entry: Entry): entry is Guide => entry.file !== undefined;

export const guides: readonly Guide[] = sections.flatMap(({ entries }) => entries).filter(isGuide);

const paths = new Map(guides.map(({ path, file }) => [file, `${DOCS}${path}`]));

/** Links to what is in the repository only are their text, images are left out, and HTML is shown as text. */
export async function render(file: string, text: string) {
  const { Marked } = await import('marked');
  let title = '';
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
        if (depth === 1) title ||= plain;
        return `<h${depth} id="${toAnchor(plain)}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = findTarget(file, href);
        return target === undefined ? inner : html`<a href="${target}">${{ html: inner }}</a>`.html;
      },
      image: () => '',
      html: ({ text: raw }) => html`${raw}`.html,
    },
  });
  const content = makeScrollable(await marked.parse(text));
  return { title, content: { html: content } };
}

/** GitHub and GitLab make the same anchors, so that links work in the repository, too. */
const toAnchor = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Undefined for what is in the repository only. */
const findTarget = (file: string, href: string): string | undefined => {
  if (/^https?:/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = path === '' ? file : posix.join(posix.dirname(file), path);
  const found = paths.get(target);
  return found === undefined || anchor === undefined ? found : `${found}#${anchor}`;
};

/** Elements wider than the page scroll by themselves; the keyboard reaches them. */
const makeScrollable = (text: string): string =>
  text
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">');
