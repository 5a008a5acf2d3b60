import type { TestContext } from 'vitest'

/** For a test that needs what this machine lacks: skipped, with the reason in the report. In CI nothing may be left out, and it fails there. */
export function lacking(context: TestContext, what: string): never {
  if (process.env.CI) throw new Error(`this test needs what is not here: ${what}`)
  return context.skip(what)
}
