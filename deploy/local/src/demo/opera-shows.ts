import type { Fixtures, TariffIds } from './demo-institution.ts';
import { pricesOf, type Shares } from './pricing.ts';
import type { NewPerformance, NewProduct, NewSeatCategory } from './request-bodies.ts';
import { after, type Schedule } from './schedule.ts';
import { type Texts, type Title, titles } from './titles.ts';

/** The hall and prices of a genre's evenings. */
interface Venue {
  readonly hall: string;
  readonly minutes: number;
  readonly evenings: number;
  /** Places of stalls and balcony; 0: the hall has no such section. */
  readonly places: readonly [stalls: number, balcony: number];
  /** Full prices in centimes. */
  readonly full: readonly [stalls: number, balcony: number];
  readonly description: Texts;
}

const venues: Readonly<Record<Title['genre'], Venue>> = {
  opera: {
    hall: 'Grand Théâtre',
    minutes: 180,
    evenings: 2,
    places: [40, 20],
    full: [14_500, 8_900],
    description: {
      fr: 'Opéra en version scénique, surtitré en français et en anglais.',
      en: 'Staged opera with surtitles in French and English.',
      de: 'Szenische Aufführung mit Übertiteln auf Französisch und Englisch.',
    },
  },
  ballet: {
    hall: 'Grand Théâtre',
    minutes: 140,
    evenings: 2,
    places: [40, 20],
    full: [11_000, 6_500],
    description: {
      fr: 'Le Ballet de l’opéra, avec l’orchestre en fosse.',
      en: 'The opera’s ballet company with live orchestra.',
      de: 'Das Ballett des Hauses mit Orchester.',
    },
  },
  symphony: {
    hall: 'Salle de concert du Lac',
    minutes: 110,
    evenings: 1,
    places: [45, 25],
    full: [7_900, 4_500],
    description: {
      fr: 'Concert symphonique avec introduction une heure avant.',
      en: 'Symphony concert with a pre-concert talk.',
      de: 'Sinfoniekonzert mit Einführung eine Stunde vorher.',
    },
  },
  recital: {
    hall: 'Petite salle',
    minutes: 90,
    evenings: 1,
    places: [40, 0],
    full: [4_800, 0],
    description: { fr: 'Musique de chambre au foyer.', en: 'Chamber music up close.', de: 'Kammermusik aus der Nähe.' },
  },
  family: {
    hall: 'Petite salle',
    minutes: 60,
    evenings: 2,
    places: [40, 0],
    full: [2_500, 0],
    description: { fr: 'Dès 5 ans.', en: 'From 5 years of age.', de: 'Ab 5 Jahren.' },
  },
};

const shares: Shares = { FULL: 1, REDUCED: 0.7, YOUTH: 0.5, MEMBER: 0.85 };

const stalls: Texts = { fr: 'Parterre', en: 'Stalls', de: 'Parkett' };
const balcony: Texts = { fr: 'Balcon', en: 'Balcony', de: 'Balkon' };

const ROWS = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'J', 'K'];
const SEATS = 20;

const codeOf = (index: number): string => `SHOW-${String(index + 1).padStart(3, '0')}`;

const codeOfTitle = (english: string): string => codeOf(titles.findIndex(({ name }) => name.en === english));

export const fixtures: Fixtures = {
  soldOut: codeOfTitle('Carmen'),
  numbered: codeOfTitle('The Magic Flute'),
  twoLeft: codeOfTitle('Piano recital: Chopin'),
};

const categoriesOf = (code: string, { places: [below, above] }: Venue): NewSeatCategory[] => {
  if (code === fixtures.numbered) {
    const rows = ROWS.map((row) => ({ row, seats: SEATS }));
    return [{ code: 'STALLS', name: stalls, numbered: true, capacity: ROWS.length * SEATS, rows }];
  }
  // The demo's first orders sell it out, or nearly.
  if (code === fixtures.soldOut) return [{ code: 'STALLS', name: stalls, numbered: false, capacity: 40 }];
  if (code === fixtures.twoLeft) return [{ code: 'STALLS', name: stalls, numbered: false, capacity: 10 }];
  const all = [
    { code: 'STALLS', name: stalls, numbered: false, capacity: below },
    { code: 'BALCONY', name: balcony, numbered: false, capacity: above },
  ];
  return all.filter(({ capacity }) => capacity > 0);
};

/** The season of the opera venue: one running show per title, an evening each day, in every genre's own hall. */
export const operaShows = (tariffs: TariffIds, schedule: Schedule): NewProduct[] =>
  titles.map(({ genre, name }, index) => {
    const venue = venues[genre];
    const code = codeOf(index);
    const special = Object.values(fixtures).includes(code);
    const seatCategories = categoriesOf(code, venue);
    const evening = (repeat: number): NewPerformance => {
      const startDate = schedule.at(14 + index + repeat * 3);
      return {
        startDate,
        durationMinutes: venue.minutes,
        venue: { name: venue.hall, city: 'Genève' },
        timeZone: 'Europe/Zurich',
        salesFrom: schedule.salesFrom,
        salesTo: startDate,
        seatCategories,
        prices: pricesOf(seatCategories, venue.full, shares, tariffs),
      };
    };
    const performances = Array.from({ length: special ? 1 : venue.evenings }, (_, repeat) => evening(repeat));
    const [first] = performances;
    const last = performances.at(-1);
    return {
      code,
      type: 'show',
      name,
      description: venue.description,
      state: 'running',
      startDate: String(first?.startDate),
      endDate: after(String(last?.startDate), venue.minutes),
      performances,
    };
  });
