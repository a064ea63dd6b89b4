// The Helm chart: the kustomize base, with the values in it that installations choose.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { added, asTree, at, changed, type Resource, rendered, type Tree, textAt, type Value } from './kustomize.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const expressions: string[] = [];

/** A text that stands for an expression of Helm's templates until the document is written: YAML would quote that. */
const mark = (expression: string): string => `TEMPLATE${expressions.push(`{{ ${expression} }}`) - 1}END`;

const written = (document: Tree): string =>
  stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }).replace(
    /TEMPLATE(\d+)END/g,
    (_, index) => expressions[Number(index)] ?? '',
  );

const CONTAINER = ['spec', 'template', 'spec', 'containers', 0] as const;

/** What Helm makes before each roll-out, in place of what an earlier one made. */
const HOOK = { 'helm.sh/hook': 'pre-install,pre-upgrade', 'helm.sh/hook-delete-policy': 'before-hook-creation' };

const VOLUMES = ['spec', 'template', 'spec', 'volumes'] as const;

const SERVICES_FILE = { name: 'SERVICES_FILE', value: '/etc/boxoffice/services.json' };

/** The rows of services of teams in the topology's Job, which runs before the ConfigMap of the others is there. */
const ROWS = {
  mount: { name: 'services', mountPath: '/etc/boxoffice', readOnly: true },
  volume: { name: 'services', configMap: { name: 'topology-services' } },
};

/** A ConfigMap with the rows of services of teams. A change arrives in running pods, so it rolls nothing out. */
const rowsIn = (name: string, annotations: Tree): Resource => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { 'app.kubernetes.io/part-of': 'boxoffice' }, annotations },
  data: { 'services.json': mark('toJson .Values.services | quote') },
});

const HOST = 'required "host: the host of PUBLIC_URL" .Values.host';

/** The name and the version of an image. */
const imageOf = (resource: Resource): readonly [string, string] => {
  const [, name = '', tag = ''] =
    /^boxoffice\/([a-z]+):(.+)$/.exec(textAt(asTree(at(resource, ...CONTAINER), 'container'), 'image')) ?? [];
  return [name, tag];
};

const image = (name: string): string =>
  mark(`printf "%s/${name}:%s" (default "boxoffice" .Values.registry) .Values.images.${name}`);

/** How each kind differs between installations. */
const templates: Readonly<Record<string, (resource: Resource) => Resource>> = {
  ConfigMap: (resource) =>
    at(resource, 'data', 'services.json') !== undefined
      ? resource
      : changed(resource, [
          [
            ['data'],
            resource.metadata.name === 'boxoffice-settings'
              ? mark(`toJson (merge (dict "PUBLIC_URL" (printf "https://%s" (${HOST}))) .Values.settings)`)
              : mark(`toJson .Values.${resource.metadata.name.replace('-settings', '')}`),
          ],
        ]),
  Deployment: (resource) => {
    const [name] = imageOf(resource);
    // A changed setting is rolled out like a new version.
    const settings = 'list .Values.host .Values.settings .Values.gateway .Values.tickets | toJson | sha256sum';
    return changed(resource, [
      [[...CONTAINER, 'image'], image(name)],
      [[...CONTAINER, 'resources'], mark(`toJson .Values.resources.${name}`)],
      [['spec', 'template', 'metadata', 'annotations', 'checksum/settings'], mark(settings)],
    ]);
  },
  HorizontalPodAutoscaler: (resource) =>
    changed(resource, [
      [['spec', 'minReplicas'], mark(`int .Values.scale.${resource.metadata.name}.min`)],
      [['spec', 'maxReplicas'], mark(`int .Values.scale.${resource.metadata.name}.max`)],
    ]),
  Ingress: (resource) =>
    changed(resource, [
      [['metadata', 'annotations'], mark('toJson .Values.ingress.annotations')],
      [['spec', 'ingressClassName'], mark('toJson .Values.ingress.className')],
      [['spec', 'tls', 0, 'hosts', 0], mark(`${HOST} | quote`)],
      [['spec', 'tls', 0, 'secretName'], mark('.Values.ingress.tlsSecret | quote')],
      [['spec', 'rules', 0, 'host'], mark(`${HOST} | quote`)],
    ]),
  Job: (resource) =>
    changed(resource, [
      // After its ServiceAccount.
      [['metadata', 'annotations'], { ...HOOK, 'helm.sh/hook-weight': '1' }],
      [[...CONTAINER, 'image'], image('operator')],
      added(resource, [...CONTAINER, 'env'], SERVICES_FILE),
      added(resource, [...CONTAINER, 'volumeMounts'], ROWS.mount),
      added(resource, VOLUMES, ROWS.volume),
    ]),
  ServiceAccount: (resource) =>
    resource.metadata.name === 'topology' ? changed(resource, [[['metadata', 'annotations'], HOOK]]) : resource,
  NetworkPolicy: (resource) => {
    const { name } = resource.metadata;
    if (name === 'gateway')
      return changed(resource, [[['spec', 'ingress', 0, 'from'], mark('toJson .Values.networks.ingress')]]);
    if (name !== 'mongodb' && name !== 'rabbitmq') return resource;
    return changed(resource, [[['spec', 'egress', 0, 'to'], mark(`toJson .Values.networks.${name}`)]]);
  },
};

