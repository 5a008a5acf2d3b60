/**
 * The long-running programs beside the pages, each bundled with the packages that it uses: a worker is 1 250 modules, whose reading takes more than half of its
 * start and a fifth of its memory.
 *
 * They lie in `.cache/programs/<digest>`, by what they were made of, and the folder gets its name when it is whole: where it is, nothing has to be made. An instance
 * goes on with the folder with which it was started, whatever becomes of the sources meanwhile, so the one before stays.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './checkout.mjs'
import { mustRun } from './child.mjs'
import { digestOf } from './digests.mjs'
import { generateClient } from './generate.mjs'
import { withLock } from './lock.mjs'
import { logStep } from './progress.mjs'

/** Their files in the sources. */
export const PROGRAMS = /** @type {const} */ ({
  worker: 'worker/main.ts',
  'control-plane': 'server/control-plane/main.ts',
  'nlm-backend': 'server/nlm-backend/main.ts',
  seed: 'prisma/seed/main.ts',
})

/** What each program is started with. @typedef {Readonly<Record<keyof typeof PROGRAMS, string>>} ProgramFiles */

const FOLDER = '.cache/programs'
const STAGE = 'stage-'
const stageName = `${STAGE}${process.pid}`
const SOURCES = [
  'server',
  'worker',
  'src',
  'prisma/schema',
  'prisma/seed',
  'package.json',
  'package-lock.json',
]

const isSource = (/** @type {string} */ file) => !/\.test\.ts$|\.md$|\/testing\/|^worker\/edge\//.test(file)

/**
 * Makes the bundles, unless they are there.
 * @returns {Promise<ProgramFiles>} relative to the checkout
 */
export async function buildPrograms() {
  const place = wantedFolder()
  if (!isThere(place)) {
    await generateClient()
    await withLock(path.join(ROOT, '.cache/programs.lock'), async () => {
      if (!isThere(place)) await logStep('Building the programs', () => buildInto(place))
    })
  }
  const names = /** @type {(keyof typeof PROGRAMS)[]} */ (Object.keys(PROGRAMS))
  return /** @type {ProgramFiles} */ (Object.fromEntries(names.map((name) => [name, `${place}/${name}.mjs`])))
}

const isThere = (/** @type {string} */ place) => fs.existsSync(path.join(ROOT, place))

const wantedFolder = () => {
  const digest = createHash('sha256').update(digestOf(SOURCES, isSource)).update(ROOT).digest('hex')
  return `${FOLDER}/${digest.slice(0, 16)}`
}

async function buildInto(/** @type {string} */ place) {
  const folder = path.join(ROOT, FOLDER)
  const stage = path.join(folder, stageName)
  fs.mkdirSync(stage, { recursive: true })
  // By a process of its own, since the bundler would stay in this one's memory.
  await mustRun('The bundling', process.execPath, [
    path.join(ROOT, 'server/launch/bundle-programs.mjs'),
    stage,
  ])
  removeOld(folder)
  fs.renameSync(stage, path.join(ROOT, place))
}

/** All but the newest, and what was left half made. */
function removeOld(/** @type {string} */ folder) {
  const madeAt = (/** @type {string} */ name) => fs.statSync(path.join(folder, name)).mtimeMs
  const others = fs.readdirSync(folder).filter((name) => name !== stageName)
  const [last] = others.filter((name) => !name.startsWith(STAGE)).sort((a, b) => madeAt(b) - madeAt(a))
  for (const name of others)
    if (name !== last) fs.rmSync(path.join(folder, name), { recursive: true, force: true })
}
