/** A parsing thread that takes texts and never gets the time to answer one. */
import { parentPort } from 'node:worker_threads'
import type { Answer } from '../parsing-pool.ts'

parentPort?.on('message', () => {})
parentPort?.postMessage({ value: null, cpuMs: 0 } satisfies Answer)
