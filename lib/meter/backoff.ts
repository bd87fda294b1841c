/** How long to wait before the next try: doubles up to a limit, and spreads, so that many do not try at once. */
export class Backoff {
  readonly #minMs: number;
  readonly #maxMs: number;
  readonly #random: () => number;
  #tries = 0;

  constructor(minMs: number, maxMs: number, random: () => number) {
    this.#minMs = minMs;
    this.#maxMs = maxMs;
    this.#random = random;
  }

  /** ms: between half and the whole of the doubled time. */
  next(): number {
    const whole = Math.min(this.#maxMs, this.#minMs * 2 ** this.#tries);
    this.#tries += 1;
    return whole * (0.5 + this.#random() / 2);
  }

  /** It worked: the next failure begins from the shortest wait. */
  reset(): void {
    this.#tries = 0;
  }
}
