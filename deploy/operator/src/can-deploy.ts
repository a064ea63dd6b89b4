import type { Obstacle, Release } from '@boxoffice/contracts';
import { getCalls, isBuiltIn, listQueues, readPresentRows, type ServiceRow } from '@boxoffice/runtime/services';
import { type Command, Misuse, type Report } from './command.ts';
import type { Installation } from './installation.ts';
import { type Address, describeReason, fetchJson, findAddresses, visitEachInstance } from './processes.ts';

/** A release that runs, as one of its instances describes it. */
interface Running extends Release {
  readonly at: string;
  /** Whether it says what its internal operations and facts are; releases before 0.3.0 do not. */
  readonly isWhole: boolean;
}

interface Unreached {
  readonly service: string;
  readonly at: string;
  readonly reason: string;
}

const isUnreached = (one: Running | Unreached): one is Unreached => 'reason' in one;

interface Served {
  readonly info?: { readonly version?: unknown };
  readonly paths?: object;
  readonly components?: object;
  readonly 'x-publishes'?: Release['publishes'];
  readonly 'x-consumes'?: Release['consumes'];
  readonly 'x-calls'?: Release['calls'];
  readonly 'x-permits'?: Release['permits'];
}

/** A served document with what the comparison needs of one; a service of a team's own may leave members out. */
const descriptionIn = ({ info, paths = {}, components = {} }: Served): Release['openapi'] => ({
  info: { version: String(info?.version ?? 'without a version') },
  components: components as Release['openapi']['components'],
  paths: Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item as object)
          .filter(([, operation]) => operation?.responses !== undefined)
          .map(([method, operation]) => [method, { operationId: `${method} ${path}`, security: [], ...operation }]),
      ),
    ]),
  ),
});

/** What the services list says of a process: for one that does not say so itself. */
const listedOf = (row: ServiceRow): Pick<Release, 'consumes' | 'calls'> => ({
  calls: getCalls(row),
  consumes: Object.fromEntries(listQueues(row).map(({ queue, facts }) => [queue, facts])),
});

/** Reads the descriptions of every instance at an address. Never rejects. */
const readReleases = async (address: Address, row: ServiceRow, callers: string): Promise<(Running | Unreached)[]> => {
  const { service, url, versionUrl = url, ca } = address;
  const get = async (path: string, ip: string): Promise<Served | undefined> => {
    const { status, body } = await fetchJson(new URL(path, versionUrl), ip, ca);
    return status === 200 && typeof body === 'object' && body !== null ? body : undefined;
  };
  const read = async (ip: string): Promise<Running | Unreached> => {
    const at = `${ip}:${new URL(versionUrl).port || (versionUrl.startsWith('https') ? '443' : '80')}`;
    try {
      const [openapi, internal] = await Promise.all([get('/openapi.json', ip), get('/internal/openapi.json', ip)]);
      if (!openapi) return { service, at, reason: 'it serves no description at /openapi.json' };
      const {
        'x-publishes': publishes,
        'x-consumes': consumes,
        'x-calls': calls,
        'x-permits': permits,
      } = internal ?? {};
      const listed = listedOf(row);
      const described = descriptionIn(openapi);
      return {
        name: service,
        at,
        version: described.info.version,
        callers,
        openapi: described,
        internal: descriptionIn(internal ?? {}),
        publishes: publishes ?? {},
        consumes: consumes ?? listed.consumes,
        calls: calls ?? listed.calls,
        ...(permits && { permits }),
        isWhole: internal !== undefined,
      };
    } catch (error) {
      return { service, at, reason: describeReason(error) };
    }
  };
  try {
    return await visitEachInstance(url, read, (one) => isUnreached(one) && one.reason === 'ECONNREFUSED');
  } catch (error) {
    return [{ service, at: new URL(url).host, reason: describeReason(error) }];
  }
};

// Loaded when it is needed: every process is.
const contracts = () => import('@boxoffice/contracts');

/** The gateway describes to the outside only what is of all: what is its own has its name there. */
const ofGateway = ({ openapi, ...release }: Running): Running => {
  const own = Object.entries(openapi.paths).flatMap(([path, item]) => {
    const operations = Object.entries(item).filter(([, one]) => 'x-service' in one && one['x-service'] === 'gateway');
    return operations.length > 0 ? [[path, Object.fromEntries(operations)] as const] : [];
  });
  return { ...release, openapi: { ...openapi, paths: Object.fromEntries(own) } };
};

const reasonFor = ({ service, at, reason }: Unreached): string => `${service} at ${at}: ${reason}`;

