import { describe, expect, test } from '@jest/globals';
import { type Json, type Resource, renderFolder } from '../src/index.ts';
import {
  base,
  everything,
  example,
  findPodTemplate,
  findSurroundings,
  firstInstitution,
  listSurroundings,
} from './resources.ts';

/** One end of a connection: a pod of the product, or a pod of another namespace. */
interface End {
  /** Undefined for the product's own namespace. */
  readonly namespace?: string;
  /** A public address outside the cluster. */
  readonly isPublic?: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Port numbers by name. */
  readonly ports: Readonly<Record<string, number>>;
}

const selects = (selector: Json, labels: Readonly<Record<string, string>>): boolean => {
  const { matchLabels = {}, matchExpressions = [], ...rest } = selector ?? {};
  if (Object.keys(rest).length > 0) throw new Error(`${Object.keys(rest)} of a selector is not understood here`);
  const isMet = ({ operator, key, values }: Json): boolean => {
    if (operator !== 'In') throw new Error('of expressions only In is understood here');
    return values.includes(labels[key]);
  };
  return matchExpressions.every(isMet) && Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
};

const isPeer = ({ namespaceSelector, podSelector, ipBlock }: Json, end: End): boolean => {
  // IP blocks stand for public addresses outside the cluster, and nothing else does.
  if (ipBlock !== undefined || end.isPublic) return ipBlock !== undefined && end.isPublic === true;
  const namespace = { 'kubernetes.io/metadata.name': end.namespace ?? '' };
  const inNamespace =
    namespaceSelector === undefined ? end.namespace === undefined : selects(namespaceSelector, namespace);
  return inNamespace && selects(podSelector, end.labels);
};

const isPort = ({ port: wanted }: Json, ports: End['ports'], port: number): boolean =>
  (typeof wanted === 'string' ? ports[wanted] : wanted) === port;

/**
 * Whether the policies that select `here` permit connections to (egress) or from (ingress) the other end, at a port of
 * `to`.
 */
const passes = (
  policies: readonly Resource[],
  way: 'ingress' | 'egress',
  here: End,
  other: End,
  to: End,
  port: number,
) => {
  const type = way === 'ingress' ? 'Ingress' : 'Egress';
  const about = policies
    .map(({ spec }) => spec)
    .filter(({ podSelector, policyTypes }) => policyTypes.includes(type) && selects(podSelector, here.labels));
  if (about.length === 0) return true;
  return about.some((policy) =>
    (policy[way] ?? []).some((rule: Json) => {
      const peers = rule[way === 'ingress' ? 'from' : 'to'] ?? [];
      const { ports = [] } = rule;
      const toPort = ports.length === 0 || ports.some((entry: Json) => isPort(entry, to.ports, port));
      return toPort && (peers.length === 0 || peers.some((peer: Json) => isPeer(peer, other)));
    }),
  );
};

/**
 * Whether NetworkPolicies permit a connection from a pod to a port: its own policies for egress, the other's for
 * ingress. Other namespaces have no policies.
 */
const mayReach = (policies: readonly Resource[], from: End, to: End, port: number): boolean =>
  (from.namespace !== undefined || passes(policies, 'egress', from, to, to, port)) &&
  (to.namespace !== undefined || passes(policies, 'ingress', to, from, to, port));

/** The pods of a Deployment as an end of connections. */
const getPods = ({ spec }: Resource): End => {
  const { metadata, spec: pod } = spec.template;
  const ports = (pod.containers[0].ports ?? []).map(({ name, containerPort }: Json) => [name, containerPort]);
  return { labels: metadata.labels, ports: Object.fromEntries(ports) };
};

/** The calls between processes in the architecture; every process requests keys and identities from the authorizer. */
const calls: Readonly<Record<string, readonly string[]>> = {
  gateway: ['authorizer', 'catalog', 'contacts', 'events', 'orders', 'payments', 'pos', 'tickets'],
  pos: ['authorizer', 'catalog', 'contacts', 'orders', 'payments', 'tickets'],
  orders: ['authorizer', 'catalog', 'contacts', 'tickets'],
  catalog: ['authorizer'],
  contacts: ['authorizer'],
  tickets: ['authorizer'],
  events: ['authorizer'],
  payments: ['authorizer', 'catalog', 'orders'],
  authorizer: ['catalog', 'contacts'],
};
const names = Object.keys(calls);

