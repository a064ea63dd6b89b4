import {
  changeReceipt,
  createInstitution,
  createPointOfSale,
  type Institution,
  listInstitutions,
  listPointsOfSale,
  type PaymentMethod,
  paymentMethods,
  readReceipt,
} from '@boxoffice/catalog';
import { type Command, Misuse, parseList, requireName, requireOption } from '../command.ts';
import { type Installation, Refused } from '../installation.ts';

/** The institution that a command names. @throws {Refused} when the id is unknown */
export async function requireInstitution(installation: Installation, id: string): Promise<Institution> {
  const found = (await listInstitutions(await installation.store('catalog'))).find((one) => one.id === id);
  if (!found) throw new Refused(`there is no institution ${id}`);
  return found;
}

export const institutions: readonly Command[] = [
  {
    name: 'institutions list',
    usage: '',
    about: 'lists the institutions of this installation',
    run: async (installation) => listInstitutions(await installation.store('catalog')),
  },
  {
    name: 'institutions create',
    usage: 'ID --name NAME --currency CHF --languages fr,en',
    about: 'creates an institution; all its prices are in its currency. The first one creates the installation',
    data: 'made',
    run: async (installation, given) => {
      const [name, currency] = [requireName(given, 200), requireOption(given, 'currency')];
      const languages = parseList(given, 'languages');
      return createInstitution(await installation.store('catalog'), {
        id: given.words[0] ?? '',
        name,
        currency,
        languages,
      });
    },
  },
  {
    name: 'institutions receipt',
    usage: 'INSTITUTION [--name NAME] [--address ADDRESS] [--tax-number NUMBER] [--remove]',
    about:
      'prints the head of its receipts, tickets and mails, and sets what is given of it: who sells, where (\\n begins a ' +
      "new line), and the tax number; '' removes a member, --remove all. A point of sale may have one of its own " +
      '(receipt)',
    async run(installation, given) {
      const { id } = await requireInstitution(installation, given.words[0] ?? '');
      const none = `${id} has no head of receipts`;
      const store = await installation.store('catalog');
      const { name, address, 'tax-number': taxNumber, remove } = given.options;
      const members = Object.entries({ name, address, taxNumber }).flatMap(([member, text]) =>
        typeof text === 'string' ? [[member, text.replaceAll('\\n', '\n').trim() || null]] : [],
      );
      if (remove === true && members.length > 0) throw new Misuse('--remove takes all of it; leave out the others');
      const merge = (current: object | null) => {
        const head = { ...current, ...Object.fromEntries(members) };
        if (!head.name) throw new Misuse('--name is missing: who sells');
        return head;
      };
      if (remove !== true && members.length === 0) return (await readReceipt(store, id)) ?? none;
      return (await changeReceipt(store, id, remove === true ? () => null : merge)) ?? none;
    },
  },
];

/** A point of sale of an institution. @throws {Refused} when it is unknown */
export async function requirePointOfSale(installation: Installation, institution: string, host: string) {
  const { id } = await requireInstitution(installation, institution);
  const all = await listPointsOfSale(await installation.store('catalog'), id);
  const found = all.find(({ serviceHost }) => serviceHost === host.toLowerCase());
  if (!found) throw new Refused(`${id} has no point of sale ${host}`);
  return found;
}

const isMethod = (text: string): text is PaymentMethod => paymentMethods.some((method) => method === text);

export const pointsOfSale: readonly Command[] = [
  {
    name: 'points-of-sale list',
    usage: 'INSTITUTION',
    about: 'lists the points of sale of an institution',
    run: async (installation, { words: [institution = ''] }) => {
      const { id } = await requireInstitution(installation, institution);
      return listPointsOfSale(await installation.store('catalog'), id);
    },
  },
  {
    name: 'points-of-sale show',
    usage: 'INSTITUTION HOST',
    about: 'one of them',
    run: (installation, { words: [institution = '', host = ''] }) =>
      requirePointOfSale(installation, institution, host),
  },
  {
    name: 'points-of-sale create',
    usage:
      'INSTITUTION HOST --name NAME [--languages fr,en] [--tariffs ID,ID] [--methods external] [--max-places 8] ' +
      '[--hold-minutes 15] [--origins URL,URL]',
    about: 'creates a point of sale for a service host; languages and currency default to the institution’s',
    async run(installation, given) {
      const [id = '', serviceHost = ''] = given.words;
      const methods = parseList(given, 'methods', ['external']);
      const unknown = methods.filter((method) => !isMethod(method));
      if (unknown.length > 0)
        throw new Misuse(`--methods knows ${paymentMethods.join(', ')}, not ${unknown.join(', ')}`);
      const name = requireName(given, 200);
      const institution = await requireInstitution(installation, id);
      await createPointOfSale(await installation.store('catalog'), id, {
        serviceHost,
        name,
        languages: parseList(given, 'languages', institution.languages),
        currency: institution.currency,
        tariffIds: parseList(given, 'tariffs'),
        paymentMethods: methods.filter(isMethod),
        maxPlacesPerOrder: Number(given.options['max-places'] ?? 8),
        holdMinutes: Number(given.options['hold-minutes'] ?? 15),
        corsOrigins: parseList(given, 'origins'),
      });
      return `${serviceHost} is open`;
    },
  },
];