/** Reads what runs; the gateway calls and consumes as its row says, so it is read only if it is the one to deploy. */
const look = async (installation: Installation, rows: readonly ServiceRow[], service: string) => {
  const { from, all, unknown } = await findAddresses(installation, rows);
  const { findOwnRelease } = await contracts();
  const read = rows.filter(({ name }) => name !== 'gateway' || service === 'gateway');
  const found = await Promise.all(
    read.map(async (row): Promise<(Running | Unreached)[]> => {
      const url = isBuiltIn(row.name) ? undefined : row.url;
      const known = all.find((one) => one.service === row.name);
      const address = known ?? (url === undefined ? undefined : { service: row.name, url });
      const callers = findOwnRelease(row.name)?.callers ?? 'partners (institution API)';
      return address ? readReleases(address, row, callers) : [];
    }),
  );
  const instances = found.flat();
  const unreached = instances.filter(isUnreached);
  const nowhere = from === 'nowhere' && unknown.length === 0;
  return {
    running: instances.flatMap((one) => {
      if (isUnreached(one)) return [];
      return [one.name === 'gateway' ? ofGateway(one) : one];
    }),
    /** Why processes of the product are not among them, each in words. */
    unseen: [
      ...(nowhere ? [`boxoffice is not running on ${installation.directory}`] : []),
      ...unreached.filter((one) => isBuiltIn(one.service)).map(reasonFor),
      ...unknown
        .filter((one) => read.some(({ name }) => name === one.service))
        .map((one) => `${one.service}: ${one.setting} is not set`),
    ],
    /** The instances of teams' services that are not among them. */
    away: unreached.filter((one) => !isBuiltIn(one.service)),
  };
};

interface Next extends Release {
  /** Whether its operations and facts are known, and not only its row. */
  readonly isKnown: boolean;
  readonly isWhole: Running['isWhole'];
}

/** The release to deploy: that of this program, or the one that is served at `from`. */
const nextOf = async (row: ServiceRow, from: string | undefined): Promise<Next> => {
  const { findOwnRelease } = await contracts();
  const own = findOwnRelease(row.name);
  const callers = own?.callers ?? 'partners (institution API)';
  if (from !== undefined) {
    if (!URL.canParse(from)) throw new Misuse(`--from ${from} is no address like http://127.0.0.1:8081`);
    const [read] = await readReleases({ service: row.name, url: from }, row, callers);
    if (!read || isUnreached(read)) throw new Misuse(`--from ${from}: ${read?.reason ?? 'no process answers'}`);
    return { ...read, isKnown: true };
  }
  if (own) return { ...own, isKnown: true, isWhole: true };
  const version = 'of the services list';
  const nothing = { info: { version }, paths: {}, components: {} };
  const described = { version, callers, openapi: nothing, internal: nothing, publishes: {} };
  return { name: row.name, ...described, ...listedOf(row), isKnown: false, isWhole: false };
};

/** One of each release: instances that describe themselves alike are compared once. */
const distinct = (running: readonly Running[]): Running[] => [
  ...new Map(running.map(({ at, ...release }) => [JSON.stringify(release), { at, ...release }])).values(),
];

const lineOf = ({ caller, missing, remedy }: Obstacle): string => `${caller}: ${missing}; ${remedy}`;

/** Facts that a row of a team consumes, and neither a row nor a process that runs publishes. */
const unknownFacts = (rows: readonly ServiceRow[], running: readonly Running[]): Obstacle[] => {
  const published = new Set([
    ...rows.flatMap(({ publishes }) => publishes),
    ...running.flatMap(({ publishes }) => Object.keys(publishes)),
  ]);
  return rows
    .filter(({ name }) => !isBuiltIn(name))
    .flatMap((row) =>
      Object.values(listedOf(row).consumes)
        .flat()
        .filter((fact) => !published.has(fact))
        .map((fact) => ({
          caller: row.name,
          missing: `fact ${fact}: no service publishes it`,
          remedy: 'correct consumes of the row, or add it to publishes of its service',
        })),
    );
};

/** What the gateway, which describes no needs, calls and consumes by this release. */
const gatewayNeeds = async (row: ServiceRow): Promise<Pick<Release, 'calls' | 'consumes'>> => {
  const { findOwnRelease } = await contracts();
  return findOwnRelease('gateway') ?? listedOf(row);
};