/** A resource as a template. */
const templateOf = (resource: Resource): string => {
  const isOfTopology = resource.kind === 'Job' || resource.metadata.name.startsWith('topology');
  const templated = templates[resource.kind]?.(resource) ?? resource;
  const text = written(
    changed(templated, [[['metadata', 'labels', 'app.kubernetes.io/managed-by'], mark('.Release.Service')]]),
  );
  if (resource.kind === 'Ingress') return `{{- if .Values.ingress.enabled }}\n${text}{{- end }}\n`;
  return isOfTopology ? `{{- if .Values.topology }}\n${text}{{- end }}\n` : text;
};

const of = (resources: readonly Resource[], kind: string): readonly Resource[] =>
  resources.filter((resource) => resource.kind === kind);

const named = (resources: readonly Resource[], kind: string, name: string): Resource => {
  const found = of(resources, kind).find(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
};

/** What installations choose, with the base's own values. */
const valuesOf = (resources: readonly Resource[]): Tree => {
  const byName = (kind: string, value: (resource: Resource) => Value): Tree =>
    Object.fromEntries(of(resources, kind).map((resource) => [resource.metadata.name, value(resource)]));
  const data = (name: string): Value => at(named(resources, 'ConfigMap', name), 'data') ?? {};
  const peers = (name: string, ...path: readonly (string | number)[]): Value =>
    at(named(resources, 'NetworkPolicy', name), 'spec', ...path) ?? [];
  const images = [...of(resources, 'Deployment'), ...of(resources, 'Job')].map(imageOf);
  return {
    host: '',
    registry: '',
    images: Object.fromEntries(images),
    ingress: { enabled: true, className: null, annotations: {}, tlsSecret: 'boxoffice-tls' },
    settings: data('boxoffice-settings'),
    gateway: data('gateway-settings'),
    tickets: data('tickets-settings'),
    scale: byName('HorizontalPodAutoscaler', (one) => ({
      min: at(one, 'spec', 'minReplicas') ?? 2,
      max: at(one, 'spec', 'maxReplicas') ?? 2,
    })),
    resources: byName('Deployment', (one) => at(one, ...CONTAINER, 'resources') ?? {}),
    networks: {
      ingress: peers('gateway', 'ingress', 0, 'from'),
      mongodb: peers('mongodb', 'egress', 0, 'to'),
      rabbitmq: peers('rabbitmq', 'egress', 0, 'to'),
    },
    services: [],
    topology: true,
  };
};

const closed = (properties: Tree, required: readonly string[] = []): Tree => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const text = { type: 'string' };
const texts = { type: 'object', additionalProperties: text };

/** What Helm refuses: a misspelt value would have no effect. */
const schemaOf = (values: Tree): Tree => {
  const each = (member: string, schema: Tree): Tree =>
    closed(Object.fromEntries(Object.keys(asTree(values[member], member)).map((name) => [name, schema])));
  const count = { type: 'integer', minimum: 1 };
  const peers = { type: 'array', items: { type: 'object' }, minItems: 1 };
  const ingress = {
    enabled: { type: 'boolean' },
    className: { type: ['string', 'null'] },
    annotations: texts,
    tlsSecret: text,
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...closed(
      {
        host: { type: 'string', pattern: '^[a-z0-9.-]+$' },
        registry: { type: 'string', pattern: '^[^/].*[^/]$|^$' },
        images: each('images', { type: 'string', minLength: 1 }),
        ingress: closed(ingress),
        settings: texts,
        gateway: texts,
        tickets: texts,
        scale: each('scale', closed({ min: count, max: count })),
        resources: each('resources', { type: 'object' }),
        networks: each('networks', peers),
        services: { type: 'array', items: { type: 'object', required: ['name'] } },
        topology: { type: 'boolean' },
        global: { type: 'object' },
      },
      ['host'],
    ),
  };
};

const COMMENTS: Readonly<Record<string, string>> = {
  host: 'Of PUBLIC_URL, and of the Ingress: tickets.example.org. There is no installation without one.',
  registry: 'HOST/PATH that `npm run images -- --registry HOST/PATH --push` has pushed to; empty: boxoffice/<name>.',
  images: 'The versions that were released together; another one deploys that service alone.',
  ingress: 'TLS ends at the Ingress, with the certificate of that Secret.',
  settings: 'Of every process.',
  gateway:
    'Of the gateway. TRUST_PROXY is the range of the pods of the ingress controller: any other address gets 404.',
  tickets: 'Of tickets. DOOR_CLIENT_IDS: at which clients stewards sign in at /door/ (docs/guides/door.md).',
  scale: 'Raised before an on-sale begins: autoscalers are too slow for its first minute.',
  resources: 'Of the container of each process.',
  networks: 'Peers of NetworkPolicies: where the ingress controller, MongoDB and RabbitMQ are.',
  services:
    'Rows of services of your own (docs/services-file.md). Their pods have the label `boxoffice/service: own`; a change counts within a minute.',
  topology: 'Before each roll-out a Job declares exchanges and queues, with the Secret boxoffice-operator.',
};

const NOTES = `boxoffice is at https://{{ .Values.host }} once its pods are ready:

  kubectl -n {{ .Release.Namespace }} rollout status deployment/gateway

Its Secrets, and how the first institution is made: deploy/kubernetes/README.md of the repository.
`;

/** Writes the chart into a folder, which must be empty or absent. @throws {Error} if it has something in it */
export const writeChart = (folder: string): void => {
  mkdirSync(join(folder, 'templates'), { recursive: true });
  if (readdirSync(folder).length > 1) throw new Error(`${folder} is not empty: name a new folder`);
  const { version } = JSON.parse(readFileSync(here('../package.json'), 'utf8')) as { readonly version: string };
  const rows = [rowsIn('boxoffice-services', {}), rowsIn('topology-services', HOOK)];
  const resources = [...rendered(here('../chart')), ...rendered(here('../topology')), ...rows];
  const values = valuesOf(resources);
  const put = (name: string, content: string): void => writeFileSync(join(folder, name), content);
  put(
    'Chart.yaml',
    stringify({
      apiVersion: 'v2',
      name: 'boxoffice',
      description: 'An open, self-hosted ticketing and sales back end',
      type: 'application',
      version,
      appVersion: version,
      kubeVersion: '>=1.30.0-0',
    }),
  );
  put(
    'values.yaml',
    Object.entries(values)
      .map(([name, value]) => `# ${COMMENTS[name]}\n${stringify({ [name]: value }, { lineWidth: 0 })}`)
      .join('\n'),
  );
  put('values.schema.json', `${JSON.stringify(schemaOf(values), null, 2)}\n`);
  put('templates/NOTES.txt', NOTES);
  const files = new Map<string, string[]>();
  for (const resource of resources) {
    const { name, labels } = resource.metadata;
    const file = String(
      at(labels as Value, 'app.kubernetes.io/name') ?? (resource.kind === 'NetworkPolicy' ? 'network' : name),
    );
    files.set(file, [...(files.get(file) ?? []), templateOf(resource)]);
  }
  for (const [name, parts] of files) put(`templates/${name}.yaml`, parts.join('---\n'));
};

// npm run chart -- DIRECTORY: writes the Helm chart, made from the kustomize base
if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    process.stderr.write('npm run chart -- DIRECTORY\n');
    process.exitCode = 2;
  } else {
    try {
      writeChart(folder);
      process.stdout.write(
        `written: helm install boxoffice ${folder} --namespace boxoffice --set host=tickets.example.org\n`,
      );
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`);
      process.exitCode = 1;
    }
  }
}
