import { waitUntil } from '@boxoffice/testkit';
import { run, succeeds } from './command.ts';

/** A running container. */
export interface Instance {
  readonly id: string;
  readonly image: string;
}

/** A composition with a name of its own on this machine's engine. */
export interface Composition {
  /** Starts all services in order, except `without`. */
  up(without?: string): Promise<void>;
  /** Scales a service to `count` instances; running ones stay unchanged, new ones have the image set by `use`. */
  scale(service: string, count: number): Promise<void>;
  /** Sets the image of new instances of the service. */
  use(service: string, image: string): void;
  /** The running instances. */
  instances(service: string): Promise<readonly Instance[]>;
  /** Waits until `count` instances of the service are healthy. @throws {Error} on a timeout */
  healthy(service: string, count: number, withinMs?: number): Promise<void>;
  /** Waits for a one-shot container. @throws {Error} with its output, when it fails */
  finished(service: string, withinMs?: number): Promise<void>;
  /** Reads one file of a container, running or not. */
  file(service: string, path: string): Promise<string>;
  /** Runs an operator command; returns its output. */
  operator(...words: readonly string[]): Promise<string>;
  /** The warnings and errors in the containers' logs. */
  logs(service?: string): Promise<string>;
  /** Removes the composition with its data. */
  down(): Promise<void>;
  /** The command that removes it by hand. */
  readonly removal: string;
}

export interface CompositionOptions {
  readonly folder: string;
  readonly project: string;
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `docker compose` or `docker-compose`; undefined: the first that is installed. */
  readonly command?: string;
}

/** Extracts warnings and errors from container logs; for logs in another format, the last lines. */
const complaintsIn = (printed: string): string => {
  const lines = printed.split('\n');
  const complaints = lines.filter((line) => /"level":"(warn|error)"/.test(line));
  const others = lines.filter((line) => !line.includes('"level":') && !line.startsWith('rabbitmq'));
  return [...complaints.slice(-40), ...others.slice(-15)].map((line) => line.slice(0, 400)).join('\n');
};

/** The installed command. @throws {Error} when there is none */
const installedCommand = async (): Promise<string> => {
  if (await succeeds('docker', ['compose', 'version'])) return 'docker compose';
  if (await succeeds('docker-compose', ['version'])) return 'docker-compose';
  throw new Error('install "docker compose" or "docker-compose": there is neither');
};

/** Describes a composition without starting it. */
export const openComposition = async (options: CompositionOptions): Promise<Composition> => {
  const { folder, project, files } = options;
  // The older command sets the project's name for its files only if the environment has it.
  const env: Record<string, string> = { ...options.env, COMPOSE_PROJECT_NAME: project };
  const [program = 'docker', ...first] = (options.command ?? (await installedCommand())).split(' ');
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
    compose('logs', '--no-color', '--tail', '3000', ...(service === undefined ? [] : [service])).then(complaintsIn);

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
    async healthy(service, count, withinMs = 300_000) {
      let states: readonly string[] = [];
      const areHealthy = async (): Promise<boolean> => {
        states = await inspect(await containers(service, false), '{{.State.Health.Status}}');
        return states.filter((state) => state === 'healthy').length >= count;
      };
      await waitUntil(areHealthy, { withinMs, everyMs: 500 }).catch(async ({ message }: Error) => {
        const found = `${states.join(', ')} instead of ${count} healthy`;
        throw new Error(`${service}: ${found}: ${message}\n${await logs(service)}`);
      });
    },
    async finished(service, withinMs = 300_000) {
      let state: string | undefined;
      const hasExited = async (): Promise<boolean> => {
        [state] = await inspect(await containers(service, true), '{{.State.Status}} {{.State.ExitCode}}');
        return state?.startsWith('exited') ?? false;
      };
      const failure = await waitUntil(hasExited, { withinMs, everyMs: 500 }).then(
        () => undefined,
        ({ message }: Error) => message,
      );
      if (state !== 'exited 0') throw new Error(`${service}: ${failure ?? state}\n${await logs(service)}`);
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