const judge = async (installation: Installation, service: string, from: string | undefined): Promise<Report> => {
  // What runs may publish a fact that the rows of this release no longer have: its consumers are breaks, not faults.
  const rows = readPresentRows({ mayConsumeAnything: true });
  const row = rows.find(({ name }) => name === service);
  if (!row) throw new Misuse(`there is no service ${service}; there are ${rows.map(({ name }) => name).join(', ')}`);
  const { findBrokenUses, findMissingNeeds, findMissingUses, formatRelease } = await contracts();
  const next = await nextOf(row, from);
  const { running, unseen, away } = await look(installation, rows, service);
  const releases = distinct(running);
  const others = releases.filter(({ name }) => name !== service);
  const runs = (name: string): boolean => releases.some((one) => one.name === name);
  const isFirst = !isBuiltIn(service) && !runs(service);
  // A team's service that does not answer calls and consumes what its row says as soon as it does.
  const silentRows = rows.filter(({ name }) => !isBuiltIn(name) && name !== service && !runs(name));
  const gateway = rows.find(({ name }) => name === 'gateway');
  const dependents = [
    ...others.map((one) => ({ ...one, name: formatRelease(one) })),
    ...silentRows.map((one) => ({ name: one.name, ...listedOf(one) })),
    ...(gateway && service !== 'gateway' ? [{ name: 'gateway', ...(await gatewayNeeds(gateway)) }] : []),
  ];

  const obstacles: Obstacle[] = unseen.length === 0 ? unknownFacts(rows, releases) : [];
  const unclear = [...unseen];
  const compare = (what: string, find: () => readonly Obstacle[]): void => {
    try {
      obstacles.push(...find());
    } catch (error) {
      unclear.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  for (const one of releases.filter(({ name }) => name === service)) {
    if (next.isKnown) compare(formatRelease(one), () => findBrokenUses(next, one, dependents));
  }
  const missed = isFirst && next.isKnown ? findMissingUses(next, dependents, row.publishes) : [];
  if (next.isWhole) obstacles.push(...missed);
  for (const one of others.filter(({ isWhole }) => isWhole)) {
    const listed = rows.find(({ name }) => name === one.name)?.publishes ?? [];
    compare(formatRelease(one), () => findMissingNeeds(next, one, listed));
  }
  const lines = [...new Set(obstacles.map(lineOf))];
  const silent = [
    ...new Set(releases.filter(({ isWhole, name }) => !isWhole && name !== 'gateway').map(formatRelease)),
  ];
  const notes = [
    ...(next.isKnown ? [] : [`${service}: its own operations and facts, which --from ADDRESS would read`]),
    ...(missed.length > 0 && !next.isWhole
      ? [`${formatRelease(next)}: it does not serve its internal operations and facts`]
      : []),
    ...silent.map((title) => `${title}: it does not serve its internal operations and facts`),
  ];
  const title = formatRelease(next);
  const verdict =
    lines.length > 0
      ? `${title} cannot be deployed: ${lines.length} ${lines.length === 1 ? 'break' : 'breaks'}`
      : unclear.length > 0
        ? `${title}: not known, since not every process could be compared`
        : `${title} can be deployed`;
  return {
    kind: 'report',
    wrong: lines.length > 0,
    undecided: unclear.length > 0,
    text: [
      `beside ${[...new Set(releases.map(formatRelease))].join(', ') || 'nothing'}`,
      ...lines,
      ...notes.map((note) => `not compared: ${note}`),
      ...unclear.map((one) => `not reached: ${one}`),
      ...away.map((one) =>
        isFirst && one.service === service
          ? `${service} does not run yet: ${one.at}: ${one.reason}`
          : `not reached: ${reasonFor(one)}; it counts by its row`,
      ),
      verdict,
    ].join('\n'),
    json: {
      next: title,
      running: running.map(({ name, version, at }) => ({ name, version, at })),
      obstacles,
      unclear,
      away,
    },
  };
};

export const canDeploy: readonly Command[] = [
  {
    name: 'can-deploy',
    usage: 'SERVICE [--from ADDRESS]',
    about:
      'compares the release of this program, or the process at ADDRESS (not in use yet), with what runs now, by the ' +
      'descriptions and facts that the running processes serve (found as by status, and by the url of ' +
      'SERVICES_FILE): a line for each caller or consumer that would break, with the operation or fact, what is ' +
      'missing and what to do; exit status 1 with breaks, 2 when a process of the product could not be reached; a ' +
      'service of a team that could not counts by its row',
    data: 'unneeded',
    run: (installation, { words, options }) =>
      judge(installation, String(words[0]), typeof options.from === 'string' ? options.from : undefined),
  },
];
