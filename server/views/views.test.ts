/** Saved views over a real ledger: their bounds, whose they are, and what a name may be. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SavedView, saveViewRequest } from '#contracts/saved-view.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { MAX_VIEWS } from '#domain/view/saved-view.rules.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { openReads, type Reads } from '#server/ledger/prisma.ts'
import { listViews } from './list-views.query.ts'
import { removeView, renameView, saveView } from './save-view.ts'

let test: TestDatabase
let db: Database
let reads: Reads
beforeAll(async () => {
  test = await createTestDatabase()
  db = openDatabase(test.webUrl)
  reads = openReads(db)
})
afterAll(async () => {
  await reads?.$disconnect()
  await db?.close()
  await test?.drop()
})

let accounts = 0
/** An operator with an account of its own. */
async function someone(): Promise<Caller> {
  const name = `one${++accounts}`
  await db.query(
    sql`INSERT INTO account (account_id, role, name, created_by) VALUES (${`op_${name}`}, 'operator', ${name}, 'owner')`,
  )
  return { role: 'operator', identity: `operator:${name}`, via: 'console', accountId: `op_${name}` }
}
const save = (caller: Caller, name: string, filters: Record<string, string> = { status: 'DEAD' }) =>
  saveView({ db }, { list: 'jobs', name, filters }, caller)
async function saved(caller: Caller, name: string): Promise<SavedView> {
  const answer = await save(caller, name)
  if (!answer.ok) throw new Error(answer.refusal.message)
  return answer.value
}
const codeOf = (answer: { ok: boolean; refusal?: { code: string } }) =>
  answer.ok ? 'ok' : answer.refusal?.code
const namesOf = async (caller: Caller) => (await listViews({ reads }, caller)).map(({ name }) => name)

it('keeps the filters of a list under a name', async () => {
  const one = await someone()
  const view = await saved(one, 'Dead ones')
  expect(await listViews({ reads }, one)).toEqual([view])
})

it('keeps at most its bound, however many are saved at once', async () => {
  const one = await someone()
  const answers = await Promise.all(Array.from({ length: MAX_VIEWS + 10 }, (_, n) => save(one, `View ${n}`)))
  expect(answers.filter(({ ok }) => ok)).toHaveLength(MAX_VIEWS)
  expect(new Set(answers.map(codeOf))).toEqual(new Set(['ok', 'LIMIT_EXCEEDED']))
  expect(await namesOf(one)).toHaveLength(MAX_VIEWS)
  expect(codeOf(await saveView({ db }, { list: 'runs', name: 'Another list', filters: {} }, one))).toBe('ok')
})

it('gives a name once in a list of an account, also by renaming', async () => {
  const [one, two] = [await someone(), await someone()]
  const [first, second] = [await saved(one, 'First'), await saved(one, 'Second')]
  expect(await save(one, 'First', {})).toMatchObject({ refusal: { details: [{ field: 'name' }] } })
  expect(codeOf(await save(two, 'First'))).toBe('ok')
  const taken = await renameView({ db }, { view_id: second.view_id, name: 'First' }, one)
  expect(codeOf(taken)).toBe('VALIDATION_FAILED')
  expect(codeOf(await renameView({ db }, { view_id: first.view_id, name: 'First' }, one))).toBe('ok')
  expect(await renameView({ db }, { view_id: first.view_id, name: 'Third' }, one)).toMatchObject({
    value: { ...first, name: 'Third' },
  })
  expect(await namesOf(one)).toEqual(['Second', 'Third'])
})

it('is nobody else’s, and nobody’s who has no account in use', async () => {
  const [one, other, disabled] = [await someone(), await someone(), await someone()]
  const { view_id } = await saved(one, 'Mine')
  expect(codeOf(await renameView({ db }, { view_id, name: 'Yours' }, other))).toBe('NOT_FOUND')
  expect(codeOf(await removeView({ db }, { view_id }, other))).toBe('NOT_FOUND')
  expect(await namesOf(other)).toEqual([])
  await db.query(
    sql`UPDATE account SET disabled_at = clock_timestamp() WHERE account_id = ${disabled.accountId}`,
  )
  const without: Caller = { role: 'operator', identity: 'operator:nobody', via: 'api' }
  for (const caller of [disabled, without]) expect(codeOf(await save(caller, 'None'))).toBe('FORBIDDEN')
  expect(await namesOf(without)).toEqual([])
  expect(await removeView({ db }, { view_id }, one)).toMatchObject({ ok: true })
  expect(await namesOf(one)).toEqual([])
})

it('refuses what is no filter of an address', () => {
  const fits = (filters: Record<string, string>) =>
    saveViewRequest.safeParse({ list: 'jobs', name: 'A', filters }).success
  expect(fits({ status: 'DEAD', q: 'x' })).toBe(true)
  const wrongs: Record<string, string>[] = [{ 'a=b': 'c' }, { status: '' }, { q: 'x'.repeat(501) }]
  for (const wrong of wrongs) expect(fits(wrong)).toBe(false)
  expect(saveViewRequest.safeParse({ list: 'settings', name: 'A', filters: {} }).success).toBe(false)
})

it('takes filters that the ledger can hold, and refuses longer ones before it', async () => {
  const filters = (n: number) => Object.fromEntries([...'abcdefghijkl'].map((key) => [key, 'ж'.repeat(n)]))
  const parsed = (n: number) => saveViewRequest.safeParse({ list: 'jobs', name: 'Long', filters: filters(n) })
  expect(parsed(500).success).toBe(false)
  expect(parsed(308).success).toBe(true)
  expect(codeOf(await save(await someone(), 'Long', filters(308)))).toBe('ok')
})
