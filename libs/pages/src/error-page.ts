import type { Fault } from '@boxoffice/envelope';
import { chooseLanguage, html, type Language, type PageAnswer, showPage } from './page.ts';

type Text = readonly [title: string, text: string];

export type Home = 'docs' | 'door' | 'shop';

interface ErrorTexts {
  readonly notFound: Text;
  readonly home: Readonly<Record<Home, string>>;
  /** Of a method that a page does not support, or a request that cannot be read. */
  readonly request: Text;
  readonly tooMany: (minutes: number) => Text;
  readonly unavailable: Text;
  readonly failed: (requestId: string) => Text;
}

const errorTexts: Readonly<Record<Language, ErrorTexts>> = {
  en: {
    notFound: ['There is no such page', 'Check the address, or go back to the application.'],
    home: { docs: 'To the documentation', door: 'To the control at the door', shop: 'To the shop' },
    request: ['This request does not work', 'Go back to the application and start again.'],
    tooMany: (minutes) => [
      'Too many requests',
      minutes === 1 ? 'Try again in a minute.' : `Try again in ${minutes} minutes.`,
    ],
    unavailable: ['Not available at the moment', 'Try again in a few seconds.'],
    failed: (requestId) => [
      'Something went wrong',
      `The error is recorded. If it happens again, report this number: ${requestId}`,
    ],
  },
  fr: {
    notFound: ['Cette page n’existe pas', 'Vérifiez l’adresse, ou revenez à l’application.'],
    home: { docs: 'Vers la documentation', door: 'Vers le contrôle à l’entrée', shop: 'Vers la billetterie' },
    request: ['Cette requête ne fonctionne pas', 'Revenez à l’application et recommencez.'],
    tooMany: (minutes) => [
      'Trop de requêtes',
      minutes === 1 ? 'Réessayez dans une minute.' : `Réessayez dans ${minutes} minutes.`,
    ],
    unavailable: ['Indisponible pour le moment', 'Réessayez dans quelques secondes.'],
    failed: (requestId) => [
      'Une erreur est survenue',
      `L’erreur est enregistrée. Si elle se reproduit, indiquez ce numéro : ${requestId}`,
    ],
  },
  de: {
    notFound: ['Diese Seite gibt es nicht', 'Prüfen Sie die Adresse, oder gehen Sie zur Anwendung zurück.'],
    home: { docs: 'Zur Dokumentation', door: 'Zur Kontrolle am Einlass', shop: 'Zum Shop' },
    request: ['Diese Anfrage funktioniert nicht', 'Gehen Sie zur Anwendung zurück und beginnen Sie von vorn.'],
    tooMany: (minutes) => [
      'Zu viele Anfragen',
      minutes === 1 ? 'Versuchen Sie es in einer Minute wieder.' : `Versuchen Sie es in ${minutes} Minuten wieder.`,
    ],
    unavailable: ['Zurzeit nicht verfügbar', 'Versuchen Sie es in einigen Sekunden wieder.'],
    failed: (requestId) => [
      'Etwas ist schiefgegangen',
      `Der Fehler ist aufgezeichnet. Bei Wiederholung nennen Sie diese Nummer: ${requestId}`,
    ],
  },
};

interface FailedRequest {
  readonly acceptLanguage: string | undefined;
  /** Where a page that does not exist leads on, with its address; absent: nowhere. */
  readonly home?: readonly [Home, string];
  /** By which the log has the cause of an unexpected error. */
  readonly requestId: string;
}

/** Seconds until a retry can help, where the fault says nothing. */
const RETRY_SECONDS = 60;

export function renderErrorPage(fault: Fault, { acceptLanguage, home, requestId }: FailedRequest): PageAnswer {
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
}
