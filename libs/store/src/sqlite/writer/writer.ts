import { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { createStatementCache, toFailure } from '../database.ts';
import { migrate } from '../schema.ts';
import { commitGroup, type WritableFile } from './group.ts';
import type { Answer, Reply, Request, Write } from './protocol.ts';

// The program of the writer thread: takes all queued writes, commits them in groups, one per file, and responds.

/** Writes that share a commit at most, which bounds the wait of each. */
const groupLimit = 1000;
const busy = 5;

/** Durable at commit. A log of 16 MB folds a page that was written often into the file once; its cache is as large. */
const pragmas = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
  PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -16000`;

const files = new Map<number, WritableFile>();

const openFile = (path: string, tables: Extract<Request, { kind: 'open' }>['tables']): WritableFile => {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    // Another instance may lock the file for longer than a timeout while it builds its indexes.
    for (let attempt = 1; ; attempt++) {
      try {
        database.exec(pragmas);
        migrate(database, tables);
        return { database, prepare: createStatementCache(database) };
      } catch (error) {
        if ((toFailure(error).code & 255) !== busy || attempt === 12) throw error;
      }
    }
  } catch (error) {
    database.close();
    throw error;
  }
};

const attempt = (action: () => void): Answer => {
  try {
    action();
    return 0;
  } catch (error) {
    return toFailure(error);
  }
};

const commit = (port: MessagePort, writes: Write[]) => {
  const byFile = new Map<number, Write[]>();
  for (const write of writes) {
    const group = byFile.get(write[1]);
    if (group) group.push(write);
    else byFile.set(write[1], [write]);
  }
  for (const [number, group] of byFile) {
    const file = files.get(number);
    const answers = file ? commitGroup(file, group) : group.map(() => toFailure('the file is closed'));
    const reply: Reply = group.flatMap((write, i) => [write[0], answers[i] as Answer]);
    port.postMessage(reply);
  }
};

const serve = (port: MessagePort) => {
  port.on('message', (first: Request) => {
    let next: Request | undefined = first;
    let writes: Write[] = [];
    const flush = () => {
      if (writes.length > 0) commit(port, writes);
      writes = [];
    };
    while (next) {
      const request: Request = next;
      if (request.kind === 'writes') {
        writes.push(...request.writes);
        if (writes.length >= groupLimit) flush();
      } else {
        flush();
        const answer = attempt(() => {
          if (request.kind === 'open') files.set(request.file, openFile(request.path, request.tables));
          else {
            files.get(request.file)?.database.close();
            files.delete(request.file);
          }
        });
        port.postMessage([request.call, answer] satisfies Reply);
      }
      next = receiveMessageOnPort(port)?.message;
      // The queue is empty: commit, then check for writes that arrived meanwhile.
      if (!next) {
        flush();
        next = receiveMessageOnPort(port)?.message;
      }
    }
  });
};

if (parentPort) serve(parentPort);
