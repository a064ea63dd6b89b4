import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { EXAMPLE_HOST } from '@boxoffice/http';
import { type Html, html } from '@boxoffice/pages';
import { acceptsHtml } from '../exchange/page-paths.ts';
import { type AssetName, asset, assetAt, readGuide, readPackage } from './files.ts';
import { DOCS, guides } from './guides.ts';
import { documentOf, type Layout, pageHeaders } from './layout.ts';
import { render } from './markdown.ts';

/** A page, a file that it loads, or a redirect. */
export interface Shown {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly gzipped?: Buffer;
  readonly read: () => Buffer | Promise<Buffer>;
  /** A strong validator with its quotes; undefined of a redirect. */
  readonly etag?: string;
}

/** Finds what is at a path, for a request with this Accept header; undefined if nothing is. */
export type Documentation = (path: string, accept: string | undefined) => Promise<Shown | undefined>;

const redirect = (status: number, headers: Shown['headers'] = {}): Shown => ({
  status,
  // Without a type the empty body would be sent as `application/octet-stream`.
  headers: { Location: DOCS, 'Cache-Control': 'no-cache', 'Content-Type': 'text/html; charset=utf-8', ...headers },
  read: () => Buffer.alloc(0),
});

type Unstyled = Omit<Layout, 'styles' | 'scripts'> & {
  readonly styles?: readonly AssetName[];
  readonly scripts?: readonly AssetName[];
  /** Of a page with scripts: where their requests may go. */
  readonly connect?: string;
};

const assets = (names: readonly AssetName[]) => Promise.all(names.map(asset));

const pageOf = async ({ connect, styles = [], scripts = [], ...page }: Unstyled): Promise<Shown> => {
  const [loadedStyles, loadedScripts] = await Promise.all([assets([...styles, 'docs.css']), assets(scripts)]);
  const body = Buffer.from(documentOf({ ...page, styles: loadedStyles, scripts: loadedScripts }));
  return {
    status: 200,
    headers: pageHeaders({ ...(connect === undefined ? {} : { connect }), styled: page.viewer !== undefined }),
    gzipped: await promisify<Buffer, Buffer>(gzip)(body),
    read: () => body,
    etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"`,
  };
};

/** A page that lets browsers draw the description at this address. */
const referenceOf = (path: string, title: string, about: Html, description: string, connect: string) =>
  pageOf({
    path,
    title,
    content: html`<h1>${title}</h1>
<p>${about}</p>`,
    viewer: html`<div id="reference" data-description="${description}" data-host="${EXAMPLE_HOST}"><noscript><p>Without JavaScript, read the
description itself: <a href="${description}">${description}</a>.</p></noscript></div>`,
    styles: ['reference.css'],
    scripts: ['openapi-explorer.js', 'samples.js', 'examples.js', 'reference.js'],
    connect,
  });

const link = (path: string, text: string): Html => html`<a href="${DOCS}${path}">${text}</a>`;

const institution = (connect: string) => () =>
  referenceOf(
    '',
    'Institution API',
    html`Every operation of ${link('/client', 'partners')}: programme, contacts, orders, tickets, events. Begin with
${link('/demo', 'the demo data')}, ${link('/token', 'a token')} and ${link('/sale', 'a sale in five calls')}; ${link('/errors', 'every error code')} says
what to do. <a href="/openapi.json">OpenAPI 3.1</a>.`,
    '/openapi.json',
    connect,
  );

const pointOfSale = (connect: string) => () =>
  referenceOf(
    '/pos',
    'Point-of-sale API',
    html`Every operation of a ${link('/point-of-sale', 'web shop')}: programme, cart, checkout, the visitor’s orders and
tickets. It needs no token; every request names its point of sale in <code>X-Service-Host</code>. What is newer is in
${link('/pos/vexp', 'the experimental version')}. <a href="/tnwr/v1/openapi.json">OpenAPI 3.1</a>.`,
    '/tnwr/v1/openapi.json',
    connect,
  );

const experimental = (connect: string) => () =>
  referenceOf(
    '/pos/vexp',
    'Point-of-sale API, experimental',
    html`The ${link('/pos', 'point-of-sale API')} with what has no stable form yet, and may change without notice: names in
carts and orders, ticket documents. <a href="/tnwr/vexp/openapi.json">OpenAPI 3.1</a>.`,
    '/tnwr/vexp/openapi.json',
    connect,
  );

const callback = () =>
  pageOf({
    path: '/callback',
    title: 'Signing in',
    content: html`<h1>Signing in</h1>
<p id="outcome" role="status">This page returns the sign-in to the reference, and then closes.</p>
<p>${link('', 'Back to the reference')}</p>`,
    scripts: ['callback.js'],
    connect: "'none'",
  });

/** The address of an installation in the guides; readers see that of theirs, so that commands can be copied. */
const EXAMPLE = 'https://tickets.example.org';

const guideOf = (path: string, file: string, publicUrl: string) => async () =>
  pageOf({ path, ...(await render(file, (await readGuide(file)).replaceAll(EXAMPLE, publicUrl))) });

const clientPackage = async (): Promise<Shown> => {
  const tarball = await readPackage();
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/gzip',
      'Content-Disposition': 'attachment; filename="boxoffice-client.tgz"',
      'Cache-Control': 'no-cache',
    },
    read: () => tarball,
    etag: `"${hash('sha256', tarball, 'base64url').slice(0, 22)}"`,
  };
};

const assetOf = async (path: string): Promise<Shown | undefined> => {
  const found = await assetAt(path);
  if (!found) return undefined;
  const { type, gzipped, read } = found;
  const headers = {
    'Content-Type': type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
  return { status: 200, headers, gzipped, read, etag: `"${path.split('/')[3]}"` };
};

/** Makes the pages of an installation. Each is made when it is first read, and kept. */
export const createDocumentation = (publicUrl: string): Documentation => {
  // The description names the public address, and the page may have been opened at another one.
  const connect = `'self' ${new URL(publicUrl).origin}`;
  const makers = new Map<string, () => Promise<Shown>>([
    [DOCS, institution(connect)],
    [`${DOCS}/pos`, pointOfSale(connect)],
    [`${DOCS}/pos/vexp`, experimental(connect)],
    [`${DOCS}/callback`, callback],
    [`${DOCS}/client.tgz`, clientPackage],
    ...guides.map(({ path, file }) => [`${DOCS}${path}`, guideOf(path, file, publicUrl)] as const),
  ]);
  const made = new Map<string, Promise<Shown>>();

  const pageAt = (path: string): Promise<Shown> | undefined => {
    const make = made.has(path) ? undefined : makers.get(path);
    if (make) {
      const page = make();
      made.set(path, page);
      page.catch(() => made.delete(path));
    }
    return made.get(path);
  };

  return async (path, accept) => {
    if (path === '/') return acceptsHtml(accept) ? redirect(302, { Vary: 'Accept' }) : undefined;
    if (path === `${DOCS}/`) return redirect(308);
    return pageAt(path) ?? assetOf(path);
  };
};
