// The institutions of the demo data: what `demo-institutions.json` of this package says of them, as the catalog accepts
// it.

import { readFileSync } from 'node:fs';
import { buildHall, type Hall, type PlannedHall, type SeatCategory, type Texts } from './halls.ts';

/** A product that is on sale at once, with all performances alike. */
interface DemoProduct extends Hall {
  readonly code: string;
  /** A show has performances; any other type one period of validity. */
  readonly type: string;
  /** How often a ticket of what is no show admits; absent: once. */
  readonly entries?: string;
  readonly name: Texts;
  readonly description: Texts;
  readonly venue: { readonly name: string; readonly city: string };
  /** Each performance: days from today, hour and minute in UTC. */
  readonly starts: readonly (readonly [days: number, hour: number, minute: number])[];
  /** Before these, a performance at the next usual hour, and on as many days, at that hour. */
  readonly nextDays?: number;
  readonly minutes: number;
  /** The full price of each seat category, in minor units. */
  readonly full: readonly number[];
  /** The share of the full price that a tariff costs, by the tariff's code. */
  readonly shares: Readonly<Record<string, number>>;
}

/** The ids of an institution's tariffs by their codes. */
export type TariffIds = Readonly<Record<string, string>>;

/**
 * Product codes of the shows that documentation and tests rely on: one sold out, one with numbered seats, one with two
 * places left.
 */
export type Fixtures = Readonly<Record<'soldOut' | 'numbered' | 'twoLeft', string>>;

/** What the file says of an institution as it is. */
interface Given {
  readonly id: string;
  readonly name: string;
  /** ISO 4217. */
  readonly currency: string;
  /** ISO 639; the first is the default. */
  readonly languages: readonly string[];
  /** An IANA name. */
  readonly timeZone: string;
  /** The host of its point of sale (`X-Service-Host`). */
  readonly serviceHost: string;
  /** What its shop and documents look like, and the pages that it links to. */
  readonly branding: {
    readonly colours: { readonly accent: string; readonly ink: string; readonly paper: string };
    readonly logo: string;
  };
  readonly links: { readonly terms: string; readonly privacy: string; readonly contact: string };
}

/** A tariff; `criterion`: what the buyer's contact must meet. */
interface Tariff<Name> {
  readonly code: string;
  readonly name: Name;
  readonly criterion?: 'member';
}

/** An institution of the demo data. */
export interface DemoInstitution extends Given {
  /** That of its point of sale. */
  readonly shopName: Texts;
  readonly tariffs: readonly Tariff<Texts>[];
  readonly fixtures: Fixtures;
  readonly products: readonly DemoProduct[];
}

/** Products with a period of validity. */
interface Periods extends Pick<DemoProduct, 'venue' | 'shares'> {
  readonly products: readonly (Record<'code' | 'type' | 'name' | 'description', string> &
    Record<'days' | 'stock' | 'price', number> & { readonly entries?: string })[];
}

/** An institution in the file. Its texts are a line in each of its languages; one line alone is that of every one. */
interface InFile extends Given {
  readonly shopName: string;
  readonly tariffs: readonly Tariff<string>[];
  readonly fixtures: Fixtures;
  readonly periods: Periods;
}

/** The hall and prices of a genre's shows, or of one. */
interface Venue {
  readonly hall: string;
  readonly plan: string;
  readonly minutes: number;
  /** How many evenings a show has, for one after the other, again and again. */
  readonly evenings: readonly number[];
  /** Full prices in centimes, of each seat category. */
  readonly full: readonly number[];
  readonly description: string;
  readonly nextDays?: number;
}

/** The opera, whose fixtures are named by their English titles. */
interface OperaInFile extends InFile, Pick<DemoProduct, 'shares'> {
  readonly city: string;
  readonly halls: Readonly<Record<string, PlannedHall>>;
  /** By genre. */
  readonly venues: Readonly<Record<string, Venue>>;
  /** What is otherwise of single shows, by their English titles. */
  readonly exceptions: Readonly<Record<string, Partial<Venue>>>;
  /** The titles of a season by genre, each once. */
  readonly shows: Readonly<Record<string, readonly string[]>>;
}

interface MuseumInFile extends InFile {
  readonly auditorium: PlannedHall;
  readonly entry: string;
  /** `weeks`: how many, one a week; without a capacity it is in the auditorium. */
  readonly events: readonly (Record<'code' | 'name' | 'description', string> &
    Record<'minutes' | 'weeks' | 'hour' | 'price', number> & { readonly capacity?: number })[];
}

const file: { readonly opera: OperaInFile; readonly museum: MuseumInFile } = JSON.parse(
  readFileSync(new URL('../../demo-institutions.json', import.meta.url), 'utf8'),
);

const textsIn =
  (languages: readonly string[]) =>
  (line: string): Texts => {
    const texts = line.split(' | ');
    return Object.fromEntries(languages.map((language, index) => [language, texts[index] ?? texts[0] ?? '']));
  };

const stockOf = (code: string, name: Texts, capacity: number): readonly SeatCategory[] => [
  { code, name, numbered: false, capacity },
];

