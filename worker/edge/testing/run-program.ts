import { spawn } from 'node:child_process'
import { COMPILED } from '#server/launch/testing/compiled.ts'

export type Ended = { code: number | null; stdout: string; stderr: string }
type Surroundings = { cwd: string; env: Record<string, string>; input?: string | Buffer }

/** Runs a program with that environment and no other, in a session of its own (no terminal), to its end. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env, input = '' }: Surroundings,
): Promise<Ended> {
  const own = Object.assign(Object.create(null), COMPILED, env)
  const child = spawn(command, args, { cwd, env: own, detached: true })
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      text[name] += chunk
    })
  }
  // A program that ends before it has read its input breaks the pipe.
  child.stdin.on('error', () => {}).end(input)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { code, ...text }
}
