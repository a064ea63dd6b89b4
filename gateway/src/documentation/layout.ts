import { type Html, html } from '@boxoffice/pages';
import type { Asset } from './files.ts';
import { DOCS, type Entry, sections } from './guides.ts';

export interface Layout {
  /** The path after `/docs`. */
  readonly path: string;
  readonly title: string;
  readonly content: Html;
  readonly styles: readonly Asset[];
  readonly scripts?: readonly Asset[];
  /** A script draws it below the content, as a landmark of its own. */
  readonly viewer?: Html;
}

export function renderDocument({ path, title, content, styles, scripts = [], viewer }: Layout): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – boxoffice</title>
<link rel="icon" href="data:,">
${styles.map(({ address, integrity }) => html`<link rel="stylesheet" href="${address}" integrity="${integrity}">\n`)}
${scripts.map(({ address, integrity }) => html`<script src="${address}" integrity="${integrity}" defer></script>\n`)}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="${DOCS}">boxoffice</a> <span>documentation</span></header>
<div class="${viewer === undefined ? 'columns' : 'columns drawn'}">
${renderNavigation(path)}
${
  viewer === undefined
    ? html`<main id="content" tabindex="-1">\n${content}\n</main>`
    : html`<div id="content" tabindex="-1">
<section aria-label="${title}">\n${content}\n</section>
${viewer}
</div>`
}
</div>
</body>
</html>
`.html;
}

const renderNavigation = (current: string): Html => html`<nav aria-label="Documentation">
<details>
<summary>All pages</summary>
${sections.map(({ title, entries }) => html`<h2>${title}</h2>\n<ul>${entries.map((entry) => renderEntry(entry, current))}</ul>\n`)}
</details>
</nav>`;

const renderEntry = ({ path, label }: Entry, current: string): Html =>
  path === current
    ? html`<li><a href="${DOCS}${path}" aria-current="page">${label}</a></li>`
    : html`<li><a href="${DOCS}${path}">${label}</a></li>`;

export function buildPageHeaders({
  connect,
  styled = false,
}: {
  connect?: string;
  styled?: boolean;
}): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': 'en',
    'Content-Security-Policy': [
      "default-src 'none'",
      // The viewer has its styles in attributes and elements of its own.
      styled ? "style-src 'self' 'unsafe-inline'" : "style-src 'self'",
      "img-src 'self' data:",
      ...(connect === undefined ? [] : ["script-src 'self'", `connect-src ${connect}`]),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Cache-Control': 'no-cache',
  };
}
