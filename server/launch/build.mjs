/**
 * What is made out of the sources: the database client, the programs and the pages. Each is made when its sources changed.
 * `npm run build` makes all of them and shows the output of the pages' compiler.
 */
import fs from 'node:fs'
import path from 'node:path'
import { ROOT, readStamp } from './checkout.mjs'
import { mustRun } from './child.mjs'
import { compactChunks } from './compact-chunks.mjs'
import { digestOf } from './digests.mjs'
import { generateClient } from './generate.mjs'
import { withLock } from './lock.mjs'
import { buildPrograms } from './programs.mjs'
import { print, printError } from './progress.mjs'

export { generateClient }

const STAMP = '.next/bloom-digest'
const CHUNKS = '.next/server/chunks'

const SOURCES = [
  'app',
  'src',
  'server',
  'public',
  'prisma/schema',
  'proxy.ts',
  'instrumentation.ts',
  'next.config.mjs',
  'postcss.config.mjs',
  'package.json',
  'package-lock.json',
]

const isSource = (file) =>
  !/\.(test|spec)\.tsx?$|\.md$|^server\/(launch\/(?!compact-chunks|one-byte)|nlm-backend\/|control-plane\/)/.test(
    file,
  )

const wantedDigest = () => digestOf(SOURCES, isSource)

/** Whether the pages have to be built before they can be served. */
export const isWebStale = () => readStamp(STAMP) !== wantedDigest() || !readStamp('.next/BUILD_ID')

/**
 * Builds the pages if their sources changed.
 * @param {{ show?: boolean }} [options] `show` passes the compiler's output through
 * @returns {Promise<boolean>} whether anything had to be built
 */
export async function buildWeb({ show = false } = {}) {
  if (!isWebStale()) return false
  return withLock(path.join(ROOT, '.cache/build.lock'), async () => {
    if (!isWebStale()) return false
    const digest = wantedDigest()
    fs.rmSync(path.join(ROOT, STAMP), { force: true })
    const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
    await mustRun('next build', process.execPath, ['node_modules/next/dist/bin/next', 'build'], { env, show })
    compactChunks(path.join(ROOT, CHUNKS))
    fs.writeFileSync(path.join(ROOT, STAMP), digest)
    return true
  })
}

if (process.argv[1] === import.meta.filename) {
  try {
    await generateClient()
    await buildPrograms()
    const built = await buildWeb({ show: true })
    if (!built) print('The pages are up to date.\n')
  } catch (error) {
    printError(error)
    process.exitCode = 1
  }
}
