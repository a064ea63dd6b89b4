export interface Options {
  headers?: Readonly<Record<string, string>>;
  /** Ends the call, and each of its repetitions, with the reason of the signal. */
  signal?: AbortSignal;
  /** Milliseconds that one attempt may take. Default: those of the client. */
  timeoutMs?: number;
}

export interface Answer<Data> {
  readonly data: Data;
  readonly httpStatus: number;
  /** For example `ETag`, `Location` and `Idempotency-Replayed`. In a browser: those that the interface defines. */
  readonly headers: Headers;
  readonly requestId: string | null;
}

export interface Call<Data> extends Promise<Data> {
  withResponse(): Promise<Answer<Data>>;
}

export interface Page {
  readonly items: readonly unknown[];
  /** The `cursor` of the next page; null on the last. */
  readonly nextCursor?: string | null;
}

/** Its first page, and all its records by `for await`. */
export interface List<Some extends Page> extends Call<Some>, AsyncIterable<Some['items'][number]> {
  /** All pages, each requested when it is reached. */
  pages(): AsyncIterableIterator<Some>;
}

export type Records = Readonly<Record<string, unknown>>;

export interface RecordList<Some extends Records> extends Call<Some>, AsyncIterable<Some[string]> {
  pages(): AsyncIterableIterator<Some>;
}

export function createCall<Data>(answer: Promise<Answer<Data>>): Call<Data> {
  const data = answer.then((whole) => whole.data);
  return Object.assign(data, {
    withResponse() {
      readElsewhere(data);
      return answer;
    },
  });
}

/** A promise that is rejected has a reader, though it may be another one of the same answer. */
const readElsewhere = (promise: Promise<unknown>): void => void promise.catch(() => undefined);

export interface Walk<Some> {
  /** The page after this one, before which there were so many records; undefined after the last. */
  readonly next: (page: Answer<Some>, before: number) => Promise<Answer<Some>> | undefined;
  readonly recordsOf: (page: Some) => readonly unknown[];
}

export function createList<Some>(answer: Promise<Answer<Some>>, { next, recordsOf }: Walk<Some>) {
  const call = createCall(answer);
  async function* pagesFrom(first: Promise<Answer<Some>>): AsyncGenerator<Some, void, undefined> {
    let before = 0;
    for (let promised: typeof first | undefined = first; promised; ) {
      const page: Answer<Some> = await promised;
      yield page.data;
      promised = next(page, before);
      before += recordsOf(page.data).length;
    }
  }
  const pages = () => {
    readElsewhere(call);
    return pagesFrom(answer);
  };
  return Object.assign(call, {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* recordsOf(page);
    },
  });
}
