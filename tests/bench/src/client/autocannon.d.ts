// autocannon ships no types; the part of its programmatic interface that the benchmarks use.
declare module 'autocannon' {
  interface Request {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds; without meaning beside `amount`. */
    readonly duration?: number;
    /** The number of requests after which it ends. */
    readonly amount?: number;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
    readonly requests?: readonly (Request & {
      /** Called before each request, which it returns. */
      readonly setupRequest?: (request: Request) => Request;
      readonly onResponse?: (status: number, body: string, context: object, headers: Record<string, string>) => void;
    })[];
  }
  interface Result {
    readonly errors: number;
    readonly timeouts: number;
    readonly '4xx': number;
    readonly '5xx': number;
    readonly requests: { readonly average: number; readonly total: number };
    readonly latency: { readonly p50: number; readonly p99: number };
  }
  export default function autocannon(options: Options): Promise<Result>;
}
