import type { ServerResponse } from 'node:http';
import { selectText } from '@boxoffice/http';
import { html, LANGUAGES, type Language, type PageAnswer, showPage } from '@boxoffice/pages';
import { createCache } from '../clients/cache.ts';
import type { Catalog, Shop } from '../clients/catalog.ts';
import { ROOT } from './files.ts';

/** The list has this address also where `/shop/` leads to a shop. */
export const LIST = `${ROOT}?all`;

/** A change is shown within three seconds, the last answer while the catalog is away. */
const AGES = { maxAgeMs: 2_500, refreshMs: 1_000, staleMs: 600_000, max: 1 } as const;

/** Rejects with Fault `service_unavailable`. */
export function createShops(catalog: Pick<Catalog, 'shops'>) {
  const known = createCache<readonly Shop[]>(AGES);
  return async (): Promise<readonly Shop[]> => {
    const load = async () => {
      const asOf = Date.now();
      return { value: await catalog.shops(), asOf };
    };
    return (await known.get('', load)).value;
  };
}

interface ListTexts {
  readonly title: string;
  readonly choose: string;
  readonly none: string;
  readonly toDocumentation: string;
  readonly own: string;
}

const texts: Readonly<Record<Language, ListTexts>> = {
  en: {
    title: 'Shops',
    choose: 'Where would you like to buy?',
    none:
      'There is no shop here yet. An institution gets one with its first point of sale that has a tariff and a payment ' +
      'method: POST /svc/v3/catalog/points-of-sale.',
    toDocumentation: 'To the documentation',
    own: 'English',
  },
  fr: {
    title: 'Billetteries',
    choose: 'Où souhaitez-vous acheter ?',
    none:
      'Il n’y a pas encore de billetterie ici. Une institution en obtient une avec son premier point de vente qui a un ' +
      'tarif et un moyen de paiement : POST /svc/v3/catalog/points-of-sale.',
    toDocumentation: 'Vers la documentation',
    own: 'Français',
  },
  de: {
    title: 'Shops',
    choose: 'Wo möchten Sie kaufen?',
    none:
      'Hier gibt es noch keinen Shop. Eine Institution erhält einen mit ihrer ersten Verkaufsstelle, die einen Tarif ' +
      'und eine Zahlungsart hat: POST /svc/v3/catalog/points-of-sale.',
    toDocumentation: 'Zur Dokumentation',
    own: 'Deutsch',
  },
};

/** Node sends no body to a HEAD. */
export function sendPage(response: ServerResponse, { status, headers, body }: PageAnswer): void {
  response.setHeaders(new Map(Object.entries(headers)));
  response.writeHead(status).end(body);
}

export function renderShopList(shops: readonly Shop[], language: Language): PageAnswer {
  const { title, choose, none, toDocumentation } = texts[language];
  const compare = new Intl.Collator(language).compare;
  const named = shops.map(({ serviceHost, name, languages }) => ({
    serviceHost,
    name: selectText(name, [language, ...languages]),
  }));
  const sorted = named.toSorted((a, b) => compare(a.name, b.name) || compare(a.serviceHost, b.serviceHost));
  const entries = sorted.map(
    ({ serviceHost, name }) =>
      html`<li><a href="${ROOT}${serviceHost}/">${name}</a><span class="detail">${serviceHost}</span></li>\n`,
  );
  const list =
    entries.length > 0
      ? html`<p class="lead">${choose}</p>\n<ul class="choices">${entries}</ul>`
      : html`<p class="lead">${none}</p>\n<p><a href="/docs">${toDocumentation}</a></p>`;
  const others = LANGUAGES.filter((one) => one !== language).map(
    (one) => html`<a href="${LIST}&lang=${one}" hreflang="${one}" lang="${one}">${texts[one].own}</a>\n`,
  );
  const content = html`${list}\n<p class="languages">${others}</p>`;
  return showPage({ language, institution: undefined, title, content });
}
