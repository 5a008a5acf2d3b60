import os from 'node:os'

/** The machine and the account a command runs on; read once, passed in everywhere. */
export type Host = {
  env: Readonly<Record<string, string | undefined>>
  /** The account's home folder, absolute. */
  home: string
  /** Where the command was typed, absolute. */
  cwd: string
  name: string
  uid: number
  /** As the kernel names it (x86_64, aarch64, armv7l), which may be another than this Node was built for. */
  machine: string
}

/** This process's host. npm changes the working directory; `INIT_CWD` is where the person stands. */
export function thisHost(): Host {
  return {
    env: process.env,
    home: os.homedir(),
    cwd: process.env.INIT_CWD || process.cwd(),
    name: os.hostname(),
    // A bare machine may have no list of accounts, so that is not asked.
    uid: process.getuid?.() ?? 0,
    machine: os.machine(),
  }
}

const NODE_KEYS = /^(?:MINIO_|MEMBRIDGE_)/

/** The environment for a program that is not part of the node: without the node's keys, which it does not need. */
export function foreignEnvironment({ env }: Host, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !NODE_KEYS.test(name))
  return { ...Object.fromEntries(kept), ...more } as NodeJS.ProcessEnv
}
