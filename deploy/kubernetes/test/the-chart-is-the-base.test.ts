import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { at, documentsIn, nameOf, type Resource, rendered, writeChart } from '../src/index.ts';
import { faultsOf, chart as source, topology } from './resources.ts';

const folder = mkdtempSync(join(tmpdir(), 'boxoffice-chart-'));
const chart = join(folder, 'chart');
beforeAll(() => writeChart(chart));
afterAll(() => rmSync(folder, { recursive: true }));

const helm = (command: 'lint' | 'template', values: object) => {
  const file = join(folder, 'values.yaml');
  writeFileSync(file, stringify(values));
  const words = command === 'lint' ? ['lint', '--strict', chart] : ['template', 'boxoffice', chart];
  return spawnSync('helm', [...words, '--values', file], { encoding: 'utf8', maxBuffer: 10_000_000 });
};

const resourcesOf = (values: object): Resource[] => {
  const { status, stdout, stderr } = helm('template', values);
  if (status !== 0) throw new Error(stderr);
  return documentsIn(stdout);
};

const host = 'tickets.example.org';

/** Without what Helm alone adds, and with what the chart's values alone decide left out. */
const common = (resource: Resource): unknown => {
  const plain = structuredClone(resource) as unknown as Record<string, Record<string, Record<string, unknown>>>;
  delete plain.metadata?.labels?.['app.kubernetes.io/managed-by'];
  delete plain.metadata?.annotations;
  if (Object.keys(plain.metadata?.labels ?? {}).length === 0) delete plain.metadata?.labels;
  if (resource.kind === 'Ingress') return { ...plain, spec: undefined };
  if (nameOf(resource) === 'ConfigMap/boxoffice-settings') delete plain.data?.PUBLIC_URL;
  if (resource.kind === 'Deployment')
    delete (at(resource, 'spec', 'template', 'metadata') as unknown as Record<string, unknown>).annotations;
  return JSON.parse(JSON.stringify(plain));
};

const byName = (resources: readonly Resource[]) =>
  new Map(resources.map((resource) => [nameOf(resource), common(structuredClone(resource))]));

test('with its own values the chart is what kustomize makes of the base, and the topology before each roll-out', () => {
  const made = resourcesOf({ host });
  const ofBase = byName(rendered(source));
  const chartOf = byName(made);
  for (const [name, resource] of ofBase) {
    if (!name.startsWith('Deployment')) expect([name, chartOf.get(name)]).toEqual([name, resource]);
    else
      expect(
        at(
          made.find((one) => nameOf(one) === name),
          'spec',
          'template',
          'spec',
        ),
      ).toEqual(
        at(
          rendered(source).find((one) => nameOf(one) === name),
          'spec',
          'template',
          'spec',
        ),
      );
  }
  const others = [...chartOf.keys()].filter((name) => !ofBase.has(name));
  expect(others).toEqual(
    expect.arrayContaining([
      'ServiceAccount/topology',
      'Job/topology',
      'ConfigMap/boxoffice-services',
      'ConfigMap/topology-services',
    ]),
  );
  expect(others).toHaveLength(4);
  const job = made.find(({ kind }) => kind === 'Job');
  expect(at(job, 'metadata', 'annotations', 'helm.sh/hook')).toBe('pre-install,pre-upgrade');
  const declares = rendered(topology).find(({ kind }) => kind === 'Job');
  const args = ['spec', 'template', 'spec', 'containers', 0, 'args'] as const;
  expect(at(job, ...args)).toEqual(at(declares, ...args));
});

test('host, registry, versions, settings, scale and networks are values', async () => {
  const made = resourcesOf({
    host,
    registry: 'registry.example.org/tickets',
    images: { orders: '9.9.9' },
    ingress: { className: 'traefik', annotations: { a: 'b' } },
    settings: { LOG_LEVEL: 'debug' },
    gateway: { TRUST_PROXY: '10.244.0.0/16' },
    tickets: { DOOR_CLIENT_IDS: 'Opera=cli_1' },
    scale: { pos: { min: 3, max: 30 } },
    networks: { mongodb: [{ ipBlock: { cidr: '192.0.2.0/24' } }] },
    services: [{ name: 'loyalty', url: 'http://loyalty:8081', prefixes: ['/svc/v3/loyalty'] }],
    topology: false,
  });
  const find = (name: string) => made.find((one) => nameOf(one) === name);
  const container = ['spec', 'template', 'spec', 'containers', 0] as const;
  expect(at(find('Deployment/orders'), ...container, 'image')).toBe('registry.example.org/tickets/orders:9.9.9');
  expect(at(find('ConfigMap/boxoffice-settings'), 'data')).toMatchObject({
    PUBLIC_URL: `https://${host}`,
    LOG_LEVEL: 'debug',
    OPERATIONS_PORT: '9090',
  });
  expect(at(find('ConfigMap/gateway-settings'), 'data', 'TRUST_PROXY')).toBe('10.244.0.0/16');
  expect(at(find('ConfigMap/tickets-settings'), 'data')).toEqual({ DOOR_CLIENT_IDS: 'Opera=cli_1' });
  expect(at(find('HorizontalPodAutoscaler/pos'), 'spec')).toMatchObject({ minReplicas: 3, maxReplicas: 30 });
  expect(at(find('Ingress/gateway'), 'spec')).toMatchObject({ ingressClassName: 'traefik', rules: [{ host }] });
  expect(at(find('NetworkPolicy/mongodb'), 'spec', 'egress', 0, 'to')).toEqual([{ ipBlock: { cidr: '192.0.2.0/24' } }]);
  const rows = JSON.parse(String(at(find('ConfigMap/boxoffice-services'), 'data', 'services.json')));
  expect(rows).toEqual([{ name: 'loyalty', url: 'http://loyalty:8081', prefixes: ['/svc/v3/loyalty'] }]);
  expect(find('Job/topology')).toBeUndefined();
  const faults = await Promise.all(
    made.map(async (one) => (await faultsOf(one)).map((fault) => `${nameOf(one)}${fault}`)),
  );
  expect(faults.flat()).toEqual([]);
});

test('a changed setting changes the pods, so that it is rolled out', () => {
  const annotations = (values: object) =>
    at(
      resourcesOf({ host, ...values }).find((one) => nameOf(one) === 'Deployment/orders'),
      ...['spec', 'template', 'metadata', 'annotations'],
    );
  expect(annotations({})).toEqual(annotations({}));
  expect(annotations({ settings: { LOG_LEVEL: 'debug' } })).not.toEqual(annotations({}));
});

test('Helm finds nothing wrong, and refuses a chart without a host or with a value that does not exist', () => {
  expect(helm('lint', { host })).toMatchObject({ status: 0, stdout: expect.stringContaining('0 chart(s) failed') });
  for (const wrong of [{}, { host, registri: 'x' }, { host, scale: { pos: { min: 'three', max: 4 } } }])
    expect(helm('template', wrong)).toMatchObject({ status: 1, stderr: expect.stringContaining('values don') });
});

test('a folder with something in it is not written to', () => {
  expect(() => writeChart(folder)).toThrow('is not empty');
});