const isPolicy = ({ kind }: Resource): boolean => kind === 'NetworkPolicy';
const outside = (namespace: string, port = 0, labels = {}): End => ({ namespace, labels, ports: { any: port } });
const publicAddress: End = { ...outside('none'), isPublic: true };

/** The permitted connections of an installation, by source. */
const findConnections = (resources: readonly Resource[]) => {
  const policies = resources.filter(isPolicy);
  const pods = new Map(
    resources.filter(({ kind }) => kind === 'Deployment').map((one) => [one.metadata.name, getPods(one)] as const),
  );
  const pod = (name: string): End => pods.get(name) ?? { labels: {}, ports: {} };
  const from = (end: End, port: string) =>
    names.filter((name) => mayReach(policies, end, pod(name), pod(name).ports[port] ?? -1)).sort();
  const reach = (end: End, port: number) => names.filter((name) => mayReach(policies, pod(name), end, port)).sort();
  return {
    among: Object.fromEntries(names.map((name) => [name, from(pod(name), 'http').filter((other) => other !== name)])),
    metricsAmong: names.flatMap((name) => from(pod(name), 'metrics')),
    from,
    reach,
  };
};

const architecture = Object.fromEntries(Object.entries(calls).map(([name, others]) => [name, [...others].sort()]));
const all = [...names].sort();

describe('in the base', () => {
  const resources = renderFolder(base);
  const { among, metricsAmong, from, reach } = findConnections(resources);

  test('exactly the calls of the architecture are allowed', () => {
    expect(among).toEqual(architecture);
  });

  test('the allowed calls are those whose address a process has', () => {
    for (const { name, env } of listSurroundings(resources)) {
      const known = names.filter((other) => env[`${other.toUpperCase()}_URL`] !== undefined);
      expect([name, known.sort()]).toEqual([name, architecture[name]]);
    }
  });

  test('the ingress reaches only the gateway, and no other source reaches a process', () => {
    expect(from(outside('ingress'), 'http')).toEqual(['gateway']);
    expect(from(outside('default'), 'http')).toEqual([]);
    expect(from({ labels: { 'app.kubernetes.io/name': 'stranger' }, ports: {} }, 'http')).toEqual([]);
    expect([
      ...metricsAmong,
      ...from(outside('ingress'), 'metrics'),
      ...from(outside('monitoring'), 'metrics'),
    ]).toEqual([]);
  });

  test('every service reaches MongoDB, every process RabbitMQ and DNS, and none another namespace', () => {
    expect(reach(outside('mongodb'), 27017)).toEqual(all.filter((name) => name !== 'gateway'));
    expect(reach(outside('rabbitmq'), 5671)).toEqual(all.filter((name) => name !== 'gateway'));
    expect(reach(outside('rabbitmq'), 15672)).toEqual([]);
    expect(reach(outside('kube-system', 53, { 'k8s-app': 'kube-dns' }), 53)).toEqual(all);
    expect(reach(outside('another'), 443)).toEqual([]);
  });

  test('public addresses are reached by events, and by payments at the port of https', () => {
    expect(reach(publicAddress, 443)).toEqual(['events', 'payments']);
    expect(reach(publicAddress, 80)).toEqual(['events']);
  });

  test('what reaches public addresses reaches none of a private network', () => {
    const blocks = resources
      .filter(isPolicy)
      .flatMap(({ spec }) => spec.egress ?? [])
      .flatMap(({ to = [] }: Json) => to)
      .flatMap(({ ipBlock }: Json) => (ipBlock === undefined ? [] : [ipBlock]));
    const withVersion = (version: string) => blocks.filter(({ cidr }: Json) => cidr === version);
    expect(withVersion('0.0.0.0/0')).toHaveLength(3);
    expect(withVersion('::/0')).toHaveLength(3);
    for (const { cidr, except } of blocks) expect(except).toContain(cidr === '::/0' ? 'fc00::/7' : '10.0.0.0/8');
  });
});

