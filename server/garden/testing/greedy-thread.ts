/** A parsing thread whose text takes more memory than the budget gives it. */
import { parentPort } from 'node:worker_threads'
import type { Answer } from '../parsing-pool.ts'

const kept: number[][] = []
parentPort?.on('message', () => {
  for (;;) kept.push(new Array(2_000_000).fill(0))
})
// Its start is not the text's time.
const { user, system } = process.threadCpuUsage()
parentPort?.postMessage({ value: null, cpuMs: (user + system) / 1000 } satisfies Answer)
