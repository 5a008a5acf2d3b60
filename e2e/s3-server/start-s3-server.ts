import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { S3Endpoint } from './ceph-cluster.ts'

export type S3Server = S3Endpoint & { stop: () => Promise<void> }

/** Starting, installation included, is given up after this. */
const LIMIT_MS = 5 * 60_000

/** Starts the S3 server in a process of its own, which ends with this one. Says why when there can be none; never throws. */
export async function startS3Server(): Promise<S3Server | { unavailable: string }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./main.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const line = await new Promise<string | null>((resolve) => {
    const limit = setTimeout(() => resolve(null), LIMIT_MS)
    createInterface({ input: child.stdout }).once('line', (first) => {
      clearTimeout(limit)
      resolve(first)
    })
    gone.then(() => resolve(null))
  })
  const stop = async () => {
    child.stdin.end()
    await gone
  }
  if (line === null) {
    await stop()
    return { unavailable: 'the S3 server did not start in time' }
  }
  const answer = JSON.parse(line) as S3Endpoint | { unavailable: string }
  return 'unavailable' in answer ? answer : { ...answer, stop }
}
