/**
 * The Prisma command line without downloads: `node prisma/engine/prisma.mjs generate|validate|migrate …`.
 *
 * As shipped, every command wants a native schema engine from a download host. This entry points the command line at
 * `schema-engine.mjs` instead, which speaks the same protocol over the WebAssembly engine from the package registry.
 * `migrate dev` does not work this way: write migrations with `migrate diff --from-migrations … --to-schema … --script`.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

const require = createRequire(import.meta.url)

const result = spawnSync(
  process.execPath,
  [require.resolve('prisma/build/index.js'), ...process.argv.slice(2)],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      // The engine is started through its shebang: it must meet this very Node, not an older one of the machine.
      PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH ?? ''}`,
      PRISMA_SCHEMA_ENGINE_BINARY: path.join(import.meta.dirname, 'schema-engine.mjs'),
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  },
)

if (result.error) console.error(`Prisma could not be started: ${result.error.message}`)
process.exit(result.status ?? 1)
