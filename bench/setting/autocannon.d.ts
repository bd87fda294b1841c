/** The part that the benches use; the package brings no types. */
declare module 'autocannon' {
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds; in its place `amount`, a number of requests. */
    readonly duration?: number;
    readonly amount?: number;
  }
  interface Result {
    readonly requests: { readonly average: number; readonly total: number };
    readonly latency: { readonly p50: number; readonly p99: number };
    readonly non2xx: number;
    /** Connections that broke. */
    readonly errors: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
