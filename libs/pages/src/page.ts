import { hash } from 'node:crypto';

import { parseQualities } from '@boxoffice/http';

export const LANGUAGES = ['fr', 'en', 'de'] as const;

export type Language = (typeof LANGUAGES)[number];

interface LanguageWishes {
  /** `ui_locales`: language tags separated by spaces, best first (OpenID Connect Core, 3.1.2.1). */
  readonly uiLocales?: string | undefined;
  readonly acceptLanguage?: string | undefined;
}

/** The first of `ui_locales`, else of Accept-Language, that the institution has, else its first; `de-CH` is `de`. */
export function chooseLanguage(
  { uiLocales = '', acceptLanguage }: LanguageWishes,
  offered: readonly string[] = LANGUAGES,
): Language {
  const known = offered.map(primary).filter((tag): tag is Language => LANGUAGES.some((language) => language === tag));
  const available: readonly Language[] = known.length > 0 ? known : LANGUAGES;
  const accepted = parseQualities(acceptLanguage).filter(({ quality }) => quality > 0);
  const wanted = [...uiLocales.split(' '), ...accepted.map(({ name }) => name)];
  for (const tag of wanted) {
    const found = tag.trim() === '*' ? available[0] : available.find((language) => language === primary(tag));
    if (found) return found;
  }
  return available[0] ?? 'en';
}

const primary = (tag: string): string => tag.trim().toLowerCase().split('-', 1)[0] ?? '';

/** Text that is safe to place into a page: markup, and everything else escaped. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | undefined | false | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Every interpolated text is escaped. Lists are joined; `undefined` and `false` leave nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return {
    html: strings.map((markup, index) => markup + writePart(parts[index])).join(''),
  };
}

const writePart = (part: Part): string => {
  if (part === undefined || part === false) return '';
  if (isList(part)) return part.map(writePart).join('');
  return typeof part === 'object' ? part.html : escapeHtml(String(part));
};

const isList = (part: Part): part is readonly Part[] => Array.isArray(part);

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

interface Page {
  readonly language: Language;
  /** The name of the institution, above the heading; undefined where no institution is known. */
  readonly institution: string | undefined;
  readonly title: string;
  readonly content: Html;
}

export interface PageAnswer {
  readonly status: number;
  /** Names in their usual case; a list is several header lines. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

export interface PageOptions {
  readonly status?: number;
  /** Beside the own origin, where the form's answer redirects to: browsers apply the directive to redirects, too. */
  readonly formAction?: string | undefined;
  readonly headers?: PageAnswer['headers'];
}

export function showPage(page: Page, { status = 200, formAction, headers }: PageOptions = {}): PageAnswer {
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': page.language,
      Vary: 'Accept-Language, Cookie',
      ...pageHeaders(formAction),
      ...headers,
    },
    body: documentOf(page),
  };
}

