// Requests: sending, repeating, and reading answers.

/** Rejects with the signal's reason as soon as it is aborted, else settles like the promise. */
export const unlessAborted = <Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> => {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
};

/** Resolves after this time. @throws the reason of the signal, as soon as it is aborted */
export const delay = async (ms: number, signal?: AbortSignal): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await unlessAborted(over, signal);
  } finally {
    clearTimeout(timer);
  }
};

/** A time limit that can begin again, together with a signal of the caller. */
export interface Limit {
  readonly signal: AbortSignal;
  /** Starts the time again. */
  restart(): void;
  end(): void;
}

/** Starts a time limit; `signal` of the result is aborted when it is over, or with the signal of the caller. */
export const startLimit = (ms: number, caller: AbortSignal | undefined): Limit => {
  const controller = new AbortController();
  const abort = () => controller.abort(caller?.reason);
  if (caller?.aborted) abort();
  caller?.addEventListener('abort', abort, { once: true });
  const isOver = () => controller.abort(new DOMException(`nothing arrived within ${ms} ms`, 'TimeoutError'));
  let timer = setTimeout(isOver, ms);
  return {
    signal: controller.signal,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(isOver, ms);
    },
    end() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', abort);
    },
  };
};
