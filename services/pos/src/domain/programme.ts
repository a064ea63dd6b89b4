// Finding in the programme: by day, venue and words of the title.

/** What is wanted of the programme; absent members want everything. */
export interface Wanted {
  /** The first and the last day, local to each performance: `2027-03-12`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The name of a venue. */
  readonly venue?: string | undefined;
  /** Words of the title; case and accents do not matter. */
  readonly q?: string | undefined;
}

/** A performance as it can be found. */
export interface Dated {
  readonly startDate: string;
  readonly timeZone: string;
  readonly venue: { readonly name: string };
}

/** What can be found: its title in the language of the visitor, and its performances in their order. */
interface Findable<Performance extends Dated> {
  readonly title: string;
  readonly performances: readonly Performance[];
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local day of a performance, as `2027-03-12`. */
export const dayOf = ({ startDate, timeZone }: Pick<Dated, 'startDate' | 'timeZone'>): string => {
  const options = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-CA', options);
  formats.set(timeZone, format);
  return format.format(new Date(startDate));
};

const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Whether all words are in the title. */
const hasWords = (title: string, words: readonly string[]): boolean => {
  const letters = plain(title);
  return words.every((word) => letters.includes(word));
};

const countBy = (keys: readonly string[]): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const key of keys.toSorted()) counts.set(key, (counts.get(key) ?? 0) + 1);
  return Object.fromEntries(counts);
};

/**
 * What matches, each with its matching performances, and what else could be chosen: the performances of each day at the
 * wanted venue, and the venues on the wanted days.
 */
export const findIn = <Performance extends Dated, Item extends Findable<Performance>>(
  items: readonly Item[],
  { from = '', to = '~', venue, q = '' }: Wanted,
) => {
  const words = plain(q).split(/\s+/).filter(Boolean);
  const titled = items.filter(({ title }) => hasWords(title, words));
  const isAtVenue = (performance: Performance) => venue === undefined || performance.venue.name === venue;
  const isInTime = (performance: Performance) => {
    const day = dayOf(performance);
    return day >= from && day <= to;
  };
  const isNarrowed = venue !== undefined || from !== '' || to !== '~';
  const found = titled.flatMap((item) => {
    const performances = item.performances.filter((one) => isAtVenue(one) && isInTime(one));
    return performances.length > 0 || !isNarrowed ? [{ item, performances }] : [];
  });
  const all = titled.flatMap(({ performances }) => performances);
  return {
    found,
    days: countBy(all.filter(isAtVenue).map(dayOf)),
    venues: Object.keys(countBy(all.filter(isInTime).map((one) => one.venue.name))),
  };
};
