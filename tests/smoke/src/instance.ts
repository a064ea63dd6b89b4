import { run } from './command.ts';

/** The number of requests that an instance has answered since its start, by its own metrics. */
export const servedBy = async (id: string): Promise<number> => {
  const print = "fetch('http://127.0.0.1:9090/metrics').then((reply) => reply.text()).then(console.log)";
  const metrics = await run('docker', ['exec', id, '/usr/local/bin/node', '-e', print]);
  return metrics
    .split('\n')
    .filter((line) => line.startsWith('http_server_request_duration_seconds_count'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
};

/** Kills the process of an instance from inside, as a crash would: the engine's restart policy then applies. */
export const crash = async (id: string): Promise<void> => {
  const pid = Number(await run('docker', ['inspect', '-f', '{{.State.Pid}}', id]));
  if (!(pid > 1)) throw new Error(`the instance ${id} does not run`);
  process.kill(pid, 'SIGKILL');
};

/** The result of a requested shutdown. */
export interface Ended {
  readonly status: number;
  readonly seconds: number;
}

/** Sends SIGTERM and removes the instance. Seconds include the engine's own time. */
export const drain = async (id: string): Promise<Ended> => {
  const started = performance.now();
  await run('docker', ['stop', '-t', '30', id]);
  const seconds = (performance.now() - started) / 1000;
  const status = Number(await run('docker', ['inspect', '-f', '{{.State.ExitCode}}', id]));
  await run('docker', ['rm', id]);
  return { status, seconds };
};
