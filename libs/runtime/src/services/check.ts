import { type ConsumedQueue, isBelow, queuesOf, type ServiceRow } from './rows.ts';

/** What is wrong with the rows of a services file: one line per fault, each naming its row. */
export class RowsFault extends Error {
  override readonly name = 'RowsFault';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('; '));
    this.faults = faults;
  }
}

/** A row of a file, whose lists may be absent. */
type Given = Partial<ServiceRow> & Pick<ServiceRow, 'name'>;

type Form = readonly [RegExp, expected: string];

const NAME: Form = [/^[a-z][a-z0-9-]{0,39}$/, 'up to 40 lower-case letters, digits and hyphens, like loyalty'];

const PATH: Form = [/^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/, 'a path like /svc/v3/loyalty'];

const FACT: Form = [/^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_.-]*$/, 'a fact like order.confirmed'];

/** The forms of the lists' entries. */
const LISTS: Readonly<Record<string, Form>> = {
  prefixes: PATH,
  domains: [/^[a-z][a-z0-9-]*$/, 'a domain like loyalty, whose scopes are loyalty:read and so on'],
  open: [/^(?:GET|POST|PUT|PATCH|DELETE) \/\S+$/, 'an operation like GET /svc/v3/loyalty/terms'],
  sessions: PATH,
  pages: [
    /^(?:POST )?(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/,
    'a path like /loyalty, or POST /loyalty for pages with forms',
  ],
  calls: [/^[a-z][a-z0-9-]*\.[A-Za-z]\w*$/, 'an operation of another service like catalog.findPointOfSale'],
  publishes: FACT,
};

const MEMBERS = ['name', 'url', ...Object.keys(LISTS), 'consumes'];

/** Names that other users of the broker, databases or programs have. */
const RESERVED = [
  'operator',
  'boxoffice',
  'amq',
  'local',
  'messaging',
  'admin',
  'config',
  'mongodb',
  'rabbitmq',
  'own',
];

/** Paths that the specification gives to the gateway itself, or to nobody. */
const SPECIFIED = ['/openapi.json', '/errors', '/docs', '/health', '/internal', '/auth', '/.well-known', '/tnwr'];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? 'nothing';

/** The entries of a list that do not have its form. */
const wrongEntries = (member: string, value: unknown, [pattern, expected]: Form): string[] => {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [`${member} is ${shown(value)}; expected a list`];
  return value
    .filter((one) => typeof one !== 'string' || !pattern.test(one))
    .map((one) => `${member} has ${shown(one)}; expected ${expected}`);
};

const isUrl = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value;

const wrongConsumed = (name: unknown, one: unknown): string[] => {
  if (!isObject(one)) return wrongEntries('consumes', [one], FACT);
  const { queue, facts, broadcast, singleActiveConsumer, atOnce, ...others } = one;
  const unknown = Object.keys(others).map((member) => `consumes has an unknown member ${member}`);
  if (queue === undefined && broadcast !== undefined)
    return [...unknown, ...wrongEntries('broadcast', broadcast, FACT)];
  const isOwn =
    typeof queue === 'string' && /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(queue) && queue.startsWith(`${name}.`);
  return [
    ...unknown,
    ...(isOwn ? [] : [`consumes has the queue ${shown(queue)}; expected a name like ${name}.orders.v1`]),
    ...wrongEntries('facts', facts ?? 'nothing', FACT),
    ...(singleActiveConsumer === undefined || typeof singleActiveConsumer === 'boolean'
      ? []
      : ['singleActiveConsumer is not true or false']),
    ...(atOnce === undefined || (Number.isInteger(atOnce) && Number(atOnce) > 0 && Number(atOnce) <= 1_000)
      ? []
      : ['atOnce is not a whole number from 1 to 1000']),
  ];
};

/** What is wrong with the form of a row; nothing of what it has in common with others. */
const wrongForm = (row: unknown): string[] => {
  if (!isObject(row)) return ['is no object; expected {"name": "loyalty", "url": …, "prefixes": […], …}'];
  const unknown = Object.keys(row).filter((member) => !MEMBERS.includes(member));
  const { name, url, consumes = [] } = row;
  return [
    ...(typeof name === 'string' && NAME[0].test(name) ? [] : [`name is ${shown(name)}; expected ${NAME[1]}`]),
    ...(RESERVED.includes(String(name)) ? [`name: ${name} is reserved; choose another`] : []),
    ...unknown.map((member) => `has an unknown member ${member}; there are ${MEMBERS.join(', ')}`),
    ...(url === undefined || isUrl(url)
      ? []
      : [`url is ${shown(url)}; expected an origin like http://loyalty:8081, without a path`]),
    ...Object.entries(LISTS).flatMap(([member, form]) => wrongEntries(member, row[member], form)),
    ...(Array.isArray(consumes)
      ? consumes.flatMap((one) => wrongConsumed(name, one))
      : [`consumes is ${shown(consumes)}; expected a list`]),
  ];
};

const exchangeOf = (fact: string): string => fact.split('.', 1)[0] ?? '';

const overlaps = (one: string, other: string): boolean => {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return isBelow(a, b) || isBelow(b, a);
};

/** Why a row of the right form cannot stand below those above it. */
const conflicts = (row: Given, above: readonly Given[], all: readonly Given[]): string[] => {
  const { name, prefixes = [], domains = [], open = [], sessions = [], pages = [], calls = [], publishes = [] } = row;
  const free = `choose one of your own, like /svc/v3/${name}`;
  const isOwn = (path: string): boolean => prefixes.some((prefix) => isBelow(path, prefix));
  const ownerOf = (prefix: string): string | undefined => {
    const owner = above.find((other) => other.prefixes?.some((one) => overlaps(prefix, one)));
    if (owner) return `a prefix of the row "${owner.name}"`;
    const isSpecified = SPECIFIED.some((path) => overlaps(prefix, path));
    const isVersioned = !/^\/svc(?:\/|$)/i.test(prefix) || /^\/svc\/v3\/[^/]/.test(prefix);
    return isSpecified || !isVersioned ? 'a path of the specification' : undefined;
  };
  const queues = (one: Given): readonly ConsumedQueue[] => queuesOf({ consumes: [], ...one } as unknown as ServiceRow);
  const published = new Set(all.flatMap((one) => one.publishes ?? []));
  const received = [
    ...queues(row).flatMap(({ facts }) => facts),
    ...(row.consumes ?? []).flatMap((one) => (typeof one === 'object' && 'broadcast' in one ? one.broadcast : [])),
  ];
  const twice = queues(row).find(({ queue }, index, own) => own.findIndex((one) => one.queue === queue) !== index);
  return [
    ...prefixes.flatMap((prefix) => {
      const owner = ownerOf(prefix);
      return owner === undefined ? [] : [`prefixes: ${prefix} is ${owner}; ${free}`];
    }),
    ...domains.flatMap((domain) => {
      const owner = above.find((other) => other.domains?.includes(domain));
      return owner ? [`domains: ${domain} belongs to the row "${owner.name}" above; choose another, like ${name}`] : [];
    }),
    ...Object.entries({ open, sessions, pages })
      .flatMap(([member, list]) => list.map((one): [string, string] => [member, one]))
      .filter(([, one]) => !isOwn(one.replace(/^[A-Z]+ /, '')))
      .map(([member, one]) => `${member}: ${one} is below no prefix of the row; add it to prefixes, or remove it`),
    ...calls
      .filter((call) => !all.some((other) => other.name !== name && call.startsWith(`${other.name}.`)))
      .map(
        (call) =>
          `calls: ${call} names no other service; there are ${[...new Set(all.map((one) => one.name))].join(', ')}`,
      ),
    ...publishes.flatMap((fact) => {
      const owner = above.find((other) => other.publishes?.some((one) => exchangeOf(one) === exchangeOf(fact)));
      return owner
        ? [`publishes: ${fact} would go to the exchange of the row "${owner.name}"; begin it with another word`]
        : [];
    }),
    ...received
      .filter((fact) => !published.has(fact))
      .map((fact) => `consumes: no row publishes ${fact}; correct it, or add it to publishes of its service`),
    ...(twice ? [`consumes: the queue ${twice.queue} is there twice; join their facts`] : []),
  ];
};

const parsed = (text: string): readonly unknown[] => {
  try {
    const rows: unknown = JSON.parse(text);
    if (Array.isArray(rows)) return rows;
  } catch (error) {
    throw new RowsFault([`is not JSON: ${(error as Error).message}`]);
  }
  throw new RowsFault(['holds no list; expected [{"name": "loyalty", …}]']);
};

/**
 * Reads the rows of a services file, to stand below the given ones.
 * @throws {RowsFault} naming each wrong row, and why
 */
export const checkRows = (text: string, builtIn: readonly ServiceRow[]): readonly Given[] => {
  const rows = parsed(text);
  const faults: string[] = [];
  const above: Given[] = [...builtIn];
  const all = [...builtIn, ...rows.filter((row) => wrongForm(row).length === 0)] as readonly Given[];
  for (const [index, row] of rows.entries()) {
    const named = isObject(row) && typeof row.name === 'string' ? ` "${row.name}"` : '';
    const add = (wrong: readonly string[]) => faults.push(...wrong.map((one) => `row ${index + 1}${named}: ${one}`));
    const form = wrongForm(row);
    add(form);
    if (form.length > 0) continue;
    const given = row as unknown as Given;
    const other = above.find(({ name }) => name === given.name);
    if (other === undefined) add(conflicts(given, above, all));
    else if (!builtIn.includes(other as ServiceRow)) add(['the name is that of a row above; choose another']);
    else if (Object.keys(given).some((member) => member !== 'name' && member !== 'url'))
      add(['is a built-in service: of it only url can be set; give your own service another name']);
    above.push(given);
  }
  if (faults.length > 0) throw new RowsFault(faults);
  return rows as readonly Given[];
};
