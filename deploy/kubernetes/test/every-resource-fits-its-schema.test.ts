import { basename } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { formatResourceName, type Json, type Resource, renderFolder } from '../src/index.ts';
import { applicable, base, findFaults } from './resources.ts';

const faultsIn = async (resources: readonly Resource[]): Promise<string[]> => {
  const all = await Promise.all(
    resources.map(async (resource) =>
      (await findFaults(resource)).map((fault) => `${formatResourceName(resource)}${fault}`),
    ),
  );
  return all.flat();
};

describe('by the schemas of Kubernetes, KEDA and the Prometheus Operator', () => {
  test.each(applicable.map((folder) => [basename(folder), folder]))('every resource of %s fits', async (_, folder) => {
    expect(await faultsIn(renderFolder(folder))).toEqual([]);
  });
});

/**
 * Kinds that every Kubernetes since 1.30 serves, without Secret. The models also contain older kinds that no current
 * cluster accepts.
 */
const kinds = new Set([
  'v1 Namespace',
  'v1 ServiceAccount',
  'v1 ConfigMap',
  'v1 Service',
  'apps/v1 Deployment',
  'batch/v1 Job',
  'batch/v1 CronJob',
  'policy/v1 PodDisruptionBudget',
  'autoscaling/v2 HorizontalPodAutoscaler',
  'networking.k8s.io/v1 Ingress',
  'networking.k8s.io/v1 NetworkPolicy',
  'keda.sh/v1alpha1 ScaledObject',
  'keda.sh/v1alpha1 TriggerAuthentication',
  'monitoring.coreos.com/v1 PodMonitor',
]);

test('the manifests have only these kinds, in versions that clusters serve', () => {
  const used = applicable.flatMap(renderFolder).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  expect(new Set(used)).toEqual(kinds);
});

/** The value with changes: a mapping changes members, null removes one, a list changes elements by position. */
const change = (value: Json, changes: Json): Json => {
  if (typeof changes !== 'object') return changes;
  const changed = Array.isArray(value) ? [...value] : { ...value };
  for (const [name, one] of Object.entries(changes)) {
    if (one === null) delete changed[name];
    else changed[name] = change(changed[name], one);
  }
  return changed;
};

describe('a mistake is found:', () => {
  const orders = renderFolder(base).find((resource) => formatResourceName(resource) === 'Deployment/orders');
  const findMistake = (mistake: object) => findFaults(change(orders, mistake));
  const inContainer = (mistake: object) => ({ template: { spec: { containers: [mistake] } } });

  test.each([
    [
      'a field that there is not',
      { spec: { strategy: { rollingUpdate: { maxUnavailble: 0 } } } },
      '/maxUnavailble: no such field',
    ],
    [
      'a field at the wrong place',
      { spec: inContainer({ name: 'boxoffice', terminationGracePeriodSeconds: 30 }) },
      '/containers/0/terminationGracePeriodSeconds: no such field',
    ],
    ['a text for a number', { spec: { minReadySeconds: 'five' } }, '/spec/minReadySeconds'],
    ['a word that is none of the choices', { spec: { strategy: { type: 'Rolling' } } }, '/spec/strategy/type'],
    ['a field that is missing', { spec: { selector: null } }, 'selector'],
    [
      'a number for the value of a variable',
      { spec: inContainer({ name: 'boxoffice', env: [{ name: 'PORT', value: 8081 }] }) },
      '/value',
    ],
  ])('%s', async (_, mistake, path) => {
    const faults = await findMistake(mistake);
    expect(faults.join('\n')).toContain(path);
  });

  test('an unknown kind', async () => {
    const [fault] = await findFaults({ apiVersion: 'apps/v2', kind: 'Deployment', metadata: { name: 'old' } });
    expect(fault).toContain('no schema of apps/v2 Deployment');
  });
});
