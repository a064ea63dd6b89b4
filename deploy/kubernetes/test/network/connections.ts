import { asList, asTree, at, type Resource, type Tree, type Value } from '../../src/index.ts';

/** One end of a connection: a pod of the product, or a pod of another namespace. */
export interface End {
  /** Undefined for the product's own namespace. */
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Port numbers by name. */
  readonly ports: Readonly<Record<string, number>>;
}

const selects = (selector: Value | undefined, labels: Readonly<Record<string, string>>): boolean => {
  const { matchLabels = {}, matchExpressions, ...rest } = asTree(selector ?? {}, 'a selector');
  if (Object.keys(rest).length > 0) throw new Error(`${Object.keys(rest)} of a selector is not understood here`);
  const expressions = asList(matchExpressions, 'matchExpressions').every((expression) => {
    if (at(expression, 'operator') !== 'In') throw new Error('of expressions only In is understood here');
    return asList(at(expression, 'values'), 'values').includes(labels[String(at(expression, 'key'))] ?? '');
  });
  return expressions && Object.entries(asTree(matchLabels, 'labels')).every(([name, value]) => labels[name] === value);
};

const isPeer = (peer: Value, end: End): boolean => {
  const { namespaceSelector, podSelector, ipBlock } = asTree(peer, 'a peer');
  // IP blocks stand for addresses outside the cluster.
  if (ipBlock !== undefined) return false;
  const namespace = { 'kubernetes.io/metadata.name': end.namespace ?? '' };
  const inNamespace =
    namespaceSelector === undefined ? end.namespace === undefined : selects(namespaceSelector, namespace);
  return inNamespace && selects(podSelector, end.labels);
};

const isPort = (entry: Value, ports: End['ports'], port: number): boolean => {
  const wanted = at(entry, 'port');
  return (typeof wanted === 'string' ? ports[wanted] : wanted) === port;
};

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
    .map(({ spec }) => asTree(spec, 'a policy') as Tree)
    .filter(
      ({ podSelector, policyTypes }) =>
        asList(policyTypes, 'types').includes(type) && selects(podSelector, here.labels),
    );
  if (about.length === 0) return true;
  return about.some((policy) =>
    asList(policy[way], way).some((rule) => {
      const peers = asList(at(rule, way === 'ingress' ? 'from' : 'to'), 'peers');
      const ports = asList(at(rule, 'ports'), 'ports');
      const toPort = ports.length === 0 || ports.some((entry) => isPort(entry, to.ports, port));
      return toPort && (peers.length === 0 || peers.some((peer) => isPeer(peer, other)));
    }),
  );
};

/**
 * Whether NetworkPolicies permit a connection from a pod to a port: its own policies for egress, the other's for
 * ingress. Other namespaces have no policies.
 */
export const mayReach = (policies: readonly Resource[], from: End, to: End, port: number): boolean =>
  (from.namespace !== undefined || passes(policies, 'egress', from, to, to, port)) &&
  (to.namespace !== undefined || passes(policies, 'ingress', to, from, to, port));

/** The pods of a Deployment as an end of connections. */
export const podsOf = (resource: Resource): End => {
  const container = asTree(at(resource, 'spec', 'template', 'spec', 'containers', 0), 'a container');
  const ports = asList(container.ports, 'ports').map((port) => [at(port, 'name'), at(port, 'containerPort')]);
  const labels = asTree(at(resource, 'spec', 'template', 'metadata', 'labels'), 'labels');
  return { labels: labels as End['labels'], ports: Object.fromEntries(ports) as End['ports'] };
};
