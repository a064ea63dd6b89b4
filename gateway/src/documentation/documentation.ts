import { EXAMPLE_HOST } from '@boxoffice/http';
import { type Html, html } from '@boxoffice/pages';
import { isHtmlPreferred } from '../exchange/answer.ts';
import { type Content, compress, createContent } from '../exchange/content.ts';
import { type AssetName, findAsset, readAsset, readGuide, readPackage } from './files.ts';
import { DOCS, type Guide, guides, render } from './guides.ts';
import { buildPageHeaders, type Layout, renderDocument } from './layout.ts';

export type Documentation = (path: string, accept: string | undefined) => Promise<Content | undefined>;

type Unstyled = Omit<Layout, 'styles' | 'scripts'> & {
  readonly styles?: readonly AssetName[];
  readonly scripts?: readonly AssetName[];
  /** Where the requests of a page with scripts may go. */
  readonly connect?: string;
};

const link = (path: string, text: string): Html => html`<a href="${DOCS}${path}">${text}</a>`;

interface Reference {
  /** The path after `/docs`. */
  readonly path: string;
  readonly title: string;
  readonly about: Html;
  readonly description: string;
}

const references: readonly Reference[] = [
  {
    path: '',
    title: 'Institution API',
    about: html`Every operation of ${link('/client', 'partners')}: programme, contacts, orders, tickets, events. Begin with
${link('/demo', 'the demo data')}, ${link('/token', 'a token')} and ${link('/sale', 'a sale in one call')}; ${link('/errors', 'every error code')} says
what to do. <a href="/openapi.json">OpenAPI 3.1</a>.`,
    description: '/openapi.json',
  },
  {
    path: '/pos',
    title: 'Point-of-sale API',
    about: html`Every operation of a ${link('/point-of-sale', 'web shop')}: programme, cart, checkout, the visitor’s orders and
tickets. It needs no token; every request names its point of sale in <code>X-Service-Host</code>. What is newer is in
${link('/pos/vexp', 'the experimental version')}. <a href="/tnwr/v1/openapi.json">OpenAPI 3.1</a>.`,
    description: '/tnwr/v1/openapi.json',
  },
  {
    path: '/pos/vexp',
    title: 'Point-of-sale API, experimental',
    about: html`The ${link('/pos', 'point-of-sale API')} with what has no stable form yet, and may change without notice: names in
carts and orders, ticket documents. <a href="/tnwr/vexp/openapi.json">OpenAPI 3.1</a>.`,
    description: '/tnwr/vexp/openapi.json',
  },
];

/** Guides name this address; readers see that of their installation, so that commands can be copied. */
const EXAMPLE = 'https://tickets.example.org';

/** `home`: where the root leads a browser to. */
export function createDocumentation(publicUrl: string, home: string): Documentation {
  // The page may have been opened at another address than the public one.
  const connect = `'self' ${new URL(publicUrl).origin}`;
  const makers = new Map<string, () => Promise<Content>>([
    ...references.map((one) => [`${DOCS}${one.path}`, () => renderReference(one, connect)] as const),
    [`${DOCS}/callback`, callback],
    [`${DOCS}/client.tgz`, clientPackage],
    ...guides.map((one) => [`${DOCS}${one.path}`, () => renderGuide(one, publicUrl)] as const),
  ]);
  const made = new Map<string, Promise<Content>>();

  const findPage = (path: string): Promise<Content> | undefined => {
    const make = made.has(path) ? undefined : makers.get(path);
    if (make) {
      const page = make();
      made.set(path, page);
      page.catch(() => made.delete(path));
    }
    return made.get(path);
  };

  return async (path, accept) => {
    if (path === '/') return isHtmlPreferred(accept) ? redirect(302, home, { Vary: 'Accept' }) : undefined;
    if (path === `${DOCS}/`) return redirect(308, DOCS);
    return findPage(path) ?? findAsset(path);
  };
}

/** Browsers draw one operation at a time, and load the viewer for the first. */
const renderReference = async ({ path, title, about, description }: Reference, connect: string) => {
  const { address, integrity } = await readAsset('openapi-explorer.js');
  return renderPage({
    path,
    title,
    content: html`<h1>${title}</h1>
<p>${about}</p>`,
    viewer: html`<div class="browser">
<nav id="contents" aria-label="Operations"></nav>
<div id="reference" data-description="${description}" data-host="${EXAMPLE_HOST}" data-viewer="${address}" data-integrity="${integrity}">
<main id="overview"><p>Choose an operation, or search for it by its path, its name or what it does.</p>
<noscript><p>Without JavaScript, read the description itself: <a href="${description}">${description}</a>.</p></noscript></main>
</div>
</div>`,
    styles: ['reference.css'],
    scripts: ['samples.js', 'local-examples.js', 'contents.js', 'reference.js'],
    connect,
  });
};

const renderPage = async ({ connect, styles = [], scripts = [], ...page }: Unstyled): Promise<Content> => {
  const [loadedStyles, loadedScripts] = await Promise.all([assets([...styles, 'docs.css']), assets(scripts)]);
  const body = Buffer.from(renderDocument({ ...page, styles: loadedStyles, scripts: loadedScripts }));
  const headers = buildPageHeaders({
    ...(connect === undefined ? {} : { connect }),
    styled: page.viewer !== undefined,
  });
  return { ...createContent(body, headers), gzipped: await compress(body) };
};

const assets = (names: readonly AssetName[]) => Promise.all(names.map(readAsset));

const callback = () =>
  renderPage({
    path: '/callback',
    title: 'Signing in',
    content: html`<h1>Signing in</h1>
<p id="outcome" role="status">This page returns the sign-in to the reference, and then closes.</p>
<p>${link('', 'Back to the reference')}</p>`,
    scripts: ['callback.js'],
    connect: "'none'",
  });

const clientPackage = async (): Promise<Content> =>
  createContent(await readPackage(), {
    'Content-Type': 'application/gzip',
    'Content-Disposition': 'attachment; filename="boxoffice-client.tgz"',
    'Cache-Control': 'no-cache',
  });

const renderGuide = async ({ path, file }: Guide, publicUrl: string): Promise<Content> =>
  renderPage({ path, ...(await render(file, (await readGuide(file)).replaceAll(EXAMPLE, publicUrl))) });

const redirect = (status: number, location: string, headers: Content['headers'] = {}): Content => ({
  status,
  // Otherwise the empty body has the type `application/octet-stream`.
  headers: { Location: location, 'Cache-Control': 'no-cache', 'Content-Type': 'text/html; charset=utf-8', ...headers },
  read: () => Buffer.alloc(0),
});
