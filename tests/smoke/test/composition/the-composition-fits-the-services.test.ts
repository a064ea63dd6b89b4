import { describe, expect, test } from '@jest/globals';
import { type Container, composition, knownSettings, read, services } from './files.ts';

const containers = Object.entries(composition.services);
const container = (name: string): Container => {
  const found = composition.services[name];
  if (!found) throw new Error(`${name} is not in the composition`);
  return found;
};
/** `${NAME:-standard}` → `standard` */
const standard = (text: string): string => text.replace(/^\$\{[A-Z_]+:-(.*)\}$/, '$1');

test('every service is there, and every address leads to one', () => {
  const addresses = new Map(services.map(({ name }) => [`${name.toUpperCase()}_URL`, `http://${name}:8081`]));
  for (const { name } of services)
    for (const [setting, value] of Object.entries(container(name).environment ?? {}))
      if (addresses.has(setting)) expect(value).toBe(addresses.get(setting));
  for (const { name } of services.filter(({ name: one }) => one !== 'gateway'))
    expect(container('gateway').environment?.[`${name.toUpperCase()}_URL`]).toBeDefined();
});

describe.each([...services])('$name', ({ name, version }) => {
  const own = container(name);

  test('is built by the Dockerfile as the version of its package', () => {
    expect(standard(own.image)).toBe(`boxoffice/${name}:${version}`);
    expect(own.build).toMatchObject({ dockerfile: 'deploy/Dockerfile', args: { SERVICE: name, VERSION: version } });
    expect(read('deploy/Dockerfile')).toContain('for service in gateway authorizer $(ls services) operator;');
  });

  test('reads its secrets from files of a volume that only it mounts', () => {
    const volume = `secrets-${name}:/run/boxoffice:ro`;
    expect(own.volumes).toContain(volume);
    const others = containers.filter(([, { volumes = [] }]) =>
      volumes.some((one) => one.startsWith(`secrets-${name}:`)),
    );
    expect(others.map(([other]) => other).sort()).toEqual([name, 'secrets'].sort());
    const setting = name === 'authorizer' ? 'SERVICE_ROOT_SECRET' : 'SERVICE_SECRET';
    const given = Object.entries(own.environment ?? {}).filter(([key]) => /^SERVICE_(ROOT_)?SECRET/.test(key));
    expect(given).toEqual([[`${setting}_FILE`, `/run/boxoffice/${setting.toLowerCase().replaceAll('_', '-')}`]]);
    expect(read('deploy/compose/broker-rights.json')).toContain(`"user": "${name}"`);
  });

  test('has only settings that the product reads, and restarts by itself', () => {
    const unknown = Object.keys(own.environment ?? {}).filter(
      (key) => !knownSettings.has(key) && !knownSettings.has(key.replace(/_FILE$/, '')),
    );
    expect(unknown).toEqual([]);
    expect(own.restart).toBe('unless-stopped');
  });
});

test('only the gateway and the proxy are published, and beside them only events, which sends webhooks, has a way out', () => {
  expect(containers.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['gateway', 'proxy']);
  const outside = Object.entries(composition.networks).filter(([, network]) => network?.internal !== true);
  expect(outside.map(([name]) => name)).toEqual(['front', 'out']);
  expect(containers.filter(([, { networks = [] }]) => networks.includes('front')).map(([name]) => name)).toEqual([
    'gateway',
    'proxy',
  ]);
  expect(containers.filter(([, { networks = [] }]) => networks.includes('out')).map(([name]) => name)).toEqual([
    'events',
  ]);
  expect(container('gateway').networks).not.toContain('store');
});

test.each(containers)('%s has no more rights than it needs', (_, given) => {
  expect(given).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    mem_limit: expect.any(String),
    pids_limit: expect.any(Number),
    restart: expect.any(String),
    logging: { options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
  });
});

test('the files contain no secret', () => {
  const literal = containers.flatMap(([name, { environment = {} }]) =>
    Object.entries(environment)
      .filter(
        ([key, value]) =>
          /SECRET|PASSWORD|KEY|MONGODB_URL|AMQP_URL/.test(key) && !/_FILE$/.test(key) && standard(value) !== '',
      )
      .map(([key]) => `${name}: ${key}`),
  );
  expect(literal).toEqual([]);
  expect(read('docker-compose.yml')).not.toMatch(/(mongodb|amqps?):\/\/[^/\s]*@/);
});

test('the images run without root, and check their own health', () => {
  const dockerfile = read('deploy/Dockerfile');
  const final = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  expect(final).toMatch(/^USER 65532:65532$/m);
  expect(final).toMatch(/^HEALTHCHECK .*CMD \["\/usr\/local\/bin\/node", /m);
  expect(final).not.toMatch(/^RUN /m);
  expect(dockerfile.match(/^ARG (BUILD_)?BASE=.*$/gm)?.every((base) => /@sha256:[0-9a-f]{64}$/.test(base))).toBe(true);
});
