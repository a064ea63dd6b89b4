import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import {
  type Answer,
  type Reply,
  type Request,
  readMonotonicMs,
  type Step,
  type Table,
  type Write,
} from './protocol.ts';

export type WriterThread = ReturnType<typeof startWriterThread>;

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** Starts the one writer thread of a process. While idle it does not keep the process alive. */
export function startWriterThread() {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const worker = new Worker(fileURLToPath(new URL(`./writer${extension}`, import.meta.url)), {
    name: 'sqlite-writer',
    // The program's own flags (--input-type, --inspect …) must not apply to the thread.
    execArgv: [],
  });
  worker.unref();

  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let files = 0;
  let writes: Write[] = [];
  let dead: Error | undefined;

  const die = (error: Error) => {
    dead ??= error;
    for (const { reject } of waiting.values()) reject(dead);
    waiting.clear();
    worker.unref();
  };
  worker.on('error', (error) => die(new Error(`the SQLite writer thread failed: ${error.message}`, { cause: error })));
  worker.on('exit', () => die(new Error('the SQLite writer thread has ended')));
  worker.on('message', (reply: Reply) => {
    for (let i = 0; i < reply.length; i += 2) {
      const call = reply[i] as number;
      waiting.get(call)?.resolve(reply[i + 1] as Answer);
      waiting.delete(call);
    }
    if (waiting.size === 0) worker.unref();
  });

  const flush = () => {
    if (writes.length === 0) return;
    const batch = writes;
    writes = [];
    if (!dead) worker.postMessage({ kind: 'writes', writes: batch } satisfies Request);
  };

  const expect = (call: number): Promise<Answer> => {
    if (dead) return Promise.reject(dead);
    if (waiting.size === 0) worker.ref();
    return new Promise((resolve, reject) => waiting.set(call, { resolve, reject }));
  };

  const ask = (request: Exclude<Request, { kind: 'writes' }>) => {
    flush();
    const answer = expect(request.call);
    if (!dead) worker.postMessage(request);
    return answer;
  };

  return {
    /** Opens a file and creates its tables; returns its number, or the failure. */
    async open(path: string, tables: readonly Table[]) {
      const file = ++files;
      return { file, answer: await ask({ kind: 'open', call: ++calls, file, path, tables }) };
    },
    /** Queues a write; resolves after its commit. Rejects only if the thread died. */
    write(file: number, steps: readonly Step[]): Promise<Answer> {
      const call = ++calls;
      const answer = expect(call);
      // After the events that have arrived: writes that one commit causes go in one message, as costly as a read.
      if (writes.length === 0) setImmediate(flush);
      writes.push([call, file, steps, readMonotonicMs()]);
      return answer;
    },
    closeFile: (file: number) => ask({ kind: 'close', call: ++calls, file }),
    /** Ends the thread after the queued writes. */
    async stop(): Promise<void> {
      flush();
      await worker.terminate();
    },
  };
}
