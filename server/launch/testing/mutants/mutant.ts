/**
 * A rule broken on purpose, and the test that notices: what `npm run mutants` does with each row of the tables beside. The rows are held
 * to the code by `mutants.test.ts`: a text that is no longer there, or a test that has another name, fails it.
 */
export type Mutant = {
  /** The invariant's number in the contract. */
  invariant: string
  /** What no longer holds. */
  breaks: string
  file: string
  /** A text that stands in the file once, and what stands in its place. */
  from: string
  to: string
  /** The file of the test, and the whole beginning of its name. */
  test: string
  name: string
}
