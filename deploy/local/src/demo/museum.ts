import { hallOf, lettered } from './halls.ts';
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

const AUDITORIUM = texts('Auditorium');

const auditorium = hallOf(
  { AUDITORIUM },
  [{ id: 'auditorium', name: AUDITORIUM, category: 'AUDITORIUM', rows: lettered('ABCDE', 12), top: 48, bow: 10 }],
  110,
);

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
    ...(code === 'LECTURE' ? auditorium : { seatCategories: [entry(Number(capacity))] }),
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
  branding: {
    colours: { accent: '#0b6b7d', ink: '#0f2a33', paper: '#f4f8f9' },
    // A river that widens to the sea; its blue is seen on light and on dark pages.
    logo:
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 40"><g fill="none" stroke="#1f8fa3" stroke-width="3" ' +
      'stroke-linejoin="round"><path d="M6 6h36v28H6z"/><path d="M22 6q-2 10-6 16t-4 12M26 6q2 10 6 16t4 12"/></g></svg>',
  },
  links: {
    terms: 'https://www.museum.example/terms',
    privacy: 'https://www.museum.example/privacy',
    contact: 'mailto:tickets@museum.example',
  },
  tariffs: [
    { code: 'ADULT', name: texts('Adult | Adulte') },
    { code: 'CHILD', name: texts('Child | Enfant') },
    { code: 'MEMBER', name: texts('Friend of the museum | Ami du musée'), criterion: 'member' },
  ],
  fixtures: { soldOut: 'NIGHT', numbered: 'LECTURE', twoLeft: 'RESTORERS' },
  products: [...events, ...others],
};
