// What the web team of an institution would configure; everything else comes from the API.

/**
 * @typedef {object} Institution
 * @property {string} serviceHost host of the point of sale, sent as X-Service-Host
 * @property {string | undefined} only of an institution that is listed here
 * @property {string} city
 * @property {string} region of the formats of dates and amounts
 * @property {string[]} languages the first one is the default
 * @property {string} timeZone of dates without a performance
 * @property {Record<string, string>} headline of the first page
 * @property {Record<string, string>} season the line below it
 */

/** @type {Institution[]} */
const institutions = [
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

/** The form of a service host. */
const HOST = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?$/;
/** Not the host of any point of sale: the API refuses it. */
const NO_HOST = '-';

const unlisted = (serviceHost) => ({
  serviceHost: HOST.test(serviceHost) ? serviceHost : NO_HOST,
  name: undefined,
  city: '',
  region: '',
  languages: ['en', 'fr', 'de'],
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  headline: { fr: 'Programme', en: 'Programme', de: 'Programm' },
  season: {},
});

const requested = new URLSearchParams(location.search).get('host')?.toLowerCase();

/** The institution of this shop: the first, or the one of `?host=` in the address. @type {Institution} */
export const institution = requested
  ? (institutions.find(({ serviceHost }) => serviceHost === requested) ?? unlisted(requested))
  : institutions[0];

let accepted = false;

/** Called after the first successful answer of the API: the point of sale exists. */
export const accept = () => {
  accepted = true;
};

/**
 * The name of the institution; undefined while it is unknown. An address can contain any text as the host, so the host
 * is shown only after the API has accepted it.
 */
export const institutionName = () => institution.name ?? (accepted ? institution.serviceHost : undefined);
