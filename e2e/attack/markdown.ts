/**
 * `npm run attack:markdown`: notes made to hurt, by every way in. Each shape is imported with the garden, proposed, and pushed as a
 * commit; then listed, read and searched, while somebody else goes on working. Prints what was answered, how long it took, and the
 * memory of the web process. SIZES are bytes. Ends with 1 after an answer of 5xx; time and memory are only printed.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { HOSTILE_NOTES } from '#server/garden/testing/hostile-notes.ts'
import { reportOf } from '../fixtures/report.ts'
import { share, startTarget, type Target, type Timed } from './instance.ts'

const SIZES = (process.env.SIZES ?? '10000,100000,1000000').split(',').map(Number)
const NOTES = HOSTILE_NOTES.flatMap(({ name, text }, n) =>
  SIZES.map((size) => ({ shape: name, file: `${n} of ${size}.md`, text: `# Hostile\n\n${text(size)}` })),
)
// Front matter only counts at the very beginning of a file.
for (const note of NOTES)
  if (note.text.startsWith('# Hostile\n\n---\n')) note.text = note.text.slice('# Hostile\n\n'.length)

const SELF = { name: 'Attack', email: 'attack@garden.example' }
type Seen = { way: string; shape: string } & Timed
const seen: Seen[] = []

async function garden(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bloom-attack-'))
  await mkdir(path.join(folder, 'Imported'))
  await writeFile(path.join(folder, 'Home.md'), '# Home\n\nLeeks and garlic. [[Imported]]\n')
  for (const { file, text } of NOTES) await writeFile(path.join(folder, 'Imported', file), text)
  return folder
}

type Other = { path: string } & Timed
const OTHERS = ['/api/v1/notes?limit=20', '/api/v1/proposals/pending', '/health', '/api/v1/jobs', '/inbox']

/** Somebody who reads lists and pages all the while; ends with the signal. */
async function other(target: Target, signal: AbortSignal): Promise<Other[]> {
  const answers: Other[] = []
  for (let n = 0; !signal.aborted; n++) {
    const path = OTHERS[n % OTHERS.length] as string
    answers.push({ path, ...(await target.ask('GET', path)) })
    await pause(50)
  }
  return answers
}

/** What a process costs that has worked for people is no growth: every way in is gone once with a note that hurts nobody. */
async function warmUp(target: Target): Promise<void> {
  const view = '/api/v1/notes/view?path=Home.md'
  for (let n = 0; n < 20; n++)
    for (const path of [...OTHERS, view, '/api/v1/notes?q=leeks']) await target.ask('GET', path)
  await propose(target, 'Calm.md', '# Calm\n\nNothing hurts. [[Home]]\n')
}

async function note(target: Target, way: string, shape: string, request: [string, string, unknown?]) {
  seen.push({ way, shape, ...(await target.ask(...request)) })
}

async function readAll(target: Target, folder: string): Promise<void> {
  await note(target, `${folder}: list`, 'all', ['GET', '/api/v1/notes?limit=100'])
  await note(target, `${folder}: search`, 'all', ['GET', '/api/v1/notes?q=hostile%20leeks'])
  for (const { shape, file } of NOTES) {
    const at = encodeURIComponent(`${folder}/${file}`)
    await note(target, `${folder}: view`, shape, ['GET', `/api/v1/notes/view?path=${at}`])
  }
}

function propose(target: Target, file: string, text: string): Promise<Timed> {
  const payload = { kind: 'note', text, summary: 'Hostile' }
  const intent = { action: 'propose-note', target: `notes/Proposed/${file}`, payload }
  return target.ask('POST', '/api/v1/inbox', { intent, metadata: { correlation_id: randomUUID() } })
}

async function proposeAll(target: Target): Promise<void> {
  for (const { shape, file, text } of NOTES)
    seen.push({ way: 'propose', shape, ...(await propose(target, file, text)) })
}

async function push({ home }: Target): Promise<void> {
  const repository = await openGitRepository(path.join(home, 'garden.git'))
  const parent = await repository.head()
  // Other texts than the imported ones, so that nothing of them is known yet.
  const changes = NOTES.map(({ file, text }) => ({ path: `Pushed/${file}`, content: `${text}\nPushed.\n` }))
  const next = await repository.commit({ parent, changes, message: 'Push', author: SELF, committer: SELF })
  await repository.updateBranch(parent, next)
}

function tell(others: readonly Other[], memory: number[]): void {
  for (const [way, group] of Map.groupBy(seen, (one) => one.way)) {
    const times = group.map(({ ms }) => ms)
    const slowest = group.find(({ ms }) => ms === Math.max(...times))
    const codes = [...Map.groupBy(group, ({ status }) => status)].map(
      ([code, all]) => `${code} × ${all.length}`,
    )
    report.figure(
      way,
      `${codes.join(', ').padEnd(22)} ${timesOf(times)} (${slowest?.shape})`,
      'slowest ≤ 1000 ms',
    )
  }
  report.figure('others', `${others.length} requests, ${timesOf(others.map(({ ms }) => ms))}`, 'p99 ≤ 200 ms')
  for (const [way, group] of Map.groupBy(others, (one) => one.path))
    report.figure(`others: ${way}`, timesOf(group.map(({ ms }) => ms)))
  const slow = others.toSorted((a, b) => b.ms - a.ms).slice(0, 5)
  report.figure('others, slowest', slow.map(({ path, ms }) => `${path} ${Math.round(ms)} ms`).join(', '))
  report.figure('memory of web', `${memory.join(' → ')} MB: before, after, a minute later`, '+ 50')
  report.figure('sent', `${HOSTILE_NOTES.length} shapes, ${seen.length + others.length} requests`)
  const faults = [...seen, ...others].filter(({ status }) => status >= 500)
  for (const { status, text, ...one } of faults.slice(0, 20))
    report.progress(`${status} ${JSON.stringify(one)} ${text.slice(0, 200)}`)
  report.check('no answer of 5xx', faults.length === 0, `${faults.length} × 5xx`)
  report.verdict()
}

const timesOf = (times: readonly number[]): string =>
  `p50 ${share(times, 0.5)} ms, p99 ${share(times, 0.99)} ms, slowest ${share(times, 1)} ms`

const report = reportOf('attack:markdown')
const folder = await garden()
const target = await startTarget({ garden: folder })
try {
  await warmUp(target)
  const memory = [target.rss()]
  const end = new AbortController()
  const others = other(target, end.signal)
  await readAll(target, 'Imported')
  await proposeAll(target)
  await push(target)
  await readAll(target, 'Pushed')
  end.abort()
  const answers = await others
  memory.push(target.rss())
  await pause(60_000)
  memory.push(target.rss())
  tell(answers, memory)
} finally {
  await target.stop()
  await rm(folder, { recursive: true, force: true })
}
