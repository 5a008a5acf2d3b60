/** Programs in a few files each: their sources with the packages that they use, for Node itself. What is loaded on demand stays a file of its own. Their text is ASCII. */
import { build } from 'vite'
import { ROOT } from './checkout.mjs'
import { inAscii } from './one-byte.mjs'

/** @typedef {{ name: string, content: string, foreign: string[], modules: string[] }} BundledFile `foreign` is imported and not inside, `modules` are the sources that went in */

/**
 * @param {Record<string, string>} programs the file of each by the name that it gets
 * @param {{ external?: readonly RegExp[], plugins?: import('vite').Plugin[] }} [options] `external` are packages that stay outside
 * @returns {Promise<BundledFile[]>} `<name>.mjs` for each program, and what they share or load on demand
 */
export async function bundle(programs, { external = [], plugins = [] } = {}) {
  const built = await build({
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    root: ROOT,
    publicDir: false,
    css: { postcss: {} },
    plugins,
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: true,
      write: false,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        input: programs,
        external: [...external],
        output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  })
  const { output } = Array.isArray(built) ? built[0] : built
  const names = new Set(output.map(({ fileName }) => fileName))
  return output.map((file) =>
    file.type === 'chunk'
      ? {
          name: file.fileName,
          content: inAscii(file.code),
          foreign: [...file.imports, ...file.dynamicImports].filter(
            (name) => !names.has(name) && !isBuiltin(name),
          ),
          modules: file.moduleIds,
        }
      : { name: file.fileName, content: String(file.source), foreign: [], modules: [] },
  )
}

const isBuiltin = (/** @type {string} */ name) =>
  name.startsWith('node:') || process.getBuiltinModule(name) !== undefined
