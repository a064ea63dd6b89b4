import type { Hall } from './halls.ts';
import {
  type DemoInstitution,
  type DemoProduct,
  type Fixtures,
  readPeriodProducts,
  readTexts,
  type SeatCategory,
} from './institution.ts';
import { concertHall, grandTheatre, grandTheatreInFull, smallHall } from './opera-halls.ts';
import { type Title, titles } from './titles.ts';

const languages = ['fr', 'en', 'de'];
const texts = (line: string) => readTexts(languages, line);

/** The hall and prices of a genre's evenings. */
interface Venue {
  readonly hall: string;
  /** Its plan; absent: free seating. */
  readonly plan?: Hall;
  readonly minutes: number;
  readonly evenings: (index: number) => number;
  /** Full prices in centimes, of each seat category. */
  readonly full: readonly number[];
  readonly description: string;
}

const STALLS = texts('Parterre | Stalls | Parkett');

/** Two evenings of every third show. */
const sometimesTwice = (index: number): number => (index % 3 === 0 ? 2 : 1);
const once = () => 1;

const venues: Readonly<Record<Title['genre'], Venue>> = {
  opera: {
    hall: 'Grand Théâtre',
    plan: grandTheatre,
    minutes: 180,
    evenings: sometimesTwice,
    full: [14_500, 8_900, 16_500, 7_000],
    description:
      'Opéra en version scénique, surtitré en français et en anglais. | ' +
      'Staged opera with surtitles in French and English. | ' +
      'Szenische Aufführung mit Übertiteln auf Französisch und Englisch.',
  },
  ballet: {
    hall: 'Grand Théâtre',
    plan: grandTheatre,
    minutes: 140,
    evenings: sometimesTwice,
    full: [11_000, 6_500, 12_500, 5_500],
    description:
      'Le Ballet de l’opéra, avec l’orchestre en fosse. | The opera’s ballet company with live orchestra. | ' +
      'Das Ballett des Hauses mit Orchester.',
  },
  symphony: {
    hall: 'Salle de concert du Lac',
    plan: concertHall,
    minutes: 110,
    evenings: once,
    full: [7_900, 4_500, 4_000],
    description:
      'Concert symphonique avec introduction une heure avant. | Symphony concert with a pre-concert talk. | ' +
      'Sinfoniekonzert mit Einführung eine Stunde vorher.',
  },
  recital: {
    hall: 'Petite salle',
    plan: smallHall,
    minutes: 90,
    evenings: once,
    full: [4_800, 2_400],
    description: 'Musique de chambre au foyer. | Chamber music up close. | Kammermusik aus der Nähe.',
  },
  family: {
    hall: 'Petite salle',
    minutes: 60,
    evenings: () => 2,
    full: [2_500],
    description: 'Dès 5 ans. | From 5 years of age. | Ab 5 Jahren.',
  },
};

const codeOf = (index: number): string => `SHOW-${String(index + 1).padStart(3, '0')}`;

const codeOfTitle = (english: string): string => codeOf(titles.findIndex(({ name }) => name.en === english));

const fixtures: Fixtures = {
  soldOut: codeOfTitle('Carmen'),
  numbered: codeOfTitle('The Magic Flute'),
  twoLeft: codeOfTitle('Piano recital: Chopin'),
};

/** On every day of the first week, so that something begins within the next 24 hours. */
const EVERY_DAY = codeOfTitle('La Bohème');

/** Seats in no order: of the family shows, and those that the demo's first orders sell out, or nearly. */
const freeSeating = (capacity: number): SeatCategory[] => [{ code: 'STALLS', name: STALLS, numbered: false, capacity }];

/** Of the large stages, but without numbers: two sections, two evenings. */
const WITHOUT_NUMBERS = new Set(['Tosca', 'Nabucco', 'The Nutcracker', 'Coppélia'].map(codeOfTitle));

const twoSections: readonly SeatCategory[] = [
  ...freeSeating(40),
  { code: 'BALCONY', name: texts('Balcon | Balcony | Balkon'), numbered: false, capacity: 20 },
];

const seatsOf = (code: string, { plan, full }: Venue): Pick<DemoProduct, 'seatCategories' | 'seatMap' | 'full'> => {
  if (code === fixtures.soldOut) return { seatCategories: freeSeating(40), full };
  if (code === fixtures.twoLeft) return { seatCategories: freeSeating(10), full };
  if (WITHOUT_NUMBERS.has(code)) return { seatCategories: twoSections, full };
  if (code === fixtures.numbered) return { ...grandTheatreInFull, full: [14_500, 8_900, 7_000] };
  return plan ? { ...plan, full } : { seatCategories: freeSeating(40), full };
};

