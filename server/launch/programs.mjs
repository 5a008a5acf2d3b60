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
import { pathToFileURL } from 'node:url'
import { digestOf, ROOT } from './checkout.mjs'
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

/** The client finds parts of itself by its place. */
const EXTERNAL = [/^@prisma\//]

/** Where a source says where it is, the bundle says it in its stead; the digest names the checkout therefore. @type {import('vite').Plugin} */
const LOCATIONS = {
  name: 'locations',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(ROOT) || id.includes('/node_modules/')) return null
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.filename', JSON.stringify(id))
      .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(id)))
  },
}

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
  const { bundle } = await import('./bundle.mjs')
  const files = await bundle(PROGRAMS, { external: EXTERNAL, plugins: [LOCATIONS] })
  const folder = path.join(ROOT, FOLDER)
  const stage = path.join(folder, `stage-${process.pid}`)
  fs.mkdirSync(stage, { recursive: true })
  for (const { name, content } of files) fs.writeFileSync(path.join(stage, name), content)
  removeOld(folder)
  fs.renameSync(stage, path.join(ROOT, place))
}

/** All but the newest, and what was left half made. */
function removeOld(/** @type {string} */ folder) {
  const others = fs
    .readdirSync(folder)
    .filter((name) => name !== `stage-${process.pid}`)
    .map((name) => ({ name, madeAt: fs.statSync(path.join(folder, name)).mtimeMs }))
    .sort((a, b) => b.madeAt - a.madeAt)
  for (const { name } of others.slice(1)) fs.rmSync(path.join(folder, name), { recursive: true, force: true })
}
