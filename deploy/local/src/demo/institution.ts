/** A text in the languages of an institution. */
export type Texts = Readonly<Record<string, string>>;

/** A seat category as the catalog accepts it. */
export interface SeatCategory {
  readonly code: string;
  readonly name: Texts;
  readonly numbered: boolean;
  readonly capacity: number;
  readonly rows?: readonly { readonly row: string; readonly seats: number }[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** An area of a plan as the catalog accepts it. */
export interface SeatMapArea {
  readonly id: string;
  readonly name: Texts;
  readonly seatCategory: string;
  readonly outline: string;
  readonly rows: readonly {
    readonly row: string;
    readonly from: Point;
    readonly to: Point;
    readonly curve?: number;
  }[];
}

/** The plan of a hall as the catalog accepts it. */
export interface SeatMap {
  readonly stage: Point & { readonly width: number };
  readonly areas: readonly SeatMapArea[];
}

/** A product that is on sale at once, with all performances alike. */
export interface DemoProduct {
  readonly code: string;
  /** A show has performances; any other type one period of validity. */
  readonly type: string;
  readonly name: Texts;
  readonly description: Texts;
  readonly venue: { readonly name: string; readonly city: string };
  /** Each performance: days from today, hour and minute in UTC. */
  readonly starts: readonly (readonly [days: number, hour: number, minute: number])[];
  /** Before these, a performance at the next usual hour, and on as many days, at that hour. */
  readonly nextDays?: number;
  readonly minutes: number;
  readonly seatCategories: readonly SeatCategory[];
  readonly seatMap?: SeatMap;
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
export interface Fixtures {
  readonly soldOut: string;
  readonly numbered: string;
  readonly twoLeft: string;
}

/** An institution of the demo data. */
export interface DemoInstitution {
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
  readonly shopName: string;
  /** What its shop and documents look like, and the pages that it links to. */
  readonly branding: {
    readonly colours: { readonly accent: string; readonly ink: string; readonly paper: string };
    readonly logo: string;
  };
  readonly links: { readonly terms: string; readonly privacy: string; readonly contact: string };
  /** `criterion`: what the buyer's contact must meet. */
  readonly tariffs: readonly { readonly code: string; readonly name: Texts; readonly criterion?: 'member' }[];
  readonly fixtures: Fixtures;
  readonly products: readonly DemoProduct[];
}

/** Reads texts from a line in the given languages, separated by ` | `; one text alone is that of every language. */
export const readTexts = (languages: readonly string[], line: string): Texts => {
  const texts = line.split(' | ');
  return Object.fromEntries(languages.map((language, index) => [language, texts[index] ?? texts[0] ?? '']));
};

/** Reads a table of products, a line each: figures, a colon, then name and description in the given languages. */
export const readTable = (languages: readonly string[], table: string) =>
  table.split('\n').map((line) => {
    const [figures = '', ...texts] = line.trim().split(': ');
    const all = texts.join(': ').split(' | ');
    return {
      figures: figures.split(/ +/),
      name: readTexts(languages, all.slice(0, languages.length).join(' | ')),
      description: readTexts(languages, all.slice(languages.length).join(' | ')),
    };
  });

/** Reads products with a period of validity. Their figures: code, type, days, stock, price in minor units. */
export const readPeriodProducts = (
  languages: readonly string[],
  place: Pick<DemoProduct, 'venue' | 'shares'>,
  table: string,
): DemoProduct[] =>
  readTable(languages, table).map(({ figures: [code = '', type = '', days, stock, price], name, description }) => ({
    ...place,
    code,
    type,
    name,
    description,
    starts: [[1, 0, 0]],
    minutes: Number(days) * 1_440,
    seatCategories: [{ code: 'STOCK', name, numbered: false, capacity: Number(stock) }],
    full: [Number(price)],
  }));

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const HOUR_MS = 3_600_000;

/** Hours (UTC) at which evenings and matinées begin, next to each other at most 16 hours apart. */
const USUAL_HOURS = [10.5, 18.5, 34.5];

/** The next usual hour that is an hour ahead, within 17 hours; epoch milliseconds. */
const nextUsual = (now: Date): number => {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const hour = USUAL_HOURS.find((usual) => midnight + usual * HOUR_MS >= now.getTime() + HOUR_MS) ?? 34.5;
  return midnight + hour * HOUR_MS;
};

/** Prices come in steps of half a unit of the currency. */
const STEP = 50;

/** The request bodies that create the products of an institution; their dates are relative to `now`. */
export const bodiesOf = ({ timeZone, products }: DemoInstitution, tariffs: TariffIds, now: Date) => {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const at = (days: number, hour: number, minute: number): string =>
    new Date(midnight + days * DAY_MS + (hour * 60 + minute) * MINUTE_MS).toISOString();
  const salesFrom = at(-7, 8, 0);
  return products.map(({ code, type, name, description, venue, minutes, seatCategories, full, shares, ...product }) => {
    const next = nextUsual(now);
    const near = Array.from({ length: product.nextDays ?? 0 }, (_, day) => new Date(next + day * DAY_MS).toISOString());
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
    return { code, type, name, description, state: 'running', startDate: dates[0], endDate, performances };
  });
};

/** The request body of a product. */
export type NewProduct = ReturnType<typeof bodiesOf>[number];
