/**
 * Prometheus' own checker, for tests. It is taken from the PATH, or out of Debian's package `prometheus` (19 MB, some 7 s), which is unpacked below
 * `.cache` and not installed: nothing is configured or started on the machine, and no root is needed.
 *
 * Where neither can be had (no apt, no network) it is `unavailable`, with the reason.
 */
import { spawn } from 'node:child_process'
import { access, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from '#server/launch/checkout.mjs'
import { withLock } from '#server/launch/lock.mjs'

const CACHE = path.join(ROOT, '.cache')
const CACHED = path.join(CACHE, 'promtool')
const DOWNLOAD_MS = 60_000
const APT = ['-q', '-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=15']

export type Run = { code: number; output: string }
export type Promtool =
  | { run(args: readonly string[], input?: string): Promise<Run> }
  | { unavailable: string }

/** The checker, or why there is none here. Throws where a package that came cannot be used. */
export async function findPromtool(): Promise<Promtool> {
  const program = await locate()
  if (!('unavailable' in program)) return { run: (args, input = '') => run(program.file, args, { input }) }
  return program
}

async function locate(): Promise<{ file: string } | { unavailable: string }> {
  const known = await firstProgram('promtool', CACHED)
  if (known) return { file: known }
  if (!(await firstProgram('apt-get')) || !(await firstProgram('dpkg-deb')))
    return { unavailable: 'it is not installed, and there is no apt-get to bring it' }
  await mkdir(CACHE, { recursive: true })
  return withLock(path.join(CACHE, 'promtool.lock'), async () => {
    const other = await firstProgram(CACHED)
    return other ? { file: other } : unpack()
  })
}

/** Unpacks the one program out of the package; a run that is cut off leaves nothing that the next takes for it. */
async function unpack(): Promise<{ file: string } | { unavailable: string }> {
  const folder = await mkdtemp(path.join(CACHE, 'promtool-'))
  const options = { cwd: folder, limitMs: DOWNLOAD_MS }
  try {
    const download = () => run('apt-get', [...APT, 'download', 'prometheus'], options)
    let got = await download()
    // A new machine may not know yet what there is.
    if (got.code !== 0 && (await run('apt-get', [...APT, 'update'], options)).code === 0)
      got = await download()
    if (got.code !== 0) return { unavailable: `apt-get: ${got.output.trim().slice(-300)}` }
    const [file = ''] = await readdir(folder)
    const out = await run('dpkg-deb', ['-x', file, 'out'], options)
    if (out.code !== 0) throw new Error(`dpkg-deb: ${out.output}`)
    await rename(path.join(folder, 'out/usr/bin/promtool'), CACHED)
    return { file: CACHED }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The first of these that can be run: a path, or a name that the PATH knows. */
async function firstProgram(...names: string[]): Promise<string | null> {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  const files = names.flatMap((name) =>
    path.isAbsolute(name) ? [name] : folders.map((f) => path.join(f, name)),
  )
  for (const file of files) {
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return file
  }
  return null
}

function run(
  program: string,
  args: readonly string[],
  { cwd, input = '', limitMs }: { cwd?: string; input?: string; limitMs?: number },
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, timeout: limitMs, stdio: 'pipe' })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        output += data.toString()
      })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
    // A program that ends before it has read everything says so by its code.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
