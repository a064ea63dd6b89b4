import { run, succeeds } from './command.ts';

/** A running container. */
export interface Instance {
  readonly id: string;
  readonly image: string;
}

/** A composition of its own name on this machine's engine. */
export interface Composition {
  /** Starts everything in order, but for one service if it is named. */
  up(without?: string): Promise<void>;
  /** So many instances of a service; those that run stay as they are, new ones are of the image that `use` said. */
  scale(service: string, count: number): Promise<void>;
  /** From now on new instances of the service are of this image. */
  use(service: string, image: string): void;
  /** The running instances. */
  instances(service: string): Promise<readonly Instance[]>;
  /** Waits until so many instances of the service are healthy. @throws {Error} when they are not in time */
  healthy(service: string, count: number, withinMs?: number): Promise<void>;
  /** Waits for a container that does one thing. @throws {Error} with what it printed, when it fails */
  finished(service: string, withinMs?: number): Promise<void>;
  /** One file of a container, running or not. */
  file(service: string, path: string): Promise<string>;
  /** Runs a command of the operator; answers what it printed. */
  operator(...words: readonly string[]): Promise<string>;
  /** What containers complained of. */
  logs(service?: string): Promise<string>;
  /** Removes it with its data. */
  down(): Promise<void>;
  /** How a person would do that. */
  readonly removal: string;
}

export interface CompositionOptions {
  readonly folder: string;
  readonly project: string;
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `docker compose` or `docker-compose`; undefined: the first that is there. */
  readonly command?: string;
}

/** Of what containers print, complaints; of those who log in no such form, the last lines. */
const tellingOf = (printed: string): string => {
  const lines = printed.split('\n');
  const complaints = lines.filter((line) => /"level":"(warn|error)"/.test(line));
  const others = lines.filter((line) => !line.includes('"level":') && !line.startsWith('rabbitmq'));
  return [...complaints.slice(-40), ...others.slice(-15)].map((line) => line.slice(0, 400)).join('\n');
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Whichever there is. @throws {Error} when there is none */
const commandThere = async (): Promise<string> => {
  if (await succeeds('docker', ['compose', 'version'])) return 'docker compose';
  if (await succeeds('docker-compose', ['version'])) return 'docker-compose';
  throw new Error('there is neither "docker compose" nor "docker-compose"');
};

/** Describes a composition; nothing is started yet. */
export const openComposition = async (options: CompositionOptions): Promise<Composition> => {
  const { folder, project, files } = options;
  const env: Record<string, string> = { ...options.env };
  const [program = 'docker', ...first] = (options.command ?? (await commandThere())).split(' ');
  const given = [...first, '-p', project, ...files.flatMap((file) => ['-f', file])];
  const compose = (...args: readonly string[]) => run(program, [...given, ...args], { cwd: folder, env });

  const containers = async (service: string, all: boolean): Promise<string[]> => {
    const filters = [`project=${project}`, `service=${service}`, 'oneoff=False'];
    const labels = filters.flatMap((label) => ['--filter', `label=com.docker.compose.${label}`]);
    const listed = await run('docker', ['ps', '-q', '--no-trunc', ...(all ? ['-a'] : []), ...labels]);
    return listed.split('\n').filter((id) => id !== '');
  };
  const inspect = async (ids: readonly string[], format: string): Promise<string[]> =>
    ids.length === 0 ? [] : (await run('docker', ['inspect', '-f', format, ...ids])).trim().split('\n');
  const logs = (service?: string) =>
    compose('logs', '--no-color', '--tail', '3000', ...(service === undefined ? [] : [service])).then(tellingOf);

  return {
    removal: `docker compose -p ${project} down --volumes`,
    up: async (without) =>
      void (await compose('up', '-d', '--no-build', ...(without === undefined ? [] : ['--scale', `${without}=0`]))),
    scale: async (service, count) =>
      void (await compose(
        'up',
        '-d',
        '--no-build',
        '--no-deps',
        '--no-recreate',
        '--scale',
        `${service}=${count}`,
        service,
      )),
    use(service, image) {
      env[`${service.toUpperCase()}_IMAGE`] = image;
    },
    async instances(service) {
      const ids = await containers(service, false);
      const images = await inspect(ids, '{{.Config.Image}}');
      return ids.map((id, index) => ({ id, image: String(images[index]) }));
    },
    async healthy(service, count, withinMs = 120_000) {
      const until = Date.now() + withinMs;
      for (;;) {
        const states = await inspect(await containers(service, false), '{{.State.Health.Status}}');
        if (states.filter((state) => state === 'healthy').length >= count) return;
        if (Date.now() > until)
          throw new Error(`${service}: ${states.join(', ')} instead of ${count} healthy\n${await logs(service)}`);
        await pause(500);
      }
    },
    async finished(service, withinMs = 300_000) {
      const until = Date.now() + withinMs;
      for (;;) {
        const [state] = await inspect(await containers(service, true), '{{.State.Status}} {{.State.ExitCode}}');
        if (state === 'exited 0') return;
        if (state?.startsWith('exited') || Date.now() > until)
          throw new Error(`${service}: ${state}\n${await logs(service)}`);
        await pause(500);
      }
    },
    async file(service, path) {
      const [id] = await containers(service, true);
      return run('sh', ['-c', 'docker cp "$1" - | tar -xO', 'sh', `${id}:${path}`]);
    },
    operator: (...words) => compose('run', '--rm', '--no-deps', '-T', 'operator', ...words),
    logs,
    down: async () =>
      void (await compose('--profile', 'operator', 'down', '--volumes', '--remove-orphans', '--timeout', '15')),
  };
};
