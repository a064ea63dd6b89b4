import {
  type DemoInstitution,
  type DemoProduct,
  readPeriodProducts,
  readTable,
  readTexts,
  type SeatCategory,
} from './institution.ts';

const languages = ['en', 'fr'];
const texts = (line: string) => readTexts(languages, line);
const place = {
  venue: { name: 'Museum of the Estuary', city: 'Nantes' },
  shares: { ADULT: 1, CHILD: 0.5, MEMBER: 0.6 },
};

const entry = (capacity: number): SeatCategory => ({
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
  rows: [...'ABCDE'].map((row) => ({ row, seats: 12 })),
};

/** Code, minutes, performances (a week apart), hour, capacity and price in minor units. */
const events = readTable(
  languages,
  `MAPS 120 8 9 50 1200: Maps of imaginary seas | Cartes des mers imaginaires | Exhibition, timed entry. | Exposition, entrée à heure fixe.
  TIDES 60 8 13 40 1500: Tides: light and sound | Marées : lumière et son | Immersive installation. | Installation immersive.
  NIGHT 600 1 19 24 3500: Night at the museum | Nuit au musée | Once a year, with torches. | Une fois par an, à la lampe de poche.
  LECTURE 90 1 17 60 800: What the river remembers | Ce dont le fleuve se souvient | Lecture in the auditorium. | Conférence à l’auditorium.
  RESTORERS 150 1 13 8 4500: An afternoon with the restorers | Un après-midi avec les restaurateurs | Workshop for very few. | Atelier en très petit comité.`,
).map(
  ({ figures: [code = '', minutes, dates, hour, capacity, price], name, description }): DemoProduct => ({
    ...place,
    code,
    type: 'show',
    name,
    description,
    starts: Array.from({ length: Number(dates) }, (_, week) => [10 + week * 7, Number(hour), 0] as const),
    minutes: Number(minutes),
    seatCategories: [code === 'LECTURE' ? auditorium : entry(Number(capacity))],
    full: [Number(price)],
  }),
);

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
