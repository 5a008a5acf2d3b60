const BLANK = /\s/

/** True for white space and behind the end of a line. */
export const isBlank = (char: string | undefined): boolean => char === undefined || BLANK.test(char)

/** Columns at which something is open, each deeper than the one before. */
export class Levels {
  readonly #columns: number[] = []

  get depth(): number {
    return this.#columns.length
  }

  /** Opens what begins in this column; what began there or deeper is over. */
  open(column: number): void {
    this.close(column)
    this.#columns.push(column)
  }

  close(column: number): void {
    while ((this.#columns.at(-1) ?? -1) >= column) this.#columns.pop()
  }
}