test('in the example Prometheus reaches only the metrics ports', () => {
  const { from, among } = findConnections(renderFolder(example));
  expect(from(outside('monitoring'), 'metrics')).toEqual(all);
  expect(from(outside('monitoring'), 'http')).toEqual([]);
  expect(from(outside('traefik'), 'http')).toEqual(['gateway']);
  expect(from(outside('ingress'), 'http')).toEqual([]);
  expect(among).toEqual(architecture);
});

test('with every component the same calls are allowed, the export of traces, and mails of pos', () => {
  const { among, reach } = findConnections(renderFolder(everything));
  expect(among).toEqual(architecture);
  expect(reach(outside('observability'), 4318)).toEqual(all);
  expect(reach(outside('observability'), 80)).toEqual([]);
  expect(reach(outside('mail'), 587)).toEqual(['pos']);
  expect(reach(outside('mail'), 25)).toEqual([]);
});

describe('the Jobs of the operator', () => {
  const resources = renderFolder(base);
  const policies = resources.filter(isPolicy);
  const jobs = renderFolder(firstInstitution);
  const [job] = jobs.filter(({ kind }) => kind === 'Job');
  if (!job) throw new Error('the operator has no Job');
  const operator = getPods(job);

  test('have the address of every process and reach it', () => {
    const { env } = findSurroundings(job, jobs);
    const services = resources.filter(({ kind }) => kind === 'Service');
    for (const name of names) {
      const { hostname, port } = new URL(env[`${name.toUpperCase()}_URL`] ?? 'none:');
      const service = services.find(({ metadata }) => metadata.name === hostname);
      expect([name, hostname, service?.spec.ports]).toEqual([
        name,
        name,
        [expect.objectContaining({ port: Number(port || 80), targetPort: 'http' })],
      ]);
    }
    expect(findConnections(resources).from(operator, 'http')).toEqual(all);
    expect(findConnections(renderFolder(everything)).from(operator, 'http')).toEqual(all);
  });

  test('reach MongoDB, RabbitMQ and, for keys of a payment provider, public addresses, and cannot be reached', () => {
    expect(findConnections(resources).from(operator, 'metrics')).toEqual([]);
    expect(mayReach(policies, operator, outside('mongodb'), 27017)).toBe(true);
    expect(mayReach(policies, operator, outside('rabbitmq'), 5671)).toBe(true);
    expect(mayReach(policies, operator, outside('another'), 443)).toBe(false);
    expect(mayReach(policies, operator, publicAddress, 443)).toBe(true);
    expect(mayReach(policies, operator, publicAddress, 80)).toBe(false);
    expect([8080, 8081].flatMap((port) => findConnections(resources).reach(operator, port))).toEqual([]);
  });

  test('the nightly check reaches no process', () => {
    const withCheck = renderFolder(everything);
    const [check] = withCheck.filter(({ kind }) => kind === 'CronJob').map(findPodTemplate);
    const { labels } = check.metadata;
    expect(labels['app.kubernetes.io/name']).toBe('check');
    expect(findConnections(withCheck).from({ labels, ports: {} }, 'http')).toEqual([]);
  });

  test.each(['operator', 'asked-by-the-operator'])('without the policy %s they reach no process', (name) => {
    const fewer = resources.filter((one) => !(isPolicy(one) && one.metadata.name === name));
    expect(findConnections(fewer).from(operator, 'http')).toEqual([]);
    expect(findConnections(fewer).among).toEqual(architecture);
  });
});

describe('a mistake is found:', () => {
  const without = (name: string) =>
    findConnections(renderFolder(base).filter((one) => !(isPolicy(one) && one.metadata.name === name))).among;

  test('without the policy of orders no call to or from orders is allowed', () => {
    expect(without('orders')).toEqual({
      ...architecture,
      orders: [],
      gateway: architecture.gateway?.filter((name) => name !== 'orders'),
      payments: architecture.payments?.filter((name) => name !== 'orders'),
      pos: architecture.pos?.filter((name) => name !== 'orders'),
    });
  });

  test('without any policy every call is allowed', () => {
    const { among } = findConnections(renderFolder(base).filter((one) => !isPolicy(one)));
    expect(among.contacts).toEqual(all.filter((name) => name !== 'contacts'));
  });
});
