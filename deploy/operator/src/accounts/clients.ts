import {
  addClientSecret,
  checkUris,
  createApiKey,
  createClient,
  createClients,
  createPublicClient,
  deleteApiKey,
  deleteClient,
  listApiKeys,
  listClients,
  listDomainScopes,
  parseUsageRange,
  readUsage,
  removeClientSecret,
  SCOPES,
  type UsageQuery,
} from '@boxoffice/authorizer';
import { readPresentRows } from '@boxoffice/runtime/services';
import { type Command, formatResult, type Given, Misuse, parseList, requireName } from '../command.ts';
import type { Installation } from '../installation.ts';
import { requireInstitution, requirePointOfSale } from './institutions.ts';

const knownScopes = (): readonly string[] => listDomainScopes(readPresentRows().flatMap(({ domains }) => domains));

/** The scopes of an option; `all` means every one. @throws {Misuse} naming unknown ones */
const scopesOf = (given: Given, option = 'scopes'): string[] => {
  const asked = parseList(given, option);
  if (asked.length === 1 && asked[0] === 'all') return [...knownScopes()];
  const unknown = asked.filter((scope) => !knownScopes().includes(scope));
  if (unknown.length > 0) throw new Misuse(`there is no scope ${unknown.join(', ')}`);
  return asked;
};

/** What --scopes or --add-scopes makes of a client's scopes; empty without either. @throws {Misuse} */
const scopesChangeOf = (given: Given, present: readonly string[] = []) => {
  const { scopes, 'add-scopes': added } = given.options;
  if (scopes !== undefined && added !== undefined)
    throw new Misuse('--scopes gives the whole list; leave out --scopes or --add-scopes');
  if (added !== undefined) return { scopes: [...new Set([...present, ...scopesOf(given, 'add-scopes')])] };
  return scopes === undefined ? {} : { scopes: scopesOf(given) };
};

const browserOptionsOf = (given: Given) => ({
  ...(given.options['redirect-uris'] === undefined ? {} : { redirectUris: parseList(given, 'redirect-uris') }),
  ...(given.options.origins === undefined ? {} : { origins: parseList(given, 'origins') }),
  ...(given.options['third-party'] === undefined ? {} : { thirdParty: given.options['third-party'] === true }),
});

const WHOLE = /^[1-9]\d{0,12}$/;

/** A number of an option; undefined if it is absent. @throws {Misuse} */
const numberOf = ({ options }: Given, name: string): number | undefined => {
  const value = options[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !WHOLE.test(value)) throw new Misuse(`--${name} is not a whole number above 0`);
  return Number(value);
};

const limitsOf = (given: Given) => {
  const { 'on-account': onAccount } = given.options;
  const [reservationDays, heldPlaces] = [numberOf(given, 'reservation-days'), numberOf(given, 'held-places')];
  return {
    ...(onAccount === undefined ? {} : { onAccount: onAccount === true }),
    ...(reservationDays === undefined ? {} : { reservationDays }),
    ...(heldPlaces === undefined ? {} : { heldPlaces }),
  };
};

/** Empty without an option. @throws {Misuse}; {Refused} for an unknown point of sale */
const boundsOf = async (installation: Installation, institution: string, given: Given) => {
  const { 'own-orders': ownOrders, 'points-of-sale': hosts, unbounded } = given.options;
  const pointsOfSale = parseList(given, 'points-of-sale');
  const bounds = {
    ...(ownOrders === undefined ? {} : { ownOrders: ownOrders === true }),
    ...(hosts === undefined ? {} : { pointsOfSale }),
    ...limitsOf(given),
  };
  const isGiven = Object.keys(bounds).length > 0;
  if (unbounded !== true && !isGiven) return {};
  if (unbounded === true && isGiven)
    throw new Misuse('--unbounded takes the bounds away; leave out --own-orders, --points-of-sale and the limits');
  for (const host of pointsOfSale) await requirePointOfSale(installation, institution, host);
  return { bounds: isGiven ? bounds : null };
};

