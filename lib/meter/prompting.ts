/**
 * Whether a meter shows its prompt when a stream has ended. Who knows that it does need not take silence for the end: a
 * line that stalls is silent too, and a command would meet a meter that still talks. Over TCP the prompt is not certain
 * (field use shows it, no manual does), so a meter that withheld it twice in a row is believed to have none.
 */
const WITHHELD = 2;

export class Prompting {
  #withheld = 0;

  /** `seen`: this connection has shown a prompt before. */
  expectedAfter(seen: boolean): boolean {
    return seen && this.#withheld < WITHHELD;
  }

  came(): void {
    this.#withheld = 0;
  }

  missed(): void {
    this.#withheld += 1;
  }
}
