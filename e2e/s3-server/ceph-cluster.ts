import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type CephPlace, cephConfig } from './ceph-config.ts'

/** What a client needs to reach the gateway. The bucket is the client's own to make. */
export type S3Endpoint = { endpoint: string; accessKey: string; secretKey: string }
export type CephCluster = S3Endpoint & { stop: () => Promise<void> }

const execute = promisify(execFile)

/** A step of starting that may not take longer than this. */
const STEP_MS = 120_000

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject)
          server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
        }),
    ),
  )
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + STEP_MS
  while (!(await check().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`${what} did not come up within ${STEP_MS / 1000} s`)
    await pause(100)
  }
}

class Cluster {
  readonly #place: CephPlace
  readonly #children: ChildProcess[] = []

  constructor(place: CephPlace) {
    this.#place = place
  }

  at(name: string): string {
    return join(this.#place.folder, name)
  }

  async run(program: string, ...args: string[]): Promise<string> {
    const env = { ...process.env, CEPH_CONF: this.at('ceph.conf') }
    return (await execute(program, args, { env, timeout: STEP_MS, killSignal: 'SIGKILL' })).stdout
  }

  daemon(program: string, ...args: string[]): void {
    const child = spawn(program, ['-c', this.at('ceph.conf'), ...args, '-f'], { stdio: 'ignore' })
    child.once('error', () => undefined)
    this.#children.push(child)
  }

  async monitor(): Promise<void> {
    const { folder, id, monitorPort, legacyPort } = this.#place
    for (const name of ['mon', 'osd', 'rgw', 'run', 'log'])
      await mkdir(join(folder, name), { recursive: true })
    await writeFile(this.at('ceph.conf'), cephConfig(this.#place))
    const keyring = this.at('mon.keyring')
    await this.run(
      'ceph-authtool',
      '--create-keyring',
      keyring,
      '--gen-key',
      '-n',
      'mon.',
      '--cap',
      'mon',
      'allow *',
    )
    const admin = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow *']
    const adminKeyring = this.at('admin.keyring')
    await this.run(
      'ceph-authtool',
      '--create-keyring',
      adminKeyring,
      '--gen-key',
      '-n',
      'client.admin',
      ...admin,
    )
    await this.run('ceph-authtool', keyring, '--import-keyring', adminKeyring)
    const address = `[v2:127.0.0.1:${monitorPort},v1:127.0.0.1:${legacyPort}]`
    await this.run(
      'monmaptool',
      '--create',
      '--clobber',
      '--addv',
      'a',
      address,
      '--fsid',
      id,
      this.at('monmap'),
    )
    await this.run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', this.at('monmap'), '--keyring', keyring)
    this.daemon('ceph-mon', '-i', 'a')
  }

  async store(): Promise<void> {
    const id = randomUUID()
    await until(
      'the monitor',
      async () => (await this.run('ceph', '--connect-timeout', '5', 'mon', 'stat')) !== '',
    )
    await this.run('ceph', 'osd', 'new', id)
    const osd = ['mon', 'allow profile osd', 'osd', 'allow *', '-o', this.at('osd/keyring')]
    await this.run('ceph', 'auth', 'get-or-create', 'osd.0', ...osd)
    const gateway = ['mon', 'allow rw', 'osd', 'allow rwx', '-o', this.at('rgw/keyring')]
    await this.run('ceph', 'auth', 'get-or-create', 'client.rgw', ...gateway)
    await this.run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', id)
    await this.run('ceph', 'osd', 'crush', 'add', 'osd.0', '1', 'host=localhost', 'root=default')
    this.daemon('ceph-osd', '-i', '0')
    await until('the store', async () => (await this.run('ceph', 'osd', 'stat')).includes('1 up'))
  }

  async gateway(): Promise<S3Endpoint> {
    const endpoint = `http://127.0.0.1:${this.#place.port}`
    const accessKey = randomBytes(10).toString('hex')
    const secretKey = randomBytes(20).toString('hex')
    const keys = ['--access-key', accessKey, '--secret-key', secretKey]
    await this.run(
      'radosgw-admin',
      '-n',
      'client.rgw',
      'user',
      'create',
      '--uid=test',
      '--display-name=test',
      ...keys,
    )
    this.daemon('radosgw', '-n', 'client.rgw')
    await until('the gateway', async () => (await fetch(endpoint, { signal: AbortSignal.timeout(2000) })).ok)
    return { endpoint, accessKey, secretKey }
  }

  /** Kills what was started, last first, and removes its folder: nothing in it is worth keeping. */
  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    }
    await rm(this.#place.folder, { recursive: true, force: true })
  }
}

/** Starts a real S3 server (Ceph's gateway over a store in memory) on loopback ports of its own; some 15 s. */
export async function startCephCluster(): Promise<CephCluster> {
  const [port = 0, monitorPort = 0, legacyPort = 0] = await freePorts(3)
  const folder = await mkdtemp(join(tmpdir(), 'bloom-s3-'))
  const cluster = new Cluster({ folder, id: randomUUID(), port, monitorPort, legacyPort })
  try {
    await cluster.monitor()
    await cluster.store()
    return { ...(await cluster.gateway()), stop: () => cluster.stop() }
  } catch (error) {
    await cluster.stop()
    throw error
  }
}
