/** Walks of commands that are drawn by chance, for models of a machine: each runs on a database of its own. */
import fc from 'fast-check'

type Drawn<Kind extends string> = { kind: Kind; a: number; b: number }
type Size = { walks: number; commands: number; seed: number }

/** Every kind comes as often as its weight says, 1 by default. */
export function drawWalks<Kind extends string>(
  kinds: readonly Kind[],
  weight: Partial<Record<Kind, number>>,
  { walks, commands, seed }: Size,
): Drawn<Kind>[][] {
  const command = fc.record({
    kind: fc.oneof(...kinds.map((kind) => ({ arbitrary: fc.constant(kind), weight: weight[kind] ?? 1 }))),
    a: fc.nat(1_000),
    b: fc.nat(1_000),
  })
  const walk = fc.array(command, { minLength: commands, maxLength: commands, size: 'max' })
  return fc.sample(walk, { numRuns: walks, seed })
}

/** Takes the steps of one walk; a failure names the walk, the step and the commands before it. */
export async function takeSteps<Kind extends string>(
  commands: readonly Drawn<Kind>[],
  step: (command: Drawn<Kind>) => Promise<void>,
  walk: string,
): Promise<void> {
  for (const [n, one] of commands.entries())
    await step(one).catch((error: Error) => {
      const last = commands.slice(Math.max(0, n - 12), n + 1).map((c) => `${c.kind}(${c.a},${c.b})`)
      throw new Error(`${walk}, step ${n}: ${error.message}\n  ${last.join('\n  ')}`)
    })
}

/** Runs the walks two at a time; returns every state that one of them reached. */
export async function runInPairs<Commands, State>(
  walks: readonly Commands[],
  run: (commands: Commands, n: number) => Promise<Set<State>>,
): Promise<State[]> {
  const reached = new Set<State>()
  for (let n = 0; n < walks.length; n += 2) {
    const pair = await Promise.all(walks.slice(n, n + 2).map((commands, i) => run(commands, n + i)))
    for (const states of pair) for (const state of states) reached.add(state)
  }
  return [...reached]
}
