// What a house's own web team would set; the API tells everything else.

/**
 * @typedef {object} House
 * @property {string} serviceHost the point of sale, as X-Service-Host names it
 * @property {string | undefined} name of a house that is listed here
 * @property {string} city
 * @property {string} region whose customs dates and amounts are written by
 * @property {string[]} languages the first one is the default
 * @property {string} timeZone for dates that are not one performance's own
 * @property {Record<string, string>} headline of the first page
 * @property {Record<string, string>} season the line below it
 */

/** @type {House[]} */
const houses = [
  {
    serviceHost: 'tickets.opera.example',
    name: 'Opéra du Lac',
    city: 'Genève',
    region: 'CH',
    languages: ['fr', 'en', 'de'],
    timeZone: 'Europe/Zurich',
    headline: { fr: 'La saison', en: 'The season', de: 'Die Saison' },
    season: {
      fr: 'Opéra, ballet, concerts et récitals au bord du lac.',
      en: 'Opera, ballet, concerts and recitals by the lake.',
      de: 'Oper, Ballett, Konzerte und Rezitale am See.',
    },
  },
  {
    serviceHost: 'tickets.museum.example',
    name: 'Museum of the Estuary',
    city: 'Nantes',
    region: 'FR',
    languages: ['en', 'fr'],
    timeZone: 'Europe/Paris',
    headline: { fr: 'Au musée', en: 'At the museum' },
    season: {
      fr: 'Expositions, nocturnes et ateliers face à l’estuaire.',
      en: 'Exhibitions, late openings and workshops on the estuary.',
    },
  },
];

/** What a service host can look like. */
const HOST = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?$/;
/** No point of sale's host: the API refuses it. */
const NO_HOST = '-';

const unknown = (serviceHost) => ({
  serviceHost: HOST.test(serviceHost) ? serviceHost : NO_HOST,
  name: undefined,
  city: '',
  region: '',
  languages: ['en', 'fr', 'de'],
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  headline: { fr: 'Programme', en: 'Programme', de: 'Programm' },
  season: {},
});

const asked = new URLSearchParams(location.search).get('host')?.toLowerCase();

/** The house whose shop this is: the first, or the one that the address names with `?host=`. @type {House} */
export const house = asked ? (houses.find(({ serviceHost }) => serviceHost === asked) ?? unknown(asked)) : houses[0];

let accepted = false;

/** To be called when the API has answered for the house: its point of sale exists. */
export const accept = () => {
  accepted = true;
};

/**
 * What the house is called; undefined while nobody knows. An address can name any text as the host, so the host is shown only once the
 * API has accepted it.
 */
export const houseName = () => house.name ?? (accepted ? house.serviceHost : undefined);