/** One running show per title, an evening each day, in every genre's own hall. */
const shows = titles.map(({ genre, name }, index): DemoProduct => {
  const venue = venues[genre];
  const { hall, minutes, evenings, description } = venue;
  const code = codeOf(index);
  const usual = WITHOUT_NUMBERS.has(code) ? 2 : evenings(index);
  const length = Object.values(fixtures).includes(code) ? 1 : usual;
  return {
    code,
    type: 'show',
    name,
    description: texts(description),
    venue: { name: hall, city: 'Genève' },
    starts: Array.from({ length }, (_, repeat) => [14 + index + repeat * 3, 18, 30] as const),
    ...(code === EVERY_DAY ? { nextDays: 7 } : {}),
    minutes,
    ...seatsOf(code, venue),
    shares: { FULL: 1, REDUCED: 0.7, YOUTH: 0.5, MEMBER: 0.85 },
  };
});

const others = readPeriodProducts(
  languages,
  { venue: { name: 'Grand Théâtre', city: 'Genève' }, shares: { FULL: 1, REDUCED: 0.8, MEMBER: 0.9 } },
  `PASS-DISCOVERY pass 365 200 12000: Pass découverte | Discovery pass | Entdeckerpass | Trois concerts au choix. | Three concerts of your choice. | Drei Konzerte nach Wahl.
  PASS-UNDER-26 pass 365 200 9000: Pass moins de 26 ans | Under-26 pass | Pass für unter 26-Jährige | Toute la saison. | The whole season. | Die ganze Saison.
  SEASON-OPERA season_ticket 300 150 69000: Abonnement Opéra | Opera season ticket | Opernabonnement | Six premières, la même place. | Six first nights, the same seat. | Sechs Premieren, derselbe Platz.
  SEASON-SYMPHONY season_ticket 300 150 42000: Abonnement Symphonique | Symphony season ticket | Sinfonieabonnement | Huit concerts. | Eight concerts. | Acht Konzerte.
  FRIENDS membership 365 300 6000: Amis de l’opéra | Friends of the opera | Freunde der Oper | Tarif membre et répétitions ouvertes. | Members’ prices and open rehearsals. | Mitgliederpreise und offene Proben.
  TOUR service 180 100 1800: Visite des coulisses | Backstage tour | Führung hinter die Kulissen | Une heure, sur rendez-vous. | One hour, by appointment. | Eine Stunde, nach Vereinbarung.
  CLOAKROOM service 300 200 300: Vestiaire | Cloakroom | Garderobe | Par soirée. | Per evening. | Pro Abend.
  PROGRAMME goods 365 300 2500: Programme de la saison | Season programme book | Saisonprogrammbuch | 240 pages, illustré. | 240 pages, illustrated. | 240 Seiten, bebildert.
  EVENING package 180 100 19500: Soirée complète | A whole evening | Ein ganzer Abend | Spectacle, coupe de champagne et programme. | Show, a glass of champagne and the programme. | Vorstellung, ein Glas Champagner und das Programm.`,
);

export const opera: DemoInstitution = {
  id: 'opera',
  name: 'Opéra du Lac',
  currency: 'CHF',
  languages,
  timeZone: 'Europe/Zurich',
  serviceHost: 'tickets.opera.example',
  shopName: 'Billetterie en ligne de l’Opéra du Lac',
  branding: {
    colours: { accent: '#9b1c31', ink: '#1e1a2b', paper: '#fbf7f0' },
    // A bow over waves; its red is seen on light and on dark pages.
    logo:
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 40"><g fill="none" stroke="#c8445c" stroke-width="3" ' +
      'stroke-linecap="round"><path d="M6 24a18 18 0 0 1 36 0"/><path d="M14 24a10 10 0 0 1 20 0"/>' +
      '<path d="M4 32q5-5 10 0t10 0 10 0 10 0"/></g></svg>',
  },
  links: {
    terms: 'https://www.opera.example/conditions',
    privacy: 'https://www.opera.example/confidentialite',
    contact: 'mailto:billetterie@opera.example',
  },
  tariffs: [
    { code: 'FULL', name: texts('Plein tarif | Full price | Normalpreis') },
    {
      code: 'REDUCED',
      name: texts('Tarif réduit (AVS, chômage) | Concession | Ermässigt (AHV, Arbeitslose)'),
    },
    { code: 'YOUTH', name: texts('Jeunes et étudiants | Youth and students | Jugendliche und Studierende') },
    {
      code: 'MEMBER',
      name: texts('Amis de l’opéra | Friends of the opera | Freunde der Oper'),
      criterion: 'member',
    },
  ],
  fixtures,
  products: [...shows, ...others],
};
