/**
 * A value that can't be printed by accident. Every way by which JavaScript turns an object into text
 * (`String()`, template literals, `JSON.stringify`, `console.log`, `util.inspect`) gives `[secret]`;
 * only `reveal()` gives the value, so a search for `reveal(` finds every place where one leaves.
 */
const MASK = '[secret]';

export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value itself. Call it only where the value is used, never where a message is built. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.toPrimitive](): string {
    return MASK;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK;
  }
}
