import { type Html, html } from './html.ts';
import type { Language } from './language.ts';
import { STYLE, STYLE_SOURCE } from './style.ts';

/** What a page shows. */
export interface Page {
  readonly language: Language;
  /** The name of the institution, above the heading; undefined where no institution is known. */
  readonly institution: string | undefined;
  /** The heading, and with the institution the title of the window. */
  readonly title: string;
  /** What follows the heading. */
  readonly content: Html;
}

/** An answer of a page handler. */
export interface PageAnswer {
  readonly status: number;
  /** Names in their usual case; a list is several header lines. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

/** What the answer needs beside the page. */
export interface PageOptions {
  readonly status?: number;
  /**
   * A source expression for `form-action` beside the own origin: where the form's answer redirects to, because browsers
   * apply the directive to redirects as well. See {@link formTarget}.
   */
  readonly formAction?: string | undefined;
  readonly headers?: PageAnswer['headers'];
}

/** The page as a document. */
const documentOf = ({ language, institution, title, content }: Page): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}${institution !== undefined && ` – ${institution}`}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<main>
${institution !== undefined && html`<p class="institution">${institution}</p>\n`}<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.html;

const policyOf = (formAction: string | undefined): string =>
  [
    "default-src 'none'",
    `style-src ${STYLE_SOURCE}`,
    "base-uri 'none'",
    `form-action 'self'${formAction === undefined ? '' : ` ${formAction}`}`,
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * The headers of every page: no script, no foreign resource, no frame (also for browsers without `frame-ancestors`), no
 * cache. `same-origin` instead of `no-referrer`, because the latter makes the `Origin` of the page's own form null.
 */
export const pageHeaders = (formAction?: string): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': policyOf(formAction),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
});

/** The answer that shows a page. */
export const showPage = (page: Page, { status = 200, formAction, headers }: PageOptions = {}): PageAnswer => ({
  status,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': page.language,
    Vary: 'Accept-Language, Cookie',
    ...pageHeaders(formAction),
    ...headers,
  },
  body: documentOf(page),
});

/** The answer that leads the browser elsewhere with GET (RFC 9110, 15.4.4). */
export const redirect = (location: string, headers: PageAnswer['headers'] = {}): PageAnswer => ({
  status: 303,
  headers: {
    Location: location,
    'Cache-Control': 'no-store',
    Pragma: 'no-cache',
    'Referrer-Policy': 'no-referrer',
    ...headers,
  },
  body: '',
});

/**
 * The source expression of a redirect URI for `form-action`: its origin; the scheme alone where an origin cannot be
 * written in a policy (private-use schemes, IPv6 literals).
 */
export const formTarget = (redirectUri: string): string => {
  const { protocol, host, hostname } = new URL(redirectUri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && !hostname.startsWith('[') ? `${protocol}//${host}` : protocol;
};
