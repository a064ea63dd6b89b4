import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** Its file stands beside this one, as source or compiled. It does not keep the process alive. */
export function startThread(name: 'pdf' | 'logo', workerData: unknown): Worker {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const worker = new Worker(fileURLToPath(new URL(`./${name}-thread${extension}`, import.meta.url)), {
    name,
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
  });
  worker.unref();
  return worker;
}
