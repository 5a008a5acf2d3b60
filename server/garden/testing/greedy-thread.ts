/** A parsing thread whose text takes more memory than the budget gives it. */
import { parentPort } from 'node:worker_threads'
import type { Answer } from '../parsing-pool.ts'

const kept: number[][] = []
parentPort?.on('message', () => {
  for (;;) kept.push(new Array(2_000_000).fill(0))
})
parentPort?.postMessage({ value: null, cpuMs: 0 } satisfies Answer)
