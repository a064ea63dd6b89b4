import type { Html } from '@boxoffice/pages';
import type { PointOfSale } from '../clients/catalog.ts';
import type { Mailbox } from '../mail/server.ts';
import { loadBrowserModule } from './browser-modules.ts';
import { drawingDocument } from './drawing.ts';

/** The state of `browser/frame.js`, in the browser and here. */
export interface ShopState {
  readonly serviceHost: string;
  readonly name: string;
  /** The language of the API's answers, one of the point of sale. */
  readonly language: string;
  readonly texts: TextLanguage;
  /** An ISO 3166 code, or empty. */
  readonly region: string;
  readonly currency: string;
  /** Most currencies have two. */
  readonly exponents: Readonly<Record<string, number>>;
  readonly maxPlacesPerOrder: number;
  /** That a checkout accepts now. */
  /** Of images that pages may show. */
  readonly imageHosts: readonly string[];
  readonly requireTerms: boolean;
  readonly paymentMethods: readonly string[];
  /** Of the demo data, and nothing is paid really. */
  readonly isDemo: boolean;
  readonly sendsMails: boolean;
  /** The sender of mails, and of dates in calendars. */
  readonly organiser: Mailbox;
  readonly links: PointOfSale['links'];
}

export const TEXT_LANGUAGES = ['fr', 'en', 'de'] as const;

export type TextLanguage = (typeof TEXT_LANGUAGES)[number];

interface ProgrammeState {
  readonly type: string;
  readonly wanted: string;
  readonly page: number;
  /** `2027-03-12`, or empty. */
  readonly date: string;
  /** A name, or empty. */
  readonly venue: string;
  readonly month: string;
}

interface Found {
  readonly records: readonly object[];
  readonly total: number;
  readonly days: Readonly<Record<string, number>>;
  readonly venues: readonly string[];
  readonly types: readonly string[];
}

// First pages are drawn by the same code here and in the browser.
const { useShop } = await loadBrowserModule<{ useShop(state: ShopState): void }>('frame.js');
const { drawWith } = await loadBrowserModule<{ drawWith(document: object): void }>('dom.js');
const { useTexts, t } = await loadBrowserModule<{
  useTexts(texts: object): void;
  t(name: string, values?: Readonly<Record<string, string | number>>): string;
}>('texts/index.js');
const { programme, programmeState } = await loadBrowserModule<{
  programme(state: ProgrammeState, found: Found, calendar: unknown): Html;
  programmeState(query: URLSearchParams): ProgrammeState;
}>('pages/shows.js');
const { calendarView } = await loadBrowserModule<{ calendarView: unknown }>('pages/calendar.js');
const { showArticle } = await loadBrowserModule<{ showArticle(product: object): Html }>('pages/show-head.js');
const tables = new Map<string, object>();
for (const code of TEXT_LANGUAGES)
  tables.set(code, (await loadBrowserModule<Record<string, object>>(`texts/${code}.js`))[code] ?? {});

drawWith(drawingDocument);

const views = {
  t,
  showArticle,
  programme: (state: ProgrammeState, found: Found): Html => programme(state, found, calendarView),
};

export type Views = typeof views;

export { programmeState };

/** Runs synchronously: the modules know one point of sale and language at a time. */
export function drawIn<Result>(state: ShopState, draw: (views: Views) => Result): Result {
  useTexts(tables.get(state.texts) ?? {});
  useShop(state);
  return draw(views);
}
