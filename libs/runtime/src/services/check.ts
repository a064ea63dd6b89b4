import { listQueues, type ServiceRow } from './rows.ts';

/** What is wrong with the rows of a services file: one line per fault, each naming its row. */
export class RowsFault extends Error {
  override readonly name = 'RowsFault';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('; '));
    this.faults = faults;
  }
}

type Given = Partial<ServiceRow> & Pick<ServiceRow, 'name'>;

type Form = readonly [RegExp, expected: string];

const NAME: Form = [/^[a-z][a-z0-9-]{0,39}$/, 'up to 40 lower-case letters, digits and hyphens, like loyalty'];

const PATH: Form = [/^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/, 'a path like /svc/v3/loyalty'];

const FACT: Form = [/^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_.-]*$/, 'a fact like order.confirmed'];

const LISTS: Readonly<Record<string, Form>> = {
  prefixes: PATH,
  domains: [/^[a-z][a-z0-9-]*$/, 'a domain like loyalty, whose scopes are loyalty:read and so on'],
  open: [/^(?:GET|POST|PUT|PATCH|DELETE) \/\S+$/, 'an operation like GET /svc/v3/loyalty/terms'],
  sessions: PATH,
  pages: [
    /^(?:POST )?(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/,
    'a path like /loyalty, or POST /loyalty for pages with forms',
  ],
  headers: [/^[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*$/, 'the name of a header like X-Loyalty-Level'],
  calls: [/^[a-z][a-z0-9-]*\.[A-Za-z]\w*$/, 'an operation of another service like catalog.findPointOfSale'],
  publishes: FACT,
};

const MEMBERS = ['name', 'url', ...Object.keys(LISTS), 'consumes'];

/** More rows are a mistake: each is a service. */
const MOST_ROWS = 200;

const MOST_FAULTS = 50;

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

/** The caller's credentials, which no service of a team gets. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'x-api-key',
  'x-auth-token',
  'x-order-link',
]);

/** Headers of one connection, of the gateway itself, or that act on everything below its origin. */
const KEPT =
  /^(?:access-control-.*|alt-svc|clear-site-data|connection|content-length|expect|forwarded|host|keep-alive|nel|proxy-.*|refresh|service-worker-allowed|set-cookie2?|strict-transport-security|te|traceparent|trailer|transfer-encoding|upgrade|via|x-content-type-options|x-forwarded-.*|x-internal-.*|x-real-ip|x-request-id)$/;

const exchangeOf = (fact: string): string => fact.split('.', 1)[0] ?? '';

const pathsTo = (path: string): string[] =>
  [...path.matchAll(/\/|$/g)].flatMap(({ index }) => (index === 0 ? [] : [path.slice(0, index)]));

/** What rows have, each with the name of the first of them that has it. */
interface Taken {
  readonly names: Map<string, string>;
  /** In lower case, as the paths above them. */
  readonly prefixes: Map<string, string>;
  readonly abovePrefixes: Map<string, string>;
  readonly domains: Map<string, string>;
  readonly exchanges: Map<string, string>;
  readonly facts: Map<string, string>;
}

const take = (taken: Taken, { name, prefixes = [], domains = [], publishes = [] }: Given): void => {
  const add = (to: Map<string, string>, all: readonly string[]) => {
    for (const one of all) if (!to.has(one)) to.set(one, name);
  };
  add(taken.names, [name]);
  for (const prefix of prefixes.map((one) => one.toLowerCase())) {
    add(taken.prefixes, [prefix]);
    add(taken.abovePrefixes, pathsTo(prefix));
  }
  add(taken.domains, domains);
  add(taken.exchanges, publishes.map(exchangeOf));
  add(taken.facts, publishes);
};

const takenBy = (rows: readonly Given[]): Taken => {
  const taken: Taken = {
    names: new Map(),
    prefixes: new Map(),
    abovePrefixes: new Map(),
    domains: new Map(),
    exchanges: new Map(),
    facts: new Map(),
  };
  for (const row of rows) take(taken, row);
  return taken;
};

const specified = takenBy([{ name: 'specification', prefixes: SPECIFIED }]);

export interface CheckOptions {
  /** Whether rows may consume facts that no row publishes: for what compares with the facts of running processes. */
  readonly mayConsumeAnything?: boolean;
}

/** Rows to stand below the given ones. @throws {RowsFault} naming wrong rows, and why; of many faults the first ones */
export function checkRows(text: string, builtIn: readonly ServiceRow[], options: CheckOptions = {}): readonly Given[] {
  const rows = parseRows(text);
  const forms = rows.map(wrongForm);
  const usable = rows.filter((_row, index) => forms[index]?.length === 0) as readonly Given[];
  const all = takenBy([...builtIn, ...usable]);
  const own = new Set(builtIn.map(({ name }) => name));
  const above = takenBy(builtIn);
  const wrongRow = (row: Given): readonly string[] => {
    if (!above.names.has(row.name)) return conflicts(row, above, all, options);
    if (!own.has(row.name)) return ['the name is that of a row above; choose another'];
    return Object.keys(row).some((member) => member !== 'name' && member !== 'url')
      ? ['is a built-in service: of it only url can be set; give your own service another name']
      : [];
  };
  const faults = rows.flatMap((row, index) => {
    const form = forms[index] ?? [];
    const wrong = form.length > 0 ? form : wrongRow(row as Given);
    if (form.length === 0) take(above, row as Given);
    const named = isObject(row) && typeof row.name === 'string' ? ` "${row.name}"` : '';
    return wrong.map((one) => `row ${index + 1}${named}: ${one}`);
  });
  if (faults.length > MOST_FAULTS)
    throw new RowsFault([...faults.slice(0, MOST_FAULTS), `and ${faults.length - MOST_FAULTS} faults more`]);
  if (faults.length > 0) throw new RowsFault(faults);
  return rows as readonly Given[];
}

const parseRows = (text: string): readonly unknown[] => {
  let rows: unknown;
  try {
    // Some editors begin a file with a byte order mark, which is no JSON.
    rows = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new RowsFault([`is not JSON: ${(error as Error).message}`]);
  }
  if (Array.isArray(rows) && rows.length <= MOST_ROWS) return rows;
  if (Array.isArray(rows)) throw new RowsFault([`holds ${rows.length} rows; at most ${MOST_ROWS} are read`]);
  throw new RowsFault(['holds no list; expected [{"name": "loyalty", …}]']);
};

const wrongForm = (row: unknown): string[] => {
  if (!isObject(row)) return ['is no object; expected {"name": "loyalty", "url": …, "prefixes": […], …}'];
  const unknown = Object.keys(row).filter((member) => !MEMBERS.includes(member));
  const { name, url, consumes = [] } = row;
  return [
    ...(typeof name === 'string' && NAME[0].test(name) ? [] : [`name is ${formatValue(name)}; expected ${NAME[1]}`]),
    ...(RESERVED.includes(String(name)) ? [`name: ${name} is reserved; choose another`] : []),
    ...unknown.map((member) => `has an unknown member ${member}; there are ${MEMBERS.join(', ')}`),
    ...(url === undefined || isUrl(url)
      ? []
      : [`url is ${formatValue(url)}; expected an origin like http://loyalty:8081, without a path`]),
    ...Object.entries(LISTS).flatMap(([member, form]) => wrongEntries(member, row[member], form)),
    ...wrongHeaders(row.headers),
    ...(Array.isArray(consumes)
      ? consumes.flatMap((one) => wrongConsumed(name, one))
      : [`consumes is ${formatValue(consumes)}; expected a list`]),
  ];
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const formatValue = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? 'nothing';

const isUrl = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value;

const wrongEntries = (member: string, value: unknown, [pattern, expected]: Form): string[] => {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [`${member} is ${formatValue(value)}; expected a list`];
  return value
    .filter((one) => typeof one !== 'string' || !pattern.test(one))
    .map((one) => `${member} has ${formatValue(one)}; expected ${expected}`);
};

const wrongHeaders = (headers: unknown): string[] =>
  (Array.isArray(headers) ? headers : []).flatMap((one) => {
    const name = String(one).toLowerCase();
    if (CREDENTIALS.has(name))
      return [`headers: ${one} is a credential of the caller, which no service of a team gets; remove it`];
    return KEPT.test(name) ? [`headers: ${one} belongs to the gateway or its whole origin; remove it`] : [];
  });

const wrongConsumed = (name: unknown, one: unknown): string[] => {
  if (!isObject(one)) return wrongEntries('consumes', [one], FACT);
  const { queue, facts, singleActiveConsumer, atOnce, ...others } = one;
  const unknown = Object.keys(others).map((member) => `consumes has an unknown member ${member}`);
  const isOwn =
    typeof queue === 'string' && /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(queue) && queue.startsWith(`${name}.`);
  return [
    ...unknown,
    ...(isOwn ? [] : [`consumes has the queue ${formatValue(queue)}; expected a name like ${name}.orders.v1`]),
    ...wrongEntries('facts', facts ?? 'nothing', FACT),
    ...(singleActiveConsumer === undefined || typeof singleActiveConsumer === 'boolean'
      ? []
      : ['singleActiveConsumer is not true or false']),
    ...(atOnce === undefined || (Number.isInteger(atOnce) && Number(atOnce) > 0 && Number(atOnce) <= 1_000)
      ? []
      : ['atOnce is not a whole number from 1 to 1000']),
  ];
};

const conflicts = (row: Given, above: Taken, all: Taken, { mayConsumeAnything }: CheckOptions): string[] => {
  const { name, prefixes = [], domains = [], open = [], sessions = [], pages = [], calls = [], publishes = [] } = row;
  const free = `choose one of your own, like /svc/v3/${name}`;
  const own = new Set(prefixes);
  const isOwn = (path: string): boolean => pathsTo(path).some((one) => own.has(one));
  const ownerOf = (prefix: string): string | undefined => {
    const owner = overlapping(above, prefix);
    if (owner !== undefined) return `a prefix of the row "${owner}"`;
    const isVersioned = !/^\/svc(?:\/|$)/i.test(prefix) || /^\/svc\/v3\/[^/]/.test(prefix);
    return overlapping(specified, prefix) || !isVersioned ? 'a path of the specification' : undefined;
  };
  const queues = listQueues(row);
  const received = queues.flatMap(({ facts }) => facts);
  const queueNames = queues.map(({ queue }) => queue).sort();
  const twice = queueNames.find((queue, index) => queue === queueNames[index + 1]);
  const names = [...all.names.keys()].join(', ');
  return [
    ...prefixes.flatMap((prefix) => {
      const owner = ownerOf(prefix);
      return owner === undefined ? [] : [`prefixes: ${prefix} is ${owner}; ${free}`];
    }),
    ...domains
      .filter((domain) => above.domains.has(domain))
      .map(
        (domain) =>
          `domains: ${domain} belongs to the row "${above.domains.get(domain)}" above; choose another, like ${name}`,
      ),
    ...Object.entries({ open, sessions, pages })
      .flatMap(([member, list]) => list.map((one): [string, string] => [member, one]))
      .filter(([, one]) => !isOwn(one.replace(/^[A-Z]+ /, '')))
      .map(([member, one]) => `${member}: ${one} is below no prefix of the row; add it to prefixes, or remove it`),
    ...calls
      .map((call) => [call, call.split('.', 1)[0] ?? ''] as const)
      .filter(([, service]) => service === name || !all.names.has(service))
      .map(([call]) => `calls: ${call} names no other service; there are ${names}`),
    ...publishes
      .filter((fact) => above.exchanges.has(exchangeOf(fact)))
      .map((fact) => {
        const owner = above.exchanges.get(exchangeOf(fact));
        return `publishes: ${fact} would go to the exchange of the row "${owner}"; begin it with another word`;
      }),
    ...(mayConsumeAnything ? [] : listUnpublished(received, all)),
    ...(twice === undefined ? [] : [`consumes: the queue ${twice} is there twice; join their facts`]),
  ];
};

const overlapping = ({ prefixes, abovePrefixes }: Taken, path: string): string | undefined => {
  const lower = path.toLowerCase();
  const above = pathsTo(lower).find((one) => prefixes.has(one));
  return abovePrefixes.get(lower) ?? (above === undefined ? undefined : prefixes.get(above));
};

const listUnpublished = (received: readonly string[], all: Taken): string[] =>
  received
    .filter((fact) => !all.facts.has(fact))
    .map((fact) => `consumes: no row publishes ${fact}; correct it, or add it to publishes of its service`);