const BOUNDS_USAGE = '[--points-of-sale HOST,HOST] [--on-account] [--reservation-days 14] [--held-places 500]';

export const clients: readonly Command[] = [
  {
    name: 'clients list',
    usage: '[INSTITUTION]',
    about: 'lists the OAuth clients of an institution, or of all, without secrets',
    run: async (installation, { words: [institution] }) => {
      if (institution !== undefined) await requireInstitution(installation, institution);
      return listClients(await installation.store('authorizer'), institution);
    },
  },
  {
    name: 'clients create',
    usage:
      'INSTITUTION --name NAME --scopes catalog:read,orders:write [--redirect-uris https://…] [--origins https://…] ' +
      `[--public] [--third-party] [--own-orders] ${BOUNDS_USAGE}`,
    about: `registers a client; its secret is printed only here. Browsers may call from --origins and from those of --redirect-uris. Bounds of a partner, with scopes of what it sells alone: --own-orders (only what it made exists for it), --points-of-sale (all it sells for), --on-account (it confirms so), --reservation-days and --held-places (at most). --scopes all: ${SCOPES.join(' ')}, and those of the domains in SERVICES_FILE`,
    async run(installation, given) {
      const [name, scopes] = [requireName(given), scopesOf(given)];
      const { id: institution } = await requireInstitution(installation, given.words[0] ?? '');
      const bounds = await boundsOf(installation, institution, given);
      const registration = { institution, name, scopes, ...browserOptionsOf(given), ...bounds };
      const store = await installation.store('authorizer');
      return given.options.public === true
        ? createPublicClient(store, registration, knownScopes())
        : createClient(store, registration, knownScopes());
    },
  },
  {
    name: 'clients update',
    usage:
      'INSTITUTION CLIENT_ID [--name NAME] [--scopes catalog:read | --add-scopes catalog:read] [--redirect-uris ' +
      'https://…] ' +
      '[--origins https://…] [--third-party | --no-third-party] [--own-orders | --no-own-orders] ' +
      `${BOUNDS_USAGE.replace('--on-account', '--on-account | --no-on-account')} [--unbounded]`,
    about:
      'changes what is given of a client, each list as a whole; removed scopes and new bounds count within seconds, ' +
      'also ' +
      'for its tokens. --add-scopes adds to its scopes, which its next token has. --unbounded takes the bounds away',
    async run(installation, given) {
      const [institution = '', clientId = ''] = given.words;
      const store = await installation.store('authorizer');
      const known = (await listClients(store, institution)).find((client) => client.clientId === clientId);
      const change = {
        ...(given.options.name === undefined ? {} : { name: requireName(given) }),
        ...scopesChangeOf(given, known?.scopes),
        ...browserOptionsOf(given),
        ...(await boundsOf(installation, institution, given)),
      };
      if (Object.keys(change).length === 0) throw new Misuse('nothing to change: an option is missing');
      checkUris(change, known?.type ?? 'confidential');
      const { id } = await createClients(store).amend(institution, clientId, change);
      return (await listClients(store, institution)).find((client) => client.clientId === id) ?? `${id} is changed`;
    },
  },
  {
    name: 'clients add-secret',
    usage: 'INSTITUTION CLIENT_ID',
    about: 'creates a second secret, for rotation; it is printed only here',
    run: async (installation, { words: [institution = '', clientId = ''] }) =>
      addClientSecret(await installation.store('authorizer'), institution, clientId),
  },
  {
    name: 'clients remove-secret',
    usage: 'INSTITUTION CLIENT_ID SECRET_ID',
    about: 'withdraws a secret; it and the tokens that it obtained are refused within five seconds',
    run: async (installation, { words: [institution = '', clientId = '', secretId = ''] }) =>
      removeClientSecret(await installation.store('authorizer'), institution, clientId, secretId),
  },
  {
    name: 'clients delete',
    usage: 'INSTITUTION CLIENT_ID',
    about: 'deletes a client; its tokens are refused within five seconds',
    async run(installation, { words: [institution = '', clientId = ''] }) {
      await deleteClient(await installation.store('authorizer'), institution, clientId);
      return `${clientId} is deleted`;
    },
  },
];

