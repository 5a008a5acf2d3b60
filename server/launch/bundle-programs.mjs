/** `bundle-programs.mjs <folder>`: the bundles of the programs, into a folder that is there; called by programs.mjs. */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundle } from './bundle.mjs'
import { ROOT } from './checkout.mjs'
import { PROGRAMS } from './programs.mjs'

/** The client finds parts of itself by its place. */
const EXTERNAL = [/^@prisma\//]

/** Where a source says where it is, the bundle says it in its stead; the digest names the checkout therefore. @type {import('vite').Plugin} */
const LOCATIONS = {
  name: 'locations',
  enforce: 'pre',
  transform(code, id) {
    const file = path.normalize(id)
    if (!file.startsWith(ROOT) || id.includes('/node_modules/')) return null
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
      .replaceAll('import.meta.filename', JSON.stringify(file))
      .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
  },
}

const [folder = ''] = process.argv.slice(2)
for (const { name, content } of await bundle(PROGRAMS, { external: EXTERNAL, plugins: [LOCATIONS] }))
  fs.writeFileSync(path.join(folder, name), content)
