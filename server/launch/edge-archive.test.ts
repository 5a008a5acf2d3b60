/** The archive for nodes: packed once, unpacked, and run as on a machine that has nothing but Node. */

import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { makeMemoryFile } from '#worker/edge/testing/memory-file.ts'
import { runProgram } from '#worker/edge/testing/run-program.ts'
import { packEdge } from './edge-archive.mjs'
import { canOpenBareRoot, makeBareRoot } from './testing/bare-root.ts'
import { lacking } from './testing/lacking.ts'

let folder: string
let packed: Awaited<ReturnType<typeof packEdge>>
/** The unpacked tree. */
let tree: string
const launcher = () => path.join(tree, 'bin/membridge')

beforeAll(async () => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-edge-archive-')))
  packed = await packEdge()
  tree = path.join(folder, packed.name.replace('.tar.gz', ''))
  unpack(folder)
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

function unpack(into: string) {
  fs.writeFileSync(path.join(folder, packed.name), packed.bytes)
  execFileSync('tar', ['-xzf', path.join(folder, packed.name), '-C', into])
}

/** A node's home with a database, and the environment of its account. */
function nodeHome() {
  const home = fs.mkdtempSync(path.join(folder, 'home-'))
  makeMemoryFile(path.join(home, 'm.db'))
  const env = { HOME: home, PATH: '/usr/bin:/bin', MEMBRIDGE_NODE: process.execPath }
  return { cwd: home, env: { ...env, CLAUDE_PROJECT_ID: 'mem', CLAUDE_MEM_DB: path.join(home, 'm.db') } }
}

const PROJECT = 'project_name: mem\ncanonical_project_id: 6fe2e0f6071ac2bb\n'

test('is small, and the same bytes whenever it is packed', async () => {
  const again = await packEdge()
  expect(again.sha256).toBe(packed.sha256)
  console.warn(`archive: ${(packed.bytes.length / 1024 ** 2).toFixed(2)} MiB, ${packed.packages} packages`)
  expect(packed.bytes.length).toBeLessThan(15 * 1024 ** 2)
})

test('names each package with its licence, and no folder of the machine that packed it', () => {
  const licences = fs.readFileSync(path.join(tree, 'LICENSES.txt'), 'utf8')
  for (const name of ['zod', 'semver', '@aws-sdk/client-s3']) expect(licences).toContain(`${name} `)
  expect(licences.match(/Copyright/g)?.length).toBeGreaterThan(2)
  expect(gunzipSync(packed.bytes).includes(process.cwd())).toBe(false)
})

test('runs through a link, finds its own tree, and prints what the checkout prints', async () => {
  const { cwd, env } = nodeHome()
  fs.symlinkSync(launcher(), path.join(cwd, 'first'))
  fs.symlinkSync('first', path.join(cwd, 'second'))
  const through = await runProgram(path.join(cwd, 'second'), ['print-project'], { cwd, env })
  expect(through).toEqual({ code: 0, stdout: PROJECT, stderr: '' })
  const byPath = await runProgram('/bin/sh', ['-c', 'PATH=.:$PATH exec second print-project'], { cwd, env })
  expect(byPath.stdout).toBe(PROJECT)
})

test('hooks that it installs call its launcher', async () => {
  const { cwd, env } = nodeHome()
  await runProgram(launcher(), ['hooks', 'install'], { cwd, env })
  const doctor = path.join(cwd, '.local/bin/claude-mem-doctor')
  expect(fs.readFileSync(doctor, 'utf8')).toContain(`exec ${launcher()} doctor "$@"\n`)
  expect((await runProgram(doctor, ['--json'], { cwd, env })).stdout).toContain('"status": ')
  // A link beside the versions outlives the version.
  fs.symlinkSync(path.basename(tree), path.join(folder, 'membridge'))
  onTestFinished(() => fs.rmSync(path.join(folder, 'membridge')))
  await runProgram(launcher(), ['hooks', 'install'], { cwd, env })
  const stable = path.join(folder, 'membridge/bin/membridge')
  expect(fs.readFileSync(doctor, 'utf8')).toContain(`exec ${stable} doctor "$@"\n`)
})

test('without a Node that is new enough, one sentence says so', async () => {
  const { cwd, env } = nodeHome()
  const old = path.join(cwd, 'node')
  fs.writeFileSync(old, '#!/bin/sh\necho v22.4.1\n', { mode: 0o755 })
  // No Node in the usual allowed of this machine either.
  const script = fs.readFileSync(launcher(), 'utf8').replaceAll(/\/(usr|opt)\/\S*node\b/g, '/none')
  fs.writeFileSync(path.join(cwd, 'membridge'), script, { mode: 0o755 })
  const { code, stdout, stderr } = await runProgram(path.join(cwd, 'membridge'), ['doctor'], {
    cwd,
    env: { ...env, MEMBRIDGE_NODE: old, PATH: '/bin' },
  })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^ERROR: membridge needs Node 24 or newer.* v22\.4\.1;.*MEMBRIDGE_NODE\n$/)
})

