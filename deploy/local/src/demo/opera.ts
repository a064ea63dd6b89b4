import type { DemoInstitution } from './demo-institution.ts';
import { fixtures, operaShows } from './opera-shows.ts';
import { type PeriodProduct, periodProducts } from './period-products.ts';
import { scheduleFrom } from './schedule.ts';

const others: readonly PeriodProduct[] = [
  {
    code: 'PASS-DISCOVERY',
    type: 'pass',
    name: { fr: 'Pass découverte', en: 'Discovery pass', de: 'Entdeckerpass' },
    description: {
      fr: 'Trois concerts au choix.',
      en: 'Three concerts of your choice.',
      de: 'Drei Konzerte nach Wahl.',
    },
    days: 365,
    stock: 200,
    price: 12_000,
  },
  {
    code: 'PASS-UNDER-26',
    type: 'pass',
    name: { fr: 'Pass moins de 26 ans', en: 'Under-26 pass', de: 'Pass für unter 26-Jährige' },
    description: { fr: 'Toute la saison.', en: 'The whole season.', de: 'Die ganze Saison.' },
    days: 365,
    stock: 200,
    price: 9_000,
  },
  {
    code: 'SEASON-OPERA',
    type: 'season_ticket',
    name: { fr: 'Abonnement Opéra', en: 'Opera season ticket', de: 'Opernabonnement' },
    description: {
      fr: 'Six premières, la même place.',
      en: 'Six first nights, the same seat.',
      de: 'Sechs Premieren, derselbe Platz.',
    },
    days: 300,
    stock: 150,
    price: 69_000,
  },
  {
    code: 'SEASON-SYMPHONY',
    type: 'season_ticket',
    name: { fr: 'Abonnement Symphonique', en: 'Symphony season ticket', de: 'Sinfonieabonnement' },
    description: { fr: 'Huit concerts.', en: 'Eight concerts.', de: 'Acht Konzerte.' },
    days: 300,
    stock: 150,
    price: 42_000,
  },
  {
    code: 'FRIENDS',
    type: 'membership',
    name: { fr: 'Amis de l’opéra', en: 'Friends of the opera', de: 'Freunde der Oper' },
    description: {
      fr: 'Tarif membre et répétitions ouvertes.',
      en: 'Members’ prices and open rehearsals.',
      de: 'Mitgliederpreise und offene Proben.',
    },
    days: 365,
    stock: 300,
    price: 6_000,
  },
  {
    code: 'TOUR',
    type: 'service',
    name: { fr: 'Visite des coulisses', en: 'Backstage tour', de: 'Führung hinter die Kulissen' },
    description: {
      fr: 'Une heure, sur rendez-vous.',
      en: 'One hour, by appointment.',
      de: 'Eine Stunde, nach Vereinbarung.',
    },
    days: 180,
    stock: 100,
    price: 1_800,
  },
  {
    code: 'CLOAKROOM',
    type: 'service',
    name: { fr: 'Vestiaire', en: 'Cloakroom', de: 'Garderobe' },
    description: { fr: 'Par soirée.', en: 'Per evening.', de: 'Pro Abend.' },
    days: 300,
    stock: 200,
    price: 300,
  },
  {
    code: 'PROGRAMME',
    type: 'goods',
    name: { fr: 'Programme de la saison', en: 'Season programme book', de: 'Saisonprogrammbuch' },
    description: { fr: '240 pages, illustré.', en: '240 pages, illustrated.', de: '240 Seiten, bebildert.' },
    days: 365,
    stock: 300,
    price: 2_500,
  },
  {
    code: 'EVENING',
    type: 'package',
    name: { fr: 'Soirée complète', en: 'A whole evening', de: 'Ein ganzer Abend' },
    description: {
      fr: 'Spectacle, coupe de champagne et programme.',
      en: 'Show, a glass of champagne and the programme.',
      de: 'Vorstellung, ein Glas Champagner und das Programm.',
    },
    days: 180,
    stock: 100,
    price: 19_500,
  },
];

const shares = { FULL: 1, REDUCED: 0.8, MEMBER: 0.9 };

export const opera: DemoInstitution = {
  id: 'opera',
  name: 'Opéra du Lac',
  currency: 'CHF',
  languages: ['fr', 'en', 'de'],
  serviceHost: 'tickets.opera.example',
  shopName: 'Billetterie en ligne de l’Opéra du Lac',
  tariffs: [
    { code: 'FULL', name: { fr: 'Plein tarif', en: 'Full price', de: 'Normalpreis' } },
    {
      code: 'REDUCED',
      name: { fr: 'Tarif réduit (AVS, chômage)', en: 'Concession', de: 'Ermässigt (AHV, Arbeitslose)' },
    },
    { code: 'YOUTH', name: { fr: 'Jeunes et étudiants', en: 'Youth and students', de: 'Jugendliche und Studierende' } },
    {
      code: 'MEMBER',
      name: { fr: 'Amis de l’opéra', en: 'Friends of the opera', de: 'Freunde der Oper' },
      criterion: 'member',
    },
  ],
  fixtures,
  products(tariffs, now) {
    const schedule = scheduleFrom(now);
    const place = { venue: { name: 'Grand Théâtre', city: 'Genève' }, timeZone: 'Europe/Zurich' };
    return [...operaShows(tariffs, schedule), ...periodProducts(others, place, shares, tariffs, schedule)];
  },
};