export const apiKeys: readonly Command[] = [
  {
    name: 'api-keys list',
    usage: 'INSTITUTION',
    about: 'lists the API keys of an institution with their use this month, without the keys themselves',
    run: async (installation, { words: [institution = ''] }) => {
      await requireInstitution(installation, institution);
      return listApiKeys(await installation.store('authorizer'), institution);
    },
  },
  {
    name: 'api-keys create',
    usage: 'INSTITUTION --name NAME [--origins https://www.example.org,…] [--rate-per-minute 600] [--monthly-quota N]',
    about: 'makes an API key for the public data of an institution; the key is printed only here',
    async run(installation, given) {
      const name = requireName(given);
      const ratePerMinute = numberOf(given, 'rate-per-minute');
      const monthlyQuota = numberOf(given, 'monthly-quota');
      const { id: institution } = await requireInstitution(installation, given.words[0] ?? '');
      return createApiKey(await installation.store('authorizer'), institution, {
        name,
        origins: parseList(given, 'origins'),
        ...(ratePerMinute === undefined ? {} : { ratePerMinute }),
        ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
      });
    },
  },
  {
    name: 'api-keys delete',
    usage: 'INSTITUTION API_KEY_ID',
    about: 'deletes an API key; it is refused within five seconds',
    async run(installation, { words: [institution = '', apiKeyId = ''] }) {
      await deleteApiKey(await installation.store('authorizer'), institution, apiKeyId);
      return `${apiKeyId} is deleted`;
    },
  },
];

/** Rows of the table; --json gives all. */
const MOST_ROWS = 50;

const textOf = ({ options }: Given, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
};

const instantOf = (given: Given, name: 'from' | 'to'): string | undefined => {
  const text = textOf(given, name);
  if (text === undefined) return undefined;
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new Misuse(`--${name} is not a timestamp like 2027-03-14T19:00Z`);
  return at.toISOString();
};

const granularities = ['minute', 'hour', 'day'] as const;

const queryOf = (given: Given): UsageQuery => {
  const granularity = granularities.find((one) => one === (textOf(given, 'granularity') ?? 'hour'));
  if (!granularity) throw new Misuse(`--granularity is one of ${granularities.join(', ')}`);
  return {
    from: instantOf(given, 'from'),
    to: instantOf(given, 'to'),
    granularity,
    groupBy: textOf(given, 'group-by'),
  };
};

const iso = (at: number): string => new Date(at).toISOString().slice(0, 16);

export const usage: readonly Command[] = [
  {
    name: 'usage',
    usage: 'INSTITUTION [--from 2027-03-14] [--to 2027-03-15] [--granularity hour] [--group-by apiKey,status]',
    about:
      'prints the requests of an institution, by default of the last 24 hours, as a table; --granularity minute, ' +
      'hour or ' +
      'day; --group-by any of apiKey, client, user, operation, status',
    async run(installation, given) {
      const { id: institution } = await requireInstitution(installation, given.words[0] ?? '');
      const range = parseUsageRange(queryOf(given), Date.now());
      const whole = { after: undefined, limit: Number.POSITIVE_INFINITY };
      const { items, totals } = await readUsage(await installation.store('authorizer'), institution, range, whole);
      const shown = items.slice(-MOST_ROWS);
      const lines = [
        `${institution}, ${iso(range.from)} to ${iso(range.to)} UTC, per ${range.resolution}`,
        '',
        formatResult(shown, false),
        ...(items.length > shown.length ? [`the last ${shown.length} of ${items.length} rows; --json prints all`] : []),
        '',
        formatResult(totals, false),
      ];
      return { kind: 'report', wrong: false, text: lines.join('\n'), json: { items, totals } };
    },
  },
];
