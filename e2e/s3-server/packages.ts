import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'

/** The programs of a one-node Ceph cluster with its S3 gateway, as Debian and Ubuntu package them. */
const PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw']
const PROGRAMS = ['ceph', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph-authtool', 'monmaptool']
const INSTALL_MS = 300_000
const FOLDERS = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/bin']

const isProgram = async (name: string): Promise<boolean> => {
  const found = await Promise.allSettled(FOLDERS.map((folder) => access(`${folder}/${name}`, constants.X_OK)))
  return found.some((one) => one.status === 'fulfilled')
}

const missingPrograms = async (): Promise<string[]> => {
  const present = await Promise.all(PROGRAMS.map(isProgram))
  return PROGRAMS.filter((_, i) => !present[i])
}

type Outcome = { ok: boolean; late: boolean; said: string }

/** Runs a program for at most `ms`. One that is late is asked to stop, and not waited for: apt must not be torn out of dpkg. */
function run(command: string, args: string[], ms: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    const end = (ok: boolean, late = false) => {
      clearTimeout(limit)
      resolve({ ok, late, said: `${command}: ${said.trim() || 'no word'}` })
    }
    const limit = setTimeout(() => {
      child.kill('SIGINT')
      end(false, true)
    }, ms)
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => (said = `${said}${data}`.slice(-400)))
    child.once('error', () => end(false))
    child.once('close', (code) => end(code === 0))
  })
}

/**
 * Sees to it that the programs are installed: `null` when they are, else why they are not. Only root on a system with apt
 * can install; that takes some 15 s on a good line, two minutes on a busy machine, and is given up after five.
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
    'DPkg::Lock::Timeout=30',
    '-o',
    'Acquire::Retries=1',
    '-o',
    'Acquire::http::Timeout=15',
  ]
  const install = () =>
    run('apt-get', [...options, 'install', '-y', '--no-install-recommends', ...PACKAGES], INSTALL_MS)
  const first = await install()
  if (first.ok || first.late) return first.ok ? null : first.said
  const updated = await run('apt-get', [...options, 'update'], 45_000)
  if (!updated.ok) return updated.said
  const second = await install()
  return second.ok ? null : second.said
}
