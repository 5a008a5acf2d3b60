/**
 * Loaded before each program (`--import`): ends it in order when the launcher is gone.
 *
 * The watchdog ends what it was told of; a program that was begun in the very moment in which the launcher was killed would go on without
 * anybody. So each program looks for itself, at its first line and then every second.
 */
import { isMainThread } from 'node:worker_threads'
import { isAlive } from './process-identity.mjs'

const EVERY_MS = 1_000
const launcher = Number(process.env.BLOOM_LAUNCHER)
const parent = process.ppid

function look() {
  if (process.ppid === parent && isAlive(launcher)) return
  clearInterval(timer)
  process.kill(process.pid, 'SIGTERM')
}

const timer = setInterval(look, EVERY_MS).unref()
if (!isMainThread || !launcher) clearInterval(timer)
else look()
