import { waitUntil } from '@boxoffice/testkit';
import { run, succeeds } from './command.ts';

/** docker-compose.yml, under a name of its own, on this machine's engine. */
export interface Composition {
  /** Starts all services in order. */
  up(): Promise<void>;
  /** Waits for a one-shot container. @throws {Error} when it fails */
  finished(service: string): Promise<void>;
  /** Reads one file of a container, running or not. */
  file(service: string, path: string): Promise<string>;
  /** Runs an operator command; returns its output. */
  operator(...words: readonly string[]): Promise<string>;
  /** The warnings and errors in the containers' logs; of logs in another format, the last lines. */
  complaints(): Promise<string>;
  /** Removes the composition with its data. */
  down(): Promise<void>;
}

interface CompositionOptions {
  readonly project: string;
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `docker compose` or `docker-compose`; undefined: the first that is installed. */
  readonly command: string | undefined;
}

const installedCommand = async (): Promise<string> =>
  (await succeeds('docker', ['compose', 'version'])) ? 'docker compose' : 'docker-compose';

/** Describes a composition without starting it. */
export const openComposition = async (options: CompositionOptions): Promise<Composition> => {
  const { project, files } = options;
  // The older command sets the project's name for its files only if the environment has it.
  const env = { ...options.env, COMPOSE_PROJECT_NAME: project };
  const [program = 'docker', ...first] = (options.command ?? (await installedCommand())).split(' ');
  const given = [...first, '-p', project, ...files.flatMap((file) => ['-f', file])];
  const compose = (...args: readonly string[]) => run(program, [...given, ...args], { env });
  const containerOf = async (service: string): Promise<string> => {
    const filters = [`project=${project}`, `service=${service}`, 'oneoff=False'];
    const labels = filters.flatMap((label) => ['--filter', `label=com.docker.compose.${label}`]);
    return (await run('docker', ['ps', '-a', '-q', '--no-trunc', ...labels])).trim();
  };
  return {
    up: async () => void (await compose('up', '-d', '--no-build')),
    async finished(service) {
      let state = '';
      const hasExited = async (): Promise<boolean> => {
        const id = await containerOf(service);
        state = (await run('docker', ['inspect', '-f', '{{.State.Status}} {{.State.ExitCode}}', id])).trim();
        return state.startsWith('exited');
      };
      await waitUntil(hasExited, { what: `${service} to end`, withinMs: 300_000, everyMs: 500 });
      if (state !== 'exited 0') throw new Error(`${service}: ${state}`);
    },
    file: async (service, path) =>
      run('sh', ['-c', 'docker cp "$1" - | tar -xO', 'sh', `${await containerOf(service)}:${path}`]),
    operator: (...words) => compose('run', '--rm', '--no-deps', '-T', 'operator', ...words),
    async complaints() {
      const lines = (await compose('logs', '--no-color', '--tail', '3000')).split('\n');
      const complaints = lines.filter((line) => /"level":"(warn|error)"/.test(line));
      const others = lines.filter((line) => !line.includes('"level":') && !line.startsWith('rabbitmq'));
      return [...complaints.slice(-40), ...others.slice(-15)].map((line) => line.slice(0, 400)).join('\n');
    },
    down: async () =>
      void (await compose('--profile', 'operator', 'down', '--volumes', '--remove-orphans', '--timeout', '15')),
  };
};
