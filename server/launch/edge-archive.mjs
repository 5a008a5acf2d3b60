/**
 * The archive for nodes: `worker/edge` with the packages that it uses in one folder, which runs under Node ≥ 24 on a bare machine of any
 * architecture [edge#archive].
 *
 * What is loaded on demand stays a file of its own, so that a command without a store starts without the S3 client. The bytes depend on the
 * sources and the lock alone: names are sorted, times are zero, owners are nobody's.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { bundle } from './bundle.mjs'
import { ROOT } from './checkout.mjs'
import { LaunchFault } from './progress.mjs'

const ENTRY = 'worker/edge/main.ts'
const read = (/** @type {string} */ file) => fs.readFileSync(path.join(ROOT, file), 'utf8')

/** @typedef {{ name: string, content: string, mode: number }} Entry */

/** @returns {Promise<{ name: string, bytes: Buffer, sha256: string, packages: number }>} */
export async function packEdge() {
  const { version } = JSON.parse(read('package.json'))
  const { files, modules } = await bundleAlone()
  const packages = packagesOf(modules)
  const entries = [
    ...files.map(({ name, content }) => ({ name: `lib/${name}`, content, mode: 0o644 })),
    { name: 'bin/membridge', content: read('worker/edge/archive/membridge.sh'), mode: 0o755 },
    {
      name: 'README.md',
      content: read('worker/edge/archive/README.md').replaceAll('VERSION', version),
      mode: 0o644,
    },
    { name: 'LICENSES.txt', content: licencesOf(packages), mode: 0o644 },
    { name: 'VERSION', content: `${version}\n`, mode: 0o644 },
  ].map((entry) => ({ ...entry, name: `membridge-${version}/${entry.name}` }))
  const bytes = compress(await tarOf(entries))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { name: `membridge-${version}.tar.gz`, bytes, sha256, packages: packages.length }
}

/** One file for the start and one for each part that is loaded later; `modules` are the sources that went in. */
async function bundleAlone() {
  const files = await bundle({ main: ENTRY })
  const outside = files.flatMap(({ foreign }) => foreign)[0]
  if (outside) throw new LaunchFault(`The archive would need ${outside}, which a bare machine does not have`)
  return { files, modules: files.flatMap(({ modules }) => modules) }
}

/** The folders of the packages that the sources came from, sorted by name. */
function packagesOf(/** @type {string[]} */ modules) {
  const folders = new Set(
    modules.flatMap(
      (file) =>
        /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(
          file.replaceAll('\\', '/').replace(/^\0/, ''),
        )?.[1] ?? [],
    ),
  )
  return [...folders]
    .map((folder) => ({ folder, ...JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) }))
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1))
}

/** Name, version and licence of each package, and the text of the licence where the package carries one. */
function licencesOf(/** @type {ReturnType<typeof packagesOf>} */ packages) {
  const blocks = packages.map(({ folder, name, version, license }) => {
    const file = fs
      .readdirSync(folder)
      .sort()
      .find((entry) => /^licen[cs]e(\.|$)/i.test(entry))
    const text = file ? fs.readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim() : ''
    return { heading: `${name} ${version} (${license ?? 'licence not named'})`, text }
  })
  const texts = [...new Set(blocks.map(({ text }) => text))]
  return `${texts
    .map((text) =>
      [...blocks.filter((block) => block.text === text).map(({ heading }) => heading), '', text]
        .join('\n')
        .trim(),
    )
    .join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/** @param {Entry[]} entries */
async function tarOf(entries) {
  const tar = pack()
  const chunks = []
  const whole = (async () => {
    for await (const chunk of tar) chunks.push(chunk)
  })()
  for (const { name, content, mode } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    tar.entry({ name, mode, mtime: new Date(0), uid: 0, gid: 0, uname: '', gname: '' }, content)
  tar.finalize()
  await whole
  return Buffer.concat(chunks)
}

/** The header of gzip names the system that wrote it; here it names none. */
const OS_BYTE = 9
const UNKNOWN_OS = 255

function compress(/** @type {Buffer} */ bytes) {
  const compressed = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION })
  compressed[OS_BYTE] = UNKNOWN_OS
  return compressed
}
