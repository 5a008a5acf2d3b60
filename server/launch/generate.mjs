/**
 * The database client, generated from `prisma/schema` into `prisma/generated` when the schema changed.
 *
 * A stamp beside the client holds the digest of what it was made of, so that a second call costs a few file reads.
 * Generation happens in a folder of its own under a lock, and the files are then renamed into place one by one: a
 * program that imports the client meanwhile meets the old file or the new one, never half of one.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { listFiles, ROOT, readStamp } from './checkout.mjs'
import { digestOf } from './digests.mjs'
import { withLock } from './lock.mjs'

const SCHEMA = 'prisma/schema'
const TARGET = 'prisma/generated'
const STAMP = `${TARGET}/.digest`

const wantedDigest = () => digestOf([SCHEMA, 'prisma/engine', 'node_modules/prisma/package.json'])

/**
 * Makes sure that the client fits the schema.
 * @returns {Promise<boolean>} whether anything had to be generated
 */
export async function generateClient() {
  if (readStamp(STAMP) === wantedDigest()) return false
  return withLock(path.join(ROOT, '.cache/generate.lock'), () => {
    const digest = wantedDigest()
    if (readStamp(STAMP) === digest) return false
    const stage = `.cache/prisma-${process.pid}`
    fs.rmSync(path.join(ROOT, stage), { recursive: true, force: true })
    try {
      generateInto(stage)
      installGenerated(`${stage}/generated`, digest)
    } finally {
      fs.rmSync(path.join(ROOT, stage), { recursive: true, force: true })
    }
    return true
  })
}

/** The schema says `output = "../generated"`: a copy of it generates beside the copy. */
function generateInto(stage) {
  fs.cpSync(path.join(ROOT, SCHEMA), path.join(ROOT, stage, 'schema'), { recursive: true })
  const entry = path.join(ROOT, 'prisma/engine/prisma.mjs')
  const result = spawnSync(process.execPath, [entry, 'generate', '--schema', `${stage}/schema`], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (result.status !== 0) throw new Error(`prisma generate failed:\n${result.stdout}${result.stderr}`)
}

function installGenerated(stage, digest) {
  const files = listFiles(stage)
  if (files.length === 0) throw new Error('prisma generate wrote nothing: the schema has no generator')
  fs.rmSync(path.join(ROOT, STAMP), { force: true })
  const wanted = new Set(files.map((file) => file.replace(stage, TARGET)))
  for (const file of files) {
    const target = path.join(ROOT, file.replace(stage, TARGET))
    fs.mkdirSync(path.dirname(target), { recursive: true })
    fs.renameSync(path.join(ROOT, file), target)
  }
  for (const file of listFiles(TARGET)) if (!wanted.has(file)) fs.rmSync(path.join(ROOT, file))
  fs.writeFileSync(path.join(ROOT, STAMP), digest)
}
