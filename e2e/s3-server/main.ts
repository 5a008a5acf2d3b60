import { startCephCluster } from './ceph-cluster.ts'
import { ensurePackages } from './packages.ts'

/**
 * `node e2e/s3-server/main.ts`: a real S3 server for tests and demonstrations. It installs the packages when it may, prints
 * one line of JSON (`endpoint`, `accessKey`, `secretKey`, or `unavailable` with the reason) and ends with its standard
 * input or on a signal, so that it never outlives whoever started it.
 */
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

const reason = await ensurePackages()
if (reason !== null) {
  say({ unavailable: reason })
} else {
  try {
    const { stop, ...server } = await startCephCluster()
    say(server)
    await new Promise<void>((resolve) => {
      process.stdin.resume().once('close', resolve).once('end', resolve)
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
    })
    await stop()
  } catch (error) {
    say({ unavailable: error instanceof Error ? error.message : String(error) })
  }
}
process.exit()