/** The institution with its shows, and its other products after them. */
const institutionOf = (
  { periods, tariffs, fixtures, shopName, ...given }: InFile,
  shows: readonly DemoProduct[],
  codes: Fixtures = fixtures,
): DemoInstitution => {
  const texts = textsIn(given.languages);
  const { products, ...place } = periods;
  const others = products.map(({ code, type, entries, days, stock, price, ...words }): DemoProduct => {
    const named = texts(words.name);
    return {
      ...place,
      code,
      type,
      ...(entries && { entries }),
      name: named,
      description: texts(words.description),
      starts: [[0, 0, 0]],
      minutes: days * 1_440,
      seatCategories: stockOf('STOCK', named, stock),
      full: [price],
    };
  });
  return {
    ...given,
    shopName: texts(shopName),
    tariffs: tariffs.map((tariff) => ({ ...tariff, name: texts(tariff.name) })),
    fixtures: codes,
    products: [...shows, ...others],
  };
};

/** One running show per title, an evening each day, in every genre's own hall. */
const openOpera = (data: OperaInFile): DemoInstitution => {
  const texts = textsIn(data.languages);
  const halls = new Map(Object.entries(data.halls).map(([plan, hall]) => [plan, buildHall(hall, texts)]));
  const titles = Object.entries(data.shows).flatMap(([genre, lines]) =>
    lines.map((line) => ({ genre, name: texts(line) })),
  );
  const codeOf = (index: number): string => `SHOW-${String(index + 1).padStart(3, '0')}`;
  const shows = titles.map(({ genre, name }, index): DemoProduct => {
    const venue = { ...data.venues[genre], ...data.exceptions[name.en ?? ''] } as Venue;
    const { hall, plan, minutes, evenings, full, description, nextDays } = venue;
    return {
      code: codeOf(index),
      type: 'show',
      name,
      description: texts(description),
      venue: { name: hall, city: data.city },
      starts: Array.from({ length: evenings[index % evenings.length] ?? 1 }, (_, nth) => [
        14 + index + nth * 3,
        18,
        30,
      ]),
      ...(nextDays === undefined ? {} : { nextDays }),
      minutes,
      ...(halls.get(plan) ?? { seatCategories: [] }),
      full,
      shares: data.shares,
    };
  });
  const codeOfTitle = (english: string): string => codeOf(titles.findIndex(({ name }) => name.en === english));
  const { soldOut, numbered, twoLeft } = data.fixtures;
  return institutionOf(data, shows, {
    soldOut: codeOfTitle(soldOut),
    numbered: codeOfTitle(numbered),
    twoLeft: codeOfTitle(twoLeft),
  });
};

const openMuseum = (data: MuseumInFile): DemoInstitution => {
  const texts = textsIn(data.languages);
  const { products: _, ...place } = data.periods;
  const auditorium = buildHall(data.auditorium, texts);
  const shows = data.events.map(
    ({ code, minutes, weeks, hour, capacity, price, name, description }): DemoProduct => ({
      ...place,
      code,
      type: 'show',
      name: texts(name),
      description: texts(description),
      starts: Array.from({ length: weeks }, (_week, week) => [10 + week * 7, hour, 0]),
      minutes,
      ...(capacity === undefined ? auditorium : { seatCategories: stockOf('ENTRY', texts(data.entry), capacity) }),
      full: [price],
    }),
  );
  return institutionOf(data, shows);
};

export const opera = openOpera(file.opera);
export const museum = openMuseum(file.museum);

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Hours (UTC) at which evenings and matinées begin, next to each other at most 16 hours apart. */
const USUAL_HOURS = [10.5, 18.5, 34.5];

/** Prices come in steps of half a unit of the currency. */
const STEP = 50;

/** The request bodies that create the products of an institution; their dates are relative to `now`. */
export function buildProductBodies({ timeZone, products }: DemoInstitution, tariffs: TariffIds, now: Date) {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const at = (days: number, hour: number, minute = 0): string =>
    new Date(midnight + days * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS).toISOString();
  const salesFrom = at(-7, 8);
  // An hour ahead, within 17 hours.
  const next = USUAL_HOURS.find((usual) => midnight + usual * HOUR_MS >= now.getTime() + HOUR_MS) ?? 34.5;
  return products.map(({ code, type, name, description, venue, minutes, seatCategories, full, shares, ...product }) => {
    const near = Array.from({ length: product.nextDays ?? 0 }, (_, day) => at(day, next));
    const dates = [...near, ...product.starts.map((start) => at(...start))];
    const endDate = new Date(Date.parse(String(dates.at(-1))) + minutes * MINUTE_MS).toISOString();
    const prices = seatCategories.flatMap((category, index) =>
      Object.entries(shares).map(([tariff, share]) => ({
        seatCategory: category.code,
        tariffId: String(tariffs[tariff]),
        amount: Math.round(((full[index] ?? 0) * share) / STEP) * STEP,
      })),
    );
    const performances = dates.map((startDate) => ({
      startDate,
      durationMinutes: minutes,
      venue,
      timeZone,
      salesFrom,
      salesTo: type === 'show' ? startDate : endDate,
      seatCategories,
      prices,
      ...(product.seatMap ? { seatMap: product.seatMap } : {}),
    }));
    const { entries } = product;
    const details = { code, type, name, description, ...(entries && { entries }), startDate: dates[0], endDate };
    return { ...details, state: 'running', performances };
  });
}

/** The request body of a product. */
export type NewProduct = ReturnType<typeof buildProductBodies>[number];
