import {
  type DemoInstitution,
  type DemoProduct,
  readPeriodProducts,
  readTexts,
  type SeatCategory,
} from './institution.ts';

const languages = ['en', 'fr'];
const texts = (line: string) => readTexts(languages, line);
const place = {
  venue: { name: 'Museum of the Estuary', city: 'Nantes' },
  shares: { ADULT: 1, CHILD: 0.5, MEMBER: 0.6 },
};

const general = (capacity: number): SeatCategory => ({
  code: 'ENTRY',
  name: texts('Entry | Entrée'),
  numbered: false,
  capacity,
});

const auditorium: SeatCategory = {
  code: 'AUDITORIUM',
  name: texts('Auditorium'),
  numbered: true,
  capacity: 60,
  rows: ['A', 'B', 'C', 'D', 'E'].map((row) => ({ row, seats: 12 })),
};

/** A show whose performances are a week apart. */
const event = (
  code: string,
  name: string,
  description: string,
  { minutes, dates, hour }: { readonly minutes: number; readonly dates: number; readonly hour: number },
  category: SeatCategory,
  price: number,
): DemoProduct => ({
  ...place,
  code,
  type: 'show',
  name: texts(name),
  description: texts(description),
  starts: Array.from({ length: dates }, (_, week) => [10 + week * 7, hour, 0] as const),
  minutes,
  seatCategories: [category],
  full: [price],
});

const events = [
  event(
    'MAPS',
    'Maps of imaginary seas | Cartes des mers imaginaires',
    'Exhibition, timed entry. | Exposition, entrée à heure fixe.',
    { minutes: 120, dates: 8, hour: 9 },
    general(50),
    1_200,
  ),
  event(
    'TIDES',
    'Tides: light and sound | Marées : lumière et son',
    'Immersive installation. | Installation immersive.',
    { minutes: 60, dates: 8, hour: 13 },
    general(40),
    1_500,
  ),
  event(
    'NIGHT',
    'Night at the museum | Nuit au musée',
    'Once a year, with torches. | Une fois par an, à la lampe de poche.',
    { minutes: 600, dates: 1, hour: 19 },
    general(24),
    3_500,
  ),
  event(
    'LECTURE',
    'What the river remembers | Ce dont le fleuve se souvient',
    'Lecture in the auditorium. | Conférence à l’auditorium.',
    { minutes: 90, dates: 1, hour: 17 },
    auditorium,
    800,
  ),
  event(
    'RESTORERS',
    'An afternoon with the restorers | Un après-midi avec les restaurateurs',
    'Workshop for very few. | Atelier en très petit comité.',
    { minutes: 150, dates: 1, hour: 13 },
    general(8),
    4_500,
  ),
];

const others = readPeriodProducts(
  languages,
  place,
  `DAY-PASS pass 180 300 1400: Day pass | Pass journée | All collections, any one day. | Toutes les collections, un jour au choix.
  FRIENDS membership 365 200 4800: Friends of the museum | Amis du musée | Free entry for a year. | Entrée libre pendant un an.
  AUDIO-GUIDE service 365 150 500: Audio guide | Audioguide | Five languages. | Cinq langues.
  CATALOGUE goods 365 120 3900: Exhibition catalogue | Catalogue de l’exposition | 320 pages. | 320 pages.`,
);

export const museum: DemoInstitution = {
  id: 'museum',
  name: 'Museum of the Estuary',
  currency: 'EUR',
  languages,
  timeZone: 'Europe/Paris',
  serviceHost: 'tickets.museum.example',
  shopName: 'Museum ticket office',
  tariffs: [
    { code: 'ADULT', name: texts('Adult | Adulte') },
    { code: 'CHILD', name: texts('Child | Enfant') },
    { code: 'MEMBER', name: texts('Friend of the museum | Ami du musée'), criterion: 'member' },
  ],
  fixtures: { soldOut: 'NIGHT', numbered: 'LECTURE', twoLeft: 'RESTORERS' },
  products: [...events, ...others],
};
