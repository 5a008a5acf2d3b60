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
  /** As Node names it: x64, arm64, arm. */
  arch: string
}

/** This process's host. npm changes the working directory; `INIT_CWD` is where the person stands. */
export function thisHost(): Host {
  const { uid } = os.userInfo()
  return {
    env: process.env,
    home: os.homedir(),
    cwd: process.env.INIT_CWD || process.cwd(),
    name: os.hostname(),
    uid: Math.max(uid, 0),
    arch: process.arch,
  }
}
