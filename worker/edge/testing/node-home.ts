import fs from 'node:fs'
import { onTestFinished } from 'vitest'
import { type NodeHome, openNodeHome } from './home-folder.ts'

export type { NodeHome }

/** A node's home that is removed when the test ends. */
export function makeNodeHome(env: Record<string, string | undefined> = {}): NodeHome {
  const node = openNodeHome(env)
  onTestFinished(() => fs.rmSync(node.path(), { recursive: true, force: true }))
  return node
}
