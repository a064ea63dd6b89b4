import {
  type DemoInstitution,
  type DemoProduct,
  type Fixtures,
  readPeriodProducts,
  readTexts,
  type SeatCategory,
} from './institution.ts';
import { type Title, titles } from './titles.ts';

const languages = ['fr', 'en', 'de'];
const texts = (line: string) => readTexts(languages, line);

/** The hall and prices of a genre's evenings. */
interface Venue {
  readonly hall: string;
  readonly minutes: number;
  readonly evenings: number;
  /** Places of stalls and balcony; 0: the hall has no such section. */
  readonly places: readonly [stalls: number, balcony: number];
  /** Full prices in centimes. */
  readonly full: readonly [stalls: number, balcony: number];
  readonly description: string;
}

const venues: Readonly<Record<Title['genre'], Venue>> = {
  opera: {
    hall: 'Grand Théâtre',
    minutes: 180,
    evenings: 2,
    places: [40, 20],
    full: [14_500, 8_900],
    description:
      'Opéra en version scénique, surtitré en français et en anglais. | ' +
      'Staged opera with surtitles in French and English. | ' +
      'Szenische Aufführung mit Übertiteln auf Französisch und Englisch.',
  },
  ballet: {
    hall: 'Grand Théâtre',
    minutes: 140,
    evenings: 2,
    places: [40, 20],
    full: [11_000, 6_500],
    description:
      'Le Ballet de l’opéra, avec l’orchestre en fosse. | The opera’s ballet company with live orchestra. | ' +
      'Das Ballett des Hauses mit Orchester.',
  },
  symphony: {
    hall: 'Salle de concert du Lac',
    minutes: 110,
    evenings: 1,
    places: [45, 25],
    full: [7_900, 4_500],
    description:
      'Concert symphonique avec introduction une heure avant. | Symphony concert with a pre-concert talk. | ' +
      'Sinfoniekonzert mit Einführung eine Stunde vorher.',
  },
  recital: {
    hall: 'Petite salle',
    minutes: 90,
    evenings: 1,
    places: [40, 0],
    full: [4_800, 0],
    description: 'Musique de chambre au foyer. | Chamber music up close. | Kammermusik aus der Nähe.',
  },
  family: {
    hall: 'Petite salle',
    minutes: 60,
    evenings: 2,
    places: [40, 0],
    full: [2_500, 0],
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

const categoriesOf = (code: string, [below, above]: Venue['places']): SeatCategory[] => {
  const stalls = { code: 'STALLS', name: texts('Parterre | Stalls | Parkett') };
  if (code === fixtures.numbered) {
    const rows = [...'ABCDEFGHJK'].map((row) => ({ row, seats: 20 }));
    return [{ ...stalls, numbered: true, capacity: 200, rows }];
  }
  // The demo's first orders sell it out, or nearly.
  if (code === fixtures.soldOut) return [{ ...stalls, numbered: false, capacity: 40 }];
  if (code === fixtures.twoLeft) return [{ ...stalls, numbered: false, capacity: 10 }];
  const balcony = { code: 'BALCONY', name: texts('Balcon | Balcony | Balkon'), numbered: false, capacity: above };
  return [{ ...stalls, numbered: false, capacity: below }, ...(above > 0 ? [balcony] : [])];
};

/** One running show per title, an evening each day, in every genre's own hall. */
const shows = titles.map(({ genre, name }, index): DemoProduct => {
  const { hall, minutes, evenings, places, full, description } = venues[genre];
  const code = codeOf(index);
  const length = Object.values(fixtures).includes(code) ? 1 : evenings;
  return {
    code,
    type: 'show',
    name,
    description: texts(description),
    venue: { name: hall, city: 'Genève' },
    starts: Array.from({ length }, (_, repeat) => [14 + index + repeat * 3, 18, 30] as const),
    minutes,
    seatCategories: categoriesOf(code, places),
    full,
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
