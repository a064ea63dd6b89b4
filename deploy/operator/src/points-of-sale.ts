import { createPointOfSale, listInstitutions, listPointsOfSale } from '@boxoffice/catalog';
import { type Command, listOf, Misuse, required } from './command.ts';

const METHODS = ['on_account', 'external', 'simulated'] as const;
type Method = (typeof METHODS)[number];

const isMethod = (text: string): text is Method => METHODS.some((method) => method === text);

export const pointsOfSale: readonly Command[] = [
  {
    name: 'points-of-sale list',
    usage: 'INSTITUTION',
    about: 'the points of sale of an institution',
    words: ['INSTITUTION'],
    run: async (installation, { words: [institution = ''] }) =>
      listPointsOfSale(await installation.catalog(), institution),
  },
  {
    name: 'points-of-sale create',
    usage:
      'INSTITUTION HOST --name NAME [--languages fr,en] [--tariffs ID,ID] [--methods external] [--max-places 8] [--hold-minutes 15] [--origins URL,URL]',
    about: 'opens a point of sale under a service host; languages and currency are the institution’s unless given',
    words: ['INSTITUTION', 'HOST'],
    options: {
      name: { type: 'string' },
      languages: { type: 'string' },
      tariffs: { type: 'string' },
      methods: { type: 'string' },
      'max-places': { type: 'string' },
      'hold-minutes': { type: 'string' },
      origins: { type: 'string' },
    },
    async run(installation, given) {
      const [id = '', serviceHost = ''] = given.words;
      const store = await installation.catalog();
      const institution = (await listInstitutions(store)).find((one) => one.id === id);
      if (!institution) throw new Misuse(`there is no institution ${id}`);
      const methods = listOf(given, 'methods', ['external']);
      const unknown = methods.filter((method) => !isMethod(method));
      if (unknown.length > 0) throw new Misuse(`--methods knows ${METHODS.join(', ')}, not ${unknown.join(', ')}`);
      await createPointOfSale(store, id, {
        serviceHost,
        name: required(given, 'name'),
        languages: listOf(given, 'languages', institution.languages),
        currency: institution.currency,
        tariffIds: listOf(given, 'tariffs'),
        paymentMethods: methods.filter(isMethod),
        maxPlacesPerOrder: Number(given.options['max-places'] ?? 8),
        holdMinutes: Number(given.options['hold-minutes'] ?? 15),
        corsOrigins: listOf(given, 'origins'),
      });
      return `${serviceHost} is open`;
    },
  },
];
