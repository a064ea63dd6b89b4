import { beforeAll, describe, expect, test } from '@jest/globals';
import { asList, at, nameOf, type Resource, rendered } from '../../src/index.ts';
import { everything, example } from '../folders.ts';
import { product, type Started, started } from './product.ts';
import { deployed } from './surroundings.ts';

const resources = rendered(example);
const deployments = deployed(resources);
const [contacts] = deployments.filter(({ name }) => name === 'contacts');
if (!contacts) throw new Error('contacts is not deployed');
const withEverything = deployed(rendered(everything)).map((one) => ({ ...one, name: `${one.name} with everything` }));
const misnamed = { ...contacts, name: 'misnamed', env: { ...contacts.env, CONTACT_URL: 'http://contacts:8081' } };
let settings: Started;

beforeAll(async () => {
  settings = await started([...deployments, ...withEverything, misnamed]);
});

describe('started with the environment of its Deployment', () => {
  test.each(product.flatMap(({ name }) => [[name], [`${name} with everything`]]))(
    '%s accepts every setting and reads each',
    (name) => {
      expect(settings.unread[name]).toEqual([]);
    },
  );

  test('a service is scaled on queues that it consumes', () => {
    const scaled = resources.filter(({ kind }) => kind === 'ScaledObject');
    expect(scaled.map(nameOf)).not.toEqual([]);
    for (const one of scaled) {
      const queues = asList(at(one, 'spec', 'triggers'), 'triggers').flatMap((trigger) => {
        const queue = at(trigger, 'metadata', 'queueName');
        return queue === undefined ? [] : [String(queue)];
      });
      expect(queues.filter((queue) => !settings.queues[one.metadata.name]?.includes(queue))).toEqual([]);
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
    await expect(started([loud])).rejects.toThrow('LOG_LEVEL');
  });

  test('a reference to a missing object', () => {
    const without = resources.filter((one: Resource) => nameOf(one) !== 'ConfigMap/gateway-settings');
    expect(() => deployed(without)).toThrow('ConfigMap/gateway-settings');
  });
});
