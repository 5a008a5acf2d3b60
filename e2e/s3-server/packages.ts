import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'

/** The programs of a one-node Ceph cluster with its S3 gateway, as Debian and Ubuntu package them. */
const PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw']
const PROGRAMS = ['ceph', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph-authtool', 'monmaptool']
const FOLDERS = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/bin']

const isProgram = async (name: string): Promise<boolean> => {
  const found = await Promise.allSettled(FOLDERS.map((folder) => access(`${folder}/${name}`, constants.X_OK)))
  return found.some((one) => one.status === 'fulfilled')
}

const missingPrograms = async (): Promise<string[]> => {
  const present = await Promise.all(PROGRAMS.map(isProgram))
  return PROGRAMS.filter((_, i) => !present[i])
}

/** Runs a program to its end, at most `ms`; gives the last of what it said when it failed, or null. */
function run(command: string, args: string[], ms: number): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: ms,
      killSignal: 'SIGKILL',
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => (said = `${said}${data}`.slice(-400)))
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) =>
      resolve(code === 0 ? null : `${command} ended with ${code}: ${said.trim()}`),
    )
  })
}

/**
 * Sees to it that the programs are installed: `null` when they are, else why they are not. Only root on a system with apt
 * can install; that takes some 15 s on a good line and is given up after four minutes.
 */
export async function ensurePackages(): Promise<string | null> {
  const missing = await missingPrograms()
  if (missing.length === 0) return null
  if (process.getuid?.() !== 0)
    return `${missing.join(', ')} are not installed, and only root could install them`
  if (!(await isProgram('apt-get'))) return `${missing.join(', ')} are not installed, and there is no apt-get`
  const options = [
    '-q',
    '-o',
    'DPkg::Lock::Timeout=60',
    '-o',
    'Acquire::Retries=1',
    '-o',
    'Acquire::http::Timeout=20',
  ]
  const install = ['install', '-y', '--no-install-recommends', ...PACKAGES]
  const first = await run('apt-get', [...options, ...install], 120_000)
  if (first === null) return null
  const updated = await run('apt-get', [...options, 'update'], 60_000)
  if (updated !== null) return updated
  return await run('apt-get', [...options, ...install], 120_000)
}
