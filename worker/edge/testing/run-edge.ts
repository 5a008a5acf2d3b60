import { spawn } from 'node:child_process'
import path from 'node:path'
import { COMPILED } from '#server/launch/testing/compiled.ts'
import type { NodeHome } from './home-folder.ts'

const MAIN = path.join(import.meta.dirname, '../main.ts')

/** Runs the command line as a process of its own in a node's home, with that environment and no other. */
export async function runEdge(
  node: NodeHome,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: node.host.home,
    env: Object.assign(Object.create(null), { PATH: '/usr/bin:/bin', HOME: node.host.home }, COMPILED, env),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout, stderr }
}
