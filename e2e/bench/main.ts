/**
 * The bench: every figure beside its aim, as a table and, on wish, as a file. Nothing is asserted about time: the machine decides. One
 * programme at a time, because they would measure each other.
 *
 *   npm run bench                                    all programmes that need nothing from outside
 *   npm run bench -- queue lists                     these
 *   npm run bench -- queue --rounds 3 --json a.json  three times, the figures into a file as well
 *   npm run bench -- compare a.json                  the programmes of that file again, beside it
 *   npm run bench -- compare a.json b.json           two files beside each other
 *
 * The programmes and the variables that they know: README.md.
 */
import fs from 'node:fs'
import { parseArgs } from 'node:util'
import { say } from '../fixtures/report.ts'
import { comparisonText } from './compare.ts'
import { collectFigures, type Figures, type Report, report } from './figures.ts'
import { commitNow, loadNow, machineNow } from './machine.ts'
import { groups, programmes } from './programmes.ts'
import { reportText } from './table.ts'

async function run(names: readonly string[], rounds: number): Promise<Report> {
  const collected = collectFigures(say)
  const [date, before] = [new Date().toISOString(), loadNow()]
  for (let round = 0; round < rounds; round++)
    for (const name of names) await runOne(name, collected.of(name))
  const load = { before, after: loadNow() }
  return { date, commit: commitNow(), machine: machineNow(), load, rows: collected.rows() }
}

/** What one programme fails at does not take the figures of the others. */
async function runOne(name: string, figures: Figures): Promise<void> {
  try {
    const programme = await programmes[name]?.load()
    await programme?.(figures)
  } catch (error) {
    console.error(`${name} failed:`, error)
    process.exitCode = 1
  }
}

/** The programmes that are meant, each once; throws for a name that is none. */
function named(names: readonly string[]): string[] {
  const all = names.flatMap((name) => groups[name] ?? [name])
  const unknown = all.filter((name) => !(name in programmes))
  if (unknown.length > 0) {
    const known = [...Object.keys(programmes), ...Object.keys(groups)].join(', ')
    throw new Error(`no such programme: ${unknown.join(', ')}; there are ${known}`)
  }
  return [...new Set(all)]
}

const read = (file: string): Report => report.parse(JSON.parse(fs.readFileSync(file, 'utf8')))

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'string' }, rounds: { type: 'string', default: '1' } },
  })
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is a whole number above 0')
  const [command, first, second] = positionals
  if (command === 'compare' && !first) throw new Error('no such file: compare takes one of a run before')
  const before = command === 'compare' && first ? read(first) : null
  if (before && second) return print(comparisonText(before, read(second)))
  const names = before ? before.rows.map(({ programme }) => programme) : positionals
  const after = await run(named(names.length > 0 ? names : ['all']), rounds)
  if (values.json) fs.writeFileSync(values.json, `${JSON.stringify(after, null, 2)}\n`)
  print(['', ...reportText(after), ...(before ? ['', ...comparisonText(before, after)] : [])])
}

const print = (lines: readonly string[]): void => lines.forEach(say)

try {
  await main()
} catch (error) {
  console.error(error instanceof Error && /^no such|^--rounds/.test(error.message) ? error.message : error)
  process.exitCode = 1
}
