import type { Fault } from '@boxoffice/envelope';
import { errorTexts, type Home } from './error-texts.ts';
import { html } from './html.ts';
import { chooseLanguage } from './language.ts';
import { type PageAnswer, showPage } from './page.ts';

/** What the page of an error needs of its request. */
interface FailedRequest {
  readonly acceptLanguage: string | undefined;
  /** Where a page that does not exist leads on, with its address; absent: nowhere. */
  readonly home?: readonly [Home, string];
  /** By which the log has the cause of an unexpected error. */
  readonly requestId: string;
}

/** Seconds until a retry can help, where the fault says nothing. */
const RETRY_SECONDS = 60;

/** The page of an error, with its status and headers, in the language of the browser. */
export const errorPage = (fault: Fault, { acceptLanguage, home, requestId }: FailedRequest): PageAnswer => {
  const language = chooseLanguage({ acceptLanguage });
  const texts = errorTexts[language];
  const textOf = ({ http, headers }: Fault) => {
    if (http === 404) return texts.notFound;
    if (http === 429) return texts.tooMany(Math.ceil(Number(headers['Retry-After'] ?? RETRY_SECONDS) / 60));
    if (http < 500) return texts.request;
    return http === 500 ? texts.failed(requestId) : texts.unavailable;
  };
  const [title, text] = textOf(fault);
  const [where, address] = fault.http === 404 && home ? home : [];
  const way = where && html`<p><a href="${address}">${texts.home[where]}</a></p>`;
  const content = html`<p class="lead">${text}</p>${way}`;
  return showPage({ language, institution: undefined, title, content }, { status: fault.http, headers: fault.headers });
};
