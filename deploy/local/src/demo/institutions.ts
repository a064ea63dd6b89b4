import { readFileSync } from 'node:fs';

type Texts = Readonly<Record<string, string>>;

/** What a hall sells, in the order of the price, and its plan; without one its places have no numbers. */
interface Hall {
  readonly seatCategories: readonly {
    readonly code: string;
    readonly numbered: boolean;
    readonly capacity: number;
    readonly rows?: readonly { readonly row: string; readonly seats: number }[];
  }[];
  readonly seatMap?: {
    readonly areas: readonly { readonly seatCategory: string; readonly rows: readonly { readonly row: string }[] }[];
  };
}

/** What products of a kind have in common, unless one has it otherwise. */
interface Kind {
  /** A show has performances; any other type one period of validity. */
  readonly type: string;
  readonly description: Texts;
  /** Paragraphs of the product's page. */
  readonly details?: Texts;
  readonly venue: { readonly name: string; readonly city: string };
  /** The name of a hall; default: the product says itself what it sells. */
  readonly hall?: string;
  readonly minutes: number;
  /** The full price of each seat category, in minor units. */
  readonly full: readonly number[];
  /** The code of the tax that its prices include. */
  readonly tax?: string | null;
  /** The share of the full price that a tariff costs, by the tariff's code. */
  readonly shares: Readonly<Record<string, number>>;
  /** Of its performances; absent or null: none. */
  readonly returnPolicy?: object | null;
  /** How many evenings a show of the season has, for one after the other, again and again. */
  readonly evenings?: readonly number[];
  /** Before its evenings, a performance at the next usual hour, and on as many days, at that hour. */
  readonly nextDays?: number;
}

/** A product that is on sale at once, with all performances alike. */
interface DemoProduct extends Kind, Hall {
  readonly code: string;
  readonly name: Texts;
  /** Each performance: days from today, hour and minute in UTC. */
  readonly starts: readonly (readonly [days: number, hour: number, minute: number])[];
  /** How often a ticket of what is no show admits; absent: once. */
  readonly entries?: string;
}

/** By code. */
export type Ids = Readonly<Record<string, string>>;

/** A discount, whose tariffs and unlocked tariffs are named by their codes, with its own codes. */
export interface DemoDiscount {
  readonly name: Texts;
  readonly trigger: 'automatic' | 'code';
  readonly minPlaces?: number;
  readonly tariffs?: readonly string[];
  readonly unlocks?: readonly string[];
  readonly codes?: readonly { readonly code: string; readonly maxUses: number | null }[];
}

/** Of the shows that documentation and tests rely on: sold out, with numbered seats, with two places left. */
export type Fixtures = Readonly<Record<'soldOut' | 'numbered' | 'twoLeft', string>>;

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
  readonly shopName: Texts;
  /** What its shop and documents look like, and the pages that it links to. */
  readonly branding: object;
  readonly links: object;
  /** The head of its receipts. */
  readonly receipt: object;
  /** `criterion`: what the buyer's contact must meet. */
  readonly tariffs: readonly { readonly code: string; readonly name: Texts; readonly criterion?: 'member' }[];
  readonly taxes?: readonly { readonly code: string; readonly rate: string }[];
  /** Of its shop; `tax`: the code of the fee's. */
  readonly fees?: readonly { readonly code: string; readonly per: string; readonly tax?: string }[];
  readonly discounts?: readonly DemoDiscount[];
  readonly fixtures: Fixtures;
  readonly products: readonly DemoProduct[];
}

/** An institution in the file, which lists halls and kinds once. */
interface InFile extends Omit<DemoInstitution, 'products'> {
  readonly halls: Readonly<Record<string, Hall>>;
  readonly kinds: Readonly<Record<string, Partial<Kind>>>;
  /** The titles of a season by kind: a line in each language; one line alone is that of every one. */
  readonly season?: Readonly<Record<string, readonly string[]>>;
  /** What is otherwise of single shows of the season, by their English titles. */
  readonly exceptions?: Readonly<Record<string, Partial<Kind>>>;
  readonly products: readonly (Partial<DemoProduct> & { readonly kind: string })[];
}

/** The institution with the shows of its season, one each day, and its other products after them. */
const readInstitution = ({
  halls,
  kinds,
  season = {},
  exceptions = {},
  products,
  ...given
}: InFile): DemoInstitution => {
  const titles = Object.entries(season).flatMap(([kind, lines]) =>
    lines.map((line) => [kind, line.split(' | ')] as const),
  );
  const shows = titles.map(([kind, texts], index) => {
    const name: Texts = Object.fromEntries(
      given.languages.map((language, at) => [language, texts[at] ?? texts[0] ?? '']),
    );
    const { evenings = [], ...show } = { ...kinds[kind], ...exceptions[name.en ?? ''] };
    const starts = Array.from({ length: evenings[index % evenings.length] ?? 1 }, (_, nth) => [
      14 + index + nth * 3,
      18,
      30,
    ]);
    return { ...show, code: `SHOW-${String(index + 1).padStart(3, '0')}`, name, starts };
  });
  const others = products.map(({ kind, ...product }) => ({ ...kinds[kind], ...product }));
  return {
    ...given,
    products: [...shows, ...others].map((one) => ({ ...halls[one.hall ?? ''], ...one })) as DemoProduct[],
  };
};

const file: Readonly<Record<'opera' | 'museum', InFile>> = JSON.parse(
  readFileSync(new URL('../../demo-institutions.json', import.meta.url), 'utf8'),
);

export const opera = readInstitution(file.opera);
export const museum = readInstitution(file.museum);

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Hours (UTC) at which evenings and matinées begin, next to each other at most 16 hours apart. */
const USUAL_HOURS = [10.5, 18.5, 34.5];

/** Prices come in steps of half a unit of the currency. */
const STEP = 50;

/** The request bodies that create the products of an institution; their dates are relative to `now`. */
export function buildProductBodies(
  { timeZone, products }: DemoInstitution,
  { tariffs, taxes }: Readonly<Record<'tariffs' | 'taxes', Ids>>,
  now: Date,
) {
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
      ...(product.returnPolicy ? { returnPolicy: product.returnPolicy } : {}),
    }));
    const { entries, details, tax } = product;
    const more = { ...(details && { details }), ...(entries && { entries }), ...(tax && { taxId: taxes[tax] }) };
    return { code, type, name, description, ...more, startDate: dates[0], endDate, state: 'running', performances };
  });
}

export type NewProduct = ReturnType<typeof buildProductBodies>[number];
