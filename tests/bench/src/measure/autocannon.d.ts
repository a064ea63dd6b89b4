// autocannon ships no types; the part of its programmatic interface that the benchmarks use.
declare module 'autocannon' {
  interface Result {
    readonly errors: number;
    readonly timeouts: number;
    readonly '4xx': number;
    readonly '5xx': number;
    readonly requests: { readonly average: number; readonly total: number };
    readonly latency: { readonly p99: number };
  }
  export default function autocannon(options: object): Promise<Result>;
}
