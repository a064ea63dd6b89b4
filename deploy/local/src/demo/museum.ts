import type { DemoInstitution, TariffIds } from './demo-institution.ts';
import { type PeriodProduct, periodProducts } from './period-products.ts';
import { pricesOf } from './pricing.ts';
import type { NewProduct, NewSeatCategory } from './request-bodies.ts';
import { after, type Schedule, scheduleFrom } from './schedule.ts';
import type { Texts } from './titles.ts';

const place = { venue: { name: 'Museum of the Estuary', city: 'Nantes' }, timeZone: 'Europe/Paris' };
const shares = { ADULT: 1, CHILD: 0.5, MEMBER: 0.6 };

interface Event {
  readonly code: string;
  readonly name: Texts;
  readonly description: Texts;
  readonly minutes: number;
  /** The number of performances, a week apart. */
  readonly dates: number;
  readonly hour: number;
  readonly category: NewSeatCategory;
  readonly price: number;
}

const entry: Texts = { en: 'Entry', fr: 'Entrée' };
const general = (capacity: number): NewSeatCategory => ({ code: 'ENTRY', name: entry, numbered: false, capacity });

const ROWS = ['A', 'B', 'C', 'D', 'E'];

const events: readonly Event[] = [
  {
    code: 'MAPS',
    name: { en: 'Maps of imaginary seas', fr: 'Cartes des mers imaginaires' },
    description: { en: 'Exhibition, timed entry.', fr: 'Exposition, entrée à heure fixe.' },
    minutes: 120,
    dates: 8,
    hour: 9,
    category: general(50),
    price: 1_200,
  },
  {
    code: 'TIDES',
    name: { en: 'Tides: light and sound', fr: 'Marées : lumière et son' },
    description: { en: 'Immersive installation.', fr: 'Installation immersive.' },
    minutes: 60,
    dates: 8,
    hour: 13,
    category: general(40),
    price: 1_500,
  },
  {
    code: 'NIGHT',
    name: { en: 'Night at the museum', fr: 'Nuit au musée' },
    description: { en: 'Once a year, with torches.', fr: 'Une fois par an, à la lampe de poche.' },
    minutes: 600,
    dates: 1,
    hour: 19,
    category: general(24),
    price: 3_500,
  },
  {
    code: 'LECTURE',
    name: { en: 'What the river remembers', fr: 'Ce dont le fleuve se souvient' },
    description: { en: 'Lecture in the auditorium.', fr: 'Conférence à l’auditorium.' },
    minutes: 90,
    dates: 1,
    hour: 17,
    category: {
      code: 'AUDITORIUM',
      name: { en: 'Auditorium', fr: 'Auditorium' },
      numbered: true,
      capacity: ROWS.length * 12,
      rows: ROWS.map((row) => ({ row, seats: 12 })),
    },
    price: 800,
  },
  {
    code: 'RESTORERS',
    name: { en: 'An afternoon with the restorers', fr: 'Un après-midi avec les restaurateurs' },
    description: { en: 'Workshop for very few.', fr: 'Atelier en très petit comité.' },
    minutes: 150,
    dates: 1,
    hour: 13,
    category: general(8),
    price: 4_500,
  },
];

const others: readonly PeriodProduct[] = [
  {
    code: 'DAY-PASS',
    type: 'pass',
    name: { en: 'Day pass', fr: 'Pass journée' },
    description: { en: 'All collections, any one day.', fr: 'Toutes les collections, un jour au choix.' },
    days: 180,
    stock: 300,
    price: 1_400,
  },
  {
    code: 'FRIENDS',
    type: 'membership',
    name: { en: 'Friends of the museum', fr: 'Amis du musée' },
    description: { en: 'Free entry for a year.', fr: 'Entrée libre pendant un an.' },
    days: 365,
    stock: 200,
    price: 4_800,
  },
  {
    code: 'AUDIO-GUIDE',
    type: 'service',
    name: { en: 'Audio guide', fr: 'Audioguide' },
    description: { en: 'Five languages.', fr: 'Cinq langues.' },
    days: 365,
    stock: 150,
    price: 500,
  },
  {
    code: 'CATALOGUE',
    type: 'goods',
    name: { en: 'Exhibition catalogue', fr: 'Catalogue de l’exposition' },
    description: { en: '320 pages.', fr: '320 pages.' },
    days: 365,
    stock: 120,
    price: 3_900,
  },
];

const eventProduct = (event: Event, tariffs: TariffIds, schedule: Schedule): NewProduct => {
  const { code, name, description, minutes, category, price } = event;
  const starts = Array.from({ length: event.dates }, (_, week) => schedule.at(10 + week * 7, event.hour, 0));
  const seatCategories = [category];
  return {
    code,
    type: 'show',
    name,
    description,
    state: 'running',
    startDate: String(starts[0]),
    endDate: after(String(starts.at(-1)), minutes),
    performances: starts.map((startDate) => ({
      startDate,
      durationMinutes: minutes,
      ...place,
      salesFrom: schedule.salesFrom,
      salesTo: startDate,
      seatCategories,
      prices: pricesOf(seatCategories, [price], shares, tariffs),
    })),
  };
};

export const museum: DemoInstitution = {
  id: 'museum',
  name: 'Museum of the Estuary',
  currency: 'EUR',
  languages: ['en', 'fr'],
  serviceHost: 'tickets.museum.example',
  shopName: 'Museum ticket office',
  tariffs: [
    { code: 'ADULT', name: { en: 'Adult', fr: 'Adulte' } },
    { code: 'CHILD', name: { en: 'Child', fr: 'Enfant' } },
    { code: 'MEMBER', name: { en: 'Friend of the museum', fr: 'Ami du musée' }, criterion: 'member' },
  ],
  fixtures: { soldOut: 'NIGHT', numbered: 'LECTURE', twoLeft: 'RESTORERS' },
  products(tariffs, now) {
    const schedule = scheduleFrom(now);
    return [
      ...events.map((event) => eventProduct(event, tariffs, schedule)),
      ...periodProducts(others, place, shares, tariffs, schedule),
    ];
  },
};