/** No script, foreign resource, frame or cache. `no-referrer` would make the `Origin` of the page's own form null. */
const pageHeaders = (formAction?: string): Readonly<Record<string, string>> => ({
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

const policyOf = (formAction: string | undefined): string =>
  [
    "default-src 'none'",
    `style-src ${STYLE_SOURCE}`,
    "base-uri 'none'",
    `form-action 'self'${formAction === undefined ? '' : ` ${formAction}`}`,
    "frame-ancestors 'none'",
  ].join('; ');

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

/** The answer that leads the browser elsewhere with GET (RFC 9110, 15.4.4). */
export function redirect(location: string, headers: PageAnswer['headers'] = {}): PageAnswer {
  return {
    status: 303,
    headers: {
      Location: location,
      'Cache-Control': 'no-store',
      Pragma: 'no-cache',
      'Referrer-Policy': 'no-referrer',
      ...headers,
    },
    body: '',
  };
}

/** Its origin; the scheme alone where a policy cannot have an origin (private-use schemes, IPv6 literals). */
export function toFormTarget(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && !hostname.startsWith('[') ? `${protocol}//${host}` : protocol;
}

/** Part of the page, allowed by its hash. Contrast at least 4.5 to 1 for text, 3 to 1 for borders, light and dark. */
const STYLE = `
:root{color-scheme:light dark;--paper:#f6f1e9;--raised:#fffdf9;--ink:#1d1613;--soft:#63574e;--line:#e3d9cb;
--field:#8d8075;--accent:#7a1526;--accent-hover:#5e0f1c;--on-accent:#fdf6ec;--link:#7a1526;--danger:#a3231d;
--danger-tint:#fbeae6;--done:#22603f;--shadow:0 1px 2px rgb(29 22 19/.06),0 18px 48px -12px rgb(29 22 19/.18);
--display:"Iowan Old Style",Palatino,"Palatino Linotype","Book Antiqua",Georgia,serif;
--text:"Avenir Next","Segoe UI","Helvetica Neue",Helvetica,Arial,sans-serif}
@media(prefers-color-scheme:dark){:root{--paper:#14100e;--raised:#1e1916;--ink:#f3ebe0;--soft:#b3a597;--line:#352c26;
--field:#8c7e71;--accent:#a52a3f;--accent-hover:#bb3a50;--on-accent:#fff6ec;--link:#ea8b9b;--danger:#ff9d95;
--danger-tint:#33191a;--done:#86c9a1;--shadow:0 1px 2px rgb(0 0 0/.4),0 18px 48px -12px rgb(0 0 0/.6)}}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;grid-template-columns:minmax(0,1fr);align-items:center;
padding:clamp(1rem,4vw,3rem) clamp(.75rem,4vw,2rem);background:var(--paper);color:var(--ink);
font:1rem/1.55 var(--text);overflow-wrap:break-word}
main{width:100%;max-width:26.5rem;margin:0 auto;padding:clamp(1.5rem,6vw,2.75rem);background:var(--raised);
border:1px solid var(--line);border-radius:.6rem;box-shadow:inset 0 4px var(--accent),var(--shadow)}
main>:last-child{margin-bottom:0}
.institution{margin:0 0 1.75rem;font-size:.82rem;font-weight:600;letter-spacing:.09em;text-transform:uppercase;
color:var(--soft)}
h1{margin:0 0 .6rem;font:500 clamp(1.7rem,7vw,2.15rem)/1.15 var(--display);text-wrap:balance}
p{margin:0 0 1rem;text-wrap:pretty}
.lead{color:var(--soft)}
.lead strong{color:var(--ink);font-weight:600}
form{margin:1.5rem 0 0}
.field{margin:0 0 1.15rem}
label{display:block;margin:0 0 .35rem;font-size:.92rem;font-weight:600}
input,select{display:block;width:100%;min-height:3rem;padding:.6rem .8rem;font:inherit;font-size:1rem;color:inherit;
background:var(--paper);border:1px solid var(--field);border-radius:.4rem}
input[aria-invalid=true]{border-color:var(--danger)}
.hint{margin:.35rem 0 0;font-size:.87rem;color:var(--soft)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
@media(prefers-color-scheme:dark){:focus-visible{outline-color:var(--link)}}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.6rem 0 0}
button,.button{flex:1 1 9rem;display:inline-flex;align-items:center;justify-content:center;min-height:3rem;
padding:.65rem 1.2rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;
color:var(--on-accent);background:var(--accent);border:1px solid var(--accent);border-radius:.4rem}
button:hover,.button:hover{background:var(--accent-hover);border-color:var(--accent-hover)}
button.quiet{color:var(--ink);background:transparent;border-color:var(--field)}
button.quiet:hover{background:var(--paper)}
a{color:var(--link);text-underline-offset:.15em}
a.button{color:var(--on-accent)}
.alert{margin:1.25rem 0 0;padding:.75rem .9rem;color:var(--danger);background:var(--danger-tint);
border-left:4px solid var(--danger);border-radius:.25rem}
.scopes{margin:1.25rem 0 0;padding:0;list-style:none;border-top:1px solid var(--line)}
.scopes li{position:relative;padding:.6rem 0 .6rem 1.7rem;border-bottom:1px solid var(--line)}
.scopes li::before{content:"";position:absolute;left:.3rem;top:1.02rem;width:.75rem;height:.4rem;
border:solid var(--done);border-width:0 0 2px 2px;transform:rotate(-45deg)}
.choices{margin:1.25rem 0 1.5rem;padding:0;list-style:none;border-top:1px solid var(--line)}
.choices li{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:0 1rem;
padding:.25rem 0;border-bottom:1px solid var(--line)}
.choices a{padding:.6rem 0;font-weight:600;overflow-wrap:anywhere}
.choices .detail{overflow-wrap:anywhere}
.languages{display:flex;gap:1.25rem;font-size:.9rem}
.languages a{padding:.6rem 0}
.account{margin:1.5rem 0 0;font-size:.9rem;color:var(--soft)}
.detail{font-size:.87rem;color:var(--soft)}
@media(forced-colors:active){main{border:1px solid;border-top-width:4px}.scopes li::before{border-color:CanvasText}}
`;

/** The source expression that allows the stylesheet in a Content-Security-Policy (CSP 3, 2.3.1). */
const STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`;
