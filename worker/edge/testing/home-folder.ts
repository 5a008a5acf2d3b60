import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Host } from '../host.ts'

/** The home folder of a node: files are written relative to it. */
export type NodeHome = {
  host: Host
  path: (...parts: string[]) => string
  write: (relative: string, text: string, mode?: number) => string
}

/** A node's home in a new temporary folder that the caller removes. */
export function openNodeHome(env: Record<string, string | undefined> = {}): NodeHome {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-edge-')))
  const at = (...parts: string[]) => path.join(folder, ...parts)
  return {
    host: {
      env,
      home: folder,
      cwd: folder,
      name: 'test-node',
      uid: os.userInfo().uid,
      machine: os.machine(),
    },
    path: at,
    write(relative, text, mode = 0o600) {
      const file = at(relative)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, text, { mode })
      return file
    },
  }
}
