import { beforeAll, describe, expect, test } from '@jest/globals';
import { build, formatResourceName, type Json, type Resource, renderFolder } from '../src/index.ts';
import { operatorVersion, product, type Started, startDeployments } from './product.ts';
import {
  base,
  everything,
  example,
  findPodTemplate,
  findSurroundings,
  firstInstitution,
  listSurroundings,
  topology,
} from './resources.ts';

const resources = renderFolder(base);
const onDemand = renderFolder(example);
/** The Jobs that are applied by themselves. */
const jobs = [...renderFolder(topology), ...renderFolder(firstInstitution)];
const names = product.map(({ name }) => name);
const ofKind = (kind: string, from: readonly Resource[] = resources) => from.filter((one) => one.kind === kind);
const named = (kind: string, name: string) => ofKind(kind).find(({ metadata }) => metadata.name === name);
const deployment = (name: string): Resource => {
  const found = named('Deployment', name);
  if (!found) throw new Error(`${name} is not deployed`);
  return found;
};
const getPod = (resource: Resource): Json => findPodTemplate(resource).spec;

test('every process is deployed with the objects that it needs, and nothing else is', () => {
  for (const kind of ['Deployment', 'Service', 'ServiceAccount', 'PodDisruptionBudget', 'HorizontalPodAutoscaler'])
    expect(
      ofKind(kind)
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual([...names].sort());
  for (const name of names) expect(named('NetworkPolicy', name)).toBeDefined();
});

describe.each(product)('$name', ({ name, version }) => {
  const given = findSurroundings(deployment(name), resources);
  const isGateway = name === 'gateway';

  test('runs the image of its version', () => {
    expect(given.container.image).toBe(`boxoffice/${name}:${version}`);
  });

  test('listens on the port of its Service', () => {
    const { env } = given;
    const ports = given.container.ports.map(({ name: one, containerPort }: Json) => [one, containerPort]);
    expect(Object.fromEntries(ports)).toEqual({
      http: Number(isGateway ? env.GATEWAY_HTTP_PORT : env.PORT),
      metrics: Number(env.OPERATIONS_PORT),
    });
    expect(named('Service', name)?.spec.selector).toEqual({ 'app.kubernetes.io/name': name });
    expect(named('Service', name)?.spec.ports[0].targetPort).toBe('http');
    const port = named('Service', name)?.spec.ports[0].port;
    const addresses = names.map(
      (other) => findSurroundings(deployment(other), resources).env[`${name.toUpperCase()}_URL`],
    );
    for (const address of addresses) if (address !== undefined) expect(address).toBe(`http://${name}:${port}`);
  });

  test('has probes, and an outage of the broker does not remove a service', () => {
    const asked = (probe: string) => given.container[probe]?.httpGet;
    const [live, ready] = ['/health/live', '/health/ready'].map((path) => ({ path, port: 'http' }));
    expect(asked('livenessProbe')).toEqual(live);
    expect([asked('startupProbe'), asked('readinessProbe')]).toEqual(isGateway ? [live, ready] : [ready, live]);
  });

  test('has a grace period for the pause before the signal and the fifteen seconds of a stop', () => {
    const pause = Number(given.container.lifecycle?.preStop?.sleep?.seconds);
    expect(pause).toBeGreaterThanOrEqual(5);
    expect(Number(getPod(deployment(name)).terminationGracePeriodSeconds)).toBeGreaterThan(pause + 15);
  });

  test('is replaced without a gap and has a disruption budget', () => {
    expect(deployment(name).spec.strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
    const autoscaler = named('HorizontalPodAutoscaler', name);
    expect(autoscaler?.spec.scaleTargetRef.name).toBe(name);
    expect(autoscaler?.spec.minReplicas).toBeGreaterThanOrEqual(2);
    expect(named('PodDisruptionBudget', name)?.spec.selector.matchLabels).toEqual({
      'app.kubernetes.io/name': name,
    });
  });

  test('gets every secret in a file', () => {
    const files = Object.entries(given.env).filter(([setting]) => setting.endsWith('_FILE'));
    expect(files.map(([, path]) => path).sort()).toEqual([...given.files.keys()].sort());
    for (const [setting, path] of files) {
      const { from, key } = given.files.get(path) ?? {};
      expect(`${key?.toUpperCase().replaceAll('-', '_')}_FILE`).toBe(setting);
      expect(from).toBe(`Secret/boxoffice-${name}`);
    }
  });
});

test('every pod meets the restricted standard, and its service account has no token', () => {
  const all = [onDemand, renderFolder(everything)].flatMap((some) => ofKind('Deployment', some));
  const resources = [...all, ...ofKind('CronJob', onDemand), ...ofKind('Job', jobs)];
  expect(resources.length).toBe(2 * names.length + 3);
  for (const pod of resources.map(getPod)) {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: expect.any(Number),
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [{ resources: { limits: { memory: expect.any(String) } } }],
    });
    expect(pod.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const volumes = pod.volumes.flatMap(({ name: _, ...volume }: Json) => Object.keys(volume));
    expect(['projected', 'emptyDir', 'configMap']).toEqual(expect.arrayContaining(volumes));
  }
  const accounts = [...ofKind('ServiceAccount', onDemand), ...ofKind('ServiceAccount', jobs)];
  for (const account of accounts) expect(account.automountServiceAccountToken).toBe(false);
});

test('every Deployment has one autoscaler: a ScaledObject replaces the other', () => {
  const targets = ['HorizontalPodAutoscaler', 'ScaledObject'].flatMap((kind) =>
    ofKind(kind, onDemand).map((one) => one.spec.scaleTargetRef.name),
  );
  expect(targets.sort()).toEqual([...names].sort());
});

test('the Job of the operator names the address that the gateway has, where providers send their webhooks', () => {
  const rendered = renderFolder(firstInstitution);
  const addresses = [...ofKind('Job', rendered), ...ofKind('Deployment', onDemand)]
    .map((one) => findSurroundings(one, [...rendered, ...onDemand]).env.PUBLIC_URL)
    .filter((address) => address !== undefined);
  expect([...new Set(addresses)]).toEqual([expect.stringMatching(/^https:/)]);
  expect(ofKind('Job', rendered).map((one) => findSurroundings(one, rendered).env.PUBLIC_URL)).toEqual(
    addresses.slice(0, 1),
  );
});

test('the ingress routes the host of PUBLIC_URL to the gateway over TLS', () => {
  const [ingress, ...more] = ofKind('Ingress', onDemand);
  const gateway = ofKind('Deployment', onDemand).find((one) => formatResourceName(one) === 'Deployment/gateway');
  if (!ingress || !gateway) throw new Error('there is no ingress or no gateway');
  expect(more).toEqual([]);
  const { PUBLIC_URL = '', TRUST_PROXY } = findSurroundings(gateway, onDemand).env;
  const [rule, ...rules] = ingress.spec.rules;
  expect(rules).toEqual([]);
  const { hostname, protocol } = new URL(PUBLIC_URL);
  expect([protocol, hostname]).toEqual(['https:', rule.host]);
  expect(ingress.spec.tls[0].hosts).toEqual([hostname]);
  expect(rule.http.paths[0].backend.service).toEqual({ name: 'gateway', port: { name: 'http' } });
  expect(TRUST_PROXY).toMatch(/\//);
});

test.each([
  ['the topology is declared', renderFolder(topology), 'Job', ['topology', 'declare'], []],
  ['the first institution is created', renderFolder(firstInstitution), 'Job', ['institutions', 'create'], product],
  ['the nightly check runs', onDemand, 'CronJob', ['check'], []],
] as const)('%s by the operator of its version', (_, all, kind, words, asked) => {
  const [job] = ofKind(kind, all);
  if (!job) throw new Error(`there is no ${kind}`);
  const { container, env, files } = findSurroundings(job, all);
  expect(container.image).toBe(`registry.example.org/boxoffice/operator:${operatorVersion}`);
  expect(container.args.slice(1, 1 + words.length)).toEqual(words);
  const secrets = Object.entries(env).flatMap(([name, value]) => (name.endsWith('_FILE') ? [value] : []));
  expect(secrets.sort()).toEqual([...files.keys()].sort());
  // The remaining variables are the addresses of the processes that it may call, beside that of the installation.
  const others = Object.keys(env).filter((name) => !name.endsWith('_FILE') && name !== 'PUBLIC_URL');
  expect(others.sort()).toEqual(asked.map(({ name }) => `${name.toUpperCase()}_URL`).sort());
});

test('a changed setting is rolled out: the names of the settings that pods read have a hash of their content', () => {
  const read = [...build(example).matchAll(/name: ([a-z]+-settings\S*)/g)].map(([, name = '']) => name);
  expect(new Set(read.map((name) => name.replace(/-[a-z0-9]{10}$/, '')))).toEqual(
    new Set(['boxoffice-settings', 'gateway-settings', 'tickets-settings']),
  );
  expect(read.filter((name) => !/-[a-z0-9]{10}$/.test(name))).toEqual([]);
});

test('simulated payments are off unless an overlay enables them', () => {
  for (const all of [resources, onDemand, renderFolder(everything)])
    for (const { env } of listSurroundings(all))
      expect(Object.keys(env).filter((name) => /SIMULAT|DEMO/.test(name))).toEqual([]);
});

test('with TLS between processes every call and every probe of a service uses https', () => {
  const all = renderFolder(everything);
  for (const { name, env, container } of listSurroundings(all)) {
    const addresses = Object.entries(env).filter(([setting]) =>
      names.includes(setting.replace('_URL', '').toLowerCase()),
    );
    for (const [setting, address] of addresses)
      expect(address).toBe(`https://${setting.replace('_URL', '').toLowerCase()}:8081`);
    const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((one) => container[one].httpGet.scheme);
    expect(probes).toEqual(Array(3).fill(name === 'gateway' ? undefined : 'HTTPS'));
  }
});

const deployments = listSurroundings(onDemand);
const [contacts] = deployments.filter(({ name }) => name === 'contacts');
if (!contacts) throw new Error('contacts is not deployed');
const withEverything = listSurroundings(renderFolder(everything)).map((one) => ({
  ...one,
  name: `${one.name} with everything`,
}));
const misnamed = { ...contacts, name: 'misnamed', env: { ...contacts.env, CONTACT_URL: 'http://contacts:8081' } };
let settings: Started;

beforeAll(async () => {
  settings = await startDeployments([...deployments, ...withEverything, misnamed]);
});

describe('started with the environment of its Deployment', () => {
  test.each(product.flatMap(({ name }) => [[name], [`${name} with everything`]]))(
    '%s accepts every setting and reads each',
    (name) => {
      expect(settings.unread[name]).toEqual([]);
    },
  );

  test('a service is scaled on queues that it consumes', () => {
    const scaled = onDemand.filter(({ kind }) => kind === 'ScaledObject');
    expect(scaled.map(formatResourceName)).not.toEqual([]);
    for (const one of scaled) {
      const queues = one.spec.triggers.flatMap(({ metadata }: Json) => metadata.queueName ?? []);
      expect(settings.queues[one.metadata.name]).toEqual(expect.arrayContaining(queues));
      expect(queues).not.toEqual([]);
    }
  });
});

describe('a mistake is found:', () => {
  test('a setting that no process reads', () => {
    expect(settings.unread.misnamed).toEqual(['CONTACT_URL']);
  });

  test('a value that is not accepted', async () => {
    const loud = { ...contacts, env: { ...contacts.env, LOG_LEVEL: 'loud' } };
    await expect(startDeployments([loud])).rejects.toThrow('LOG_LEVEL');
  });

  test('a reference to a missing object', () => {
    const without = onDemand.filter((one) => formatResourceName(one) !== 'ConfigMap/gateway-settings');
    expect(() => listSurroundings(without)).toThrow('ConfigMap/gateway-settings');
  });
});
