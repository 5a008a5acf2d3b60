import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** A program that has said it is ready; `kill` ends it outright and settles when it is gone. */
export type Child = { pid: number; line: string; kill: () => Promise<void> }

/** Starts a program of this folder and waits for its first line; it ends with the test at the latest. */
export async function startChild(
  program: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<Child> {
  const file = path.join(import.meta.dirname, program)
  const child = spawn(process.execPath, [file, ...args], { env: { ...process.env, ...env } })
  child.stderr.resume()
  const gone = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  const line = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
    child.once('close', () => reject(new Error(`${program} ended before it was ready`)))
  })
  return { pid: child.pid ?? 0, line, kill }
}