test('loads the S3 client when a store is asked, and only then', async () => {
  const { cwd, env } = nodeHome()
  const seen: string[] = []
  const store = http.createServer((request, response) => {
    seen.push(request.url ?? '')
    const body = '<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>'
    response.writeHead(404, { 'content-type': 'application/xml' }).end(body)
  })
  await once(store.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void store.close())
  const { port } = store.address() as AddressInfo
  const keys = { MINIO_ACCESS_KEY: 'a', MINIO_SECRET_KEY: 's', MINIO_BUCKET: 'b' }
  const asked = { ...env, ...keys, MINIO_ENDPOINT: `http://127.0.0.1:${port}` }
  const { code, stdout } = await runProgram(launcher(), ['doctor', '--json'], { cwd, env: asked })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ store: { verdict: expect.not.stringMatching('ERROR') } })
  expect(seen.some((url) => url.includes('/b/projects/6fe2e0f6071ac2bb/sqlite/manifest.json'))).toBe(true)

  for (const name of fs.readdirSync(path.join(tree, 'lib')).filter((file) => file.startsWith('s3-')))
    fs.rmSync(path.join(tree, 'lib', name))
  onTestFinished(() => unpack(folder))
  const local = await runProgram(launcher(), ['doctor', '--json'], { cwd, env })
  expect(JSON.parse(local.stdout)).toMatchObject({ database: { verdict: 'OK' } })
})

test('reads no file but its own and the home: Node itself refuses every other', async () => {
  const { cwd, env } = nodeHome()
  fs.mkdirSync(path.join(cwd, 'store'))
  const allowed = [tree, cwd].flatMap((own) => [`--allow-fs-read=${own}`, `--allow-fs-read=${own}/*`])
  const args = ['--permission', ...allowed, `--allow-fs-write=${cwd}/*`, path.join(tree, 'lib/main.mjs')]
  const own = { ...env, MINIO_ENDPOINT: `file://${cwd}/store` }
  for (const command of [['--help'], ['print-project'], ['doctor', '--json'], ['hooks', 'print']]) {
    const { code, stderr, stdout } = await runProgram(process.execPath, [...args, ...command], {
      cwd,
      env: own,
    })
    expect(`${stderr}${stdout}`).not.toMatch(/ERR_ACCESS_DENIED|restricted/)
    expect(code).toBe(0)
  }
})

test('runs in an empty root with Node and a shell alone', (context) => {
  if (!canOpenBareRoot()) lacking(context, 'a root folder of its own, which needs Linux, root and chroot')
  const root = makeBareRoot(path.join(folder, 'root'))
  unpack(root.path('opt'))
  const membridge = path.join('/opt', path.basename(tree), 'bin/membridge')
  makeMemoryFile(root.path('home/m.db'))
  const env = { PATH: '/bin', HOME: root.home, CLAUDE_PROJECT_ID: 'mem', CLAUDE_MEM_DB: '/home/m.db' }
  const run = (...args: string[]) =>
    spawnSync('/usr/sbin/chroot', [root.path(), '/bin/sh', membridge, ...args], {
      encoding: 'utf8',
      env: env as unknown as NodeJS.ProcessEnv,
    })
  expect(run('print-project')).toMatchObject({ status: 0, stdout: PROJECT, stderr: '' })
  expect(run('--help')).toMatchObject({ status: 0, stderr: '' })
  const times = [1, 2, 3].map(() => {
    const begun = performance.now()
    const { stdout, stderr } = run('doctor', '--json')
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({ database: { verdict: 'OK', observations: 3 }, store: {} })
    return performance.now() - begun
  })
  console.warn(`membridge doctor, cold: ${times.map((ms) => `${Math.round(ms)} ms`).join(', ')}`)
})
