/** What a person is expected of on a device and once a day, over a real ledger; rows of other machines are written past the triggers. */
import { randomUUID } from 'node:crypto'
import sql, { type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Caller } from '#domain/authority/caller.ts'
import { PUSH_KEPT_DAYS, QUIET_SECONDS } from '#domain/push/push.rules.ts'
import { addAgent, addJob } from '#server/jobs/testing/queue-room.ts'
import { currentDigest } from '#server/needs/current-digest.query.ts'
import { readDigest } from '#server/needs/read-digest.ts'
import { forgetPushes } from './forget-pushes.ts'
import { giveDigests } from './give-digests.ts'
import { noticeWaiting } from './notice-waiting.ts'
import { saveChoices } from './save-choices.ts'
import { type PushKit, pushKit } from './testing/push-kit.ts'

let kit: PushKit
let owner: Caller
let device: Awaited<ReturnType<PushKit['device']>>
beforeAll(async () => {
  kit = await pushKit()
  owner = await kit.account('owner')
})
afterAll(() => kit?.close())
beforeEach(async () => {
  await kit.past(
    sql`DELETE FROM push_message`,
    sql`DELETE FROM push_subscription`,
    sql`DELETE FROM push_notice`,
    sql`DELETE FROM needs_digest`,
    sql`DELETE FROM notification_choice`,
    sql`DELETE FROM proposal`,
    sql`DELETE FROM run_question`,
    sql`DELETE FROM job`,
  )
  kit.service.got.length = 0
  device = await kit.device(owner)
})

let made = 0
const proposal = (rank = 0, hours = 72): Sql => {
  const id = `prop_2026-03-02_${String(++made).padStart(12, '0')}`
  return sql`INSERT INTO proposal (proposal_id, status, inbox_entry_id, source_type, source_identity, action, target_type, target_path, target_key,
      summary, changes, content_digest, base_revision, target_hash, created_at, expires_at, risk_rank)
    VALUES (${id}, 'PENDING', ${id}, 'agent', 'agent:scout', 'propose-edit', 'note', 'a.md', 'a.md', ${`Summary ${made}`}, '[]', ${id}, 'b', 'h',
      clock_timestamp(), clock_timestamp() + make_interval(hours => ${hours}), ${rank}::int)`
}
const look = async () => noticeWaiting({ db: kit.worker }, await kit.now())
const texts = () => kit.service.got.map(({ body }) => device.read(body))
const notifyNow = async () => {
  await look()
  while ((await kit.deliver()) > 0);
  return texts()
}

it('notifies once of a high-risk proposal, and leads to its review without an act', async () => {
  await kit.past(proposal(), proposal(1), proposal(2))
  const id = `prop_2026-03-02_${String(made - 2).padStart(12, '0')}`
  const expected = [
    {
      title: '1 high-risk proposal to review',
      body: `Summary ${made - 2}`,
      ...{ url: `/proposals/${id}`, tag: 'high_risk', lang: 'en' },
    },
  ]
  expect(await notifyNow()).toEqual(expected)
  expect(expected[0]).not.toHaveProperty('actions')
  kit.pass(QUIET_SECONDS * 1_000 + 1)
  expect(await notifyNow()).toEqual(expected)
})

it('gathers many, and what comes in the quiet time after a message', async () => {
  await kit.past(...Array.from({ length: 7 }, () => proposal()))
  expect(await notifyNow()).toMatchObject([{ title: '7 high-risk proposals to review', url: '/proposals' }])
  await kit.past(proposal(), proposal())
  expect(await notifyNow()).toHaveLength(1)
  kit.pass(QUIET_SECONDS * 1_000 + 1)
  expect(await notifyNow()).toMatchObject([{}, { title: '2 high-risk proposals to review' }])
})

it('asks once, however many workers look', async () => {
  await kit.past(proposal(), proposal())
  const asked = await Promise.all([look(), look(), look()])
  expect(asked.filter((count) => count === 1)).toHaveLength(1)
  expect(await kit.messages()).toHaveLength(1)
})

it('drops what was decided meanwhile, and counts what was not', async () => {
  await kit.past(proposal(), proposal())
  await look()
  await kit.past(sql`UPDATE proposal SET status = 'REJECTED' WHERE summary = ${`Summary ${made}`}`)
  while ((await kit.deliver()) > 0);
  expect(texts()).toMatchObject([{ title: '1 high-risk proposal to review', body: `Summary ${made - 1}` }])
  kit.pass(QUIET_SECONDS * 1_000 + 1)
  await kit.past(proposal())
  await look()
  await kit.past(sql`UPDATE proposal SET snoozed_until = expires_at - interval '1 hour'`)
  while ((await kit.deliver()) > 0);
  expect(texts()).toHaveLength(1)
  expect((await kit.messages()).map(({ status }) => status)).toEqual(['delivered', 'dropped'])
})

it('says nothing of what waited before the first device, or that nobody chose', async () => {
  await kit.past(proposal(), sql`UPDATE proposal SET created_at = created_at - interval '1 hour'`)
  const choices = { digest: true, digest_at: 480, time_zone: 'UTC' }
  expect(await notifyNow()).toEqual([])
  await saveChoices({ db: kit.web }, { ...choices, topics: ['question'] }, owner)
  await kit.past(proposal())
  expect(await notifyNow()).toEqual([])
})

it('notifies of what expires, what was asked and what failed, each for whom it is', async () => {
  const operator = await kit.account()
  const theirs = await kit.device(operator, { language: 'uk' })
  const job = await addJob(kit.web, { agent: await addAgent(kit.worker, 'scout') })
  await kit.past(
    proposal(2, 5),
    sql`INSERT INTO run (run_id, agent_slug, requested_by) VALUES ('run_1', 'scout', 'owner')`,
    sql`INSERT INTO run_question (question_id, status, run_id, agent_slug, call_index, text, expires_at)
      VALUES (${randomUUID()}, 'open', 'run_1', 'scout', 1, 'A secret of the notes?', clock_timestamp() + interval '1 day')`,
    sql`UPDATE job SET status = 'DEAD', failure_kind = 'exhausted', error = '{"code":"NLM_UNAVAILABLE","phase":"NOTEBOOKLM_CALL"}', finished_at = clock_timestamp()`,
  )
  await look()
  while ((await kit.deliver()) > 0);
  const read = kit.service.got.map(({ body }) => {
    try {
      return device.read(body)
    } catch {
      return theirs.read(body)
    }
  })
  expect(read.map(({ title, url }) => [title, url]).toSorted()).toEqual([
    ['1 failure needs you', `/jobs/${job}`],
    ['1 proposal expires within 24 hours', expect.stringMatching(/^\/proposals\//)],
    ['1 question from an agent', '/runs/run_1'],
    ['1 збій потребує вашої уваги', `/jobs/${job}`],
  ])
  expect(JSON.stringify(read)).not.toContain('secret')
})

it('forgets what ended long ago, and no notice of what still waits', async () => {
  await kit.past(proposal(), proposal())
  await notifyNow()
  kit.pass(QUIET_SECONDS * 1_000 + 1)
  await kit.past(proposal())
  await look()
  const left = async () => {
    const { rows } = await kit.worker.query<{ notices: number; messages: number }>(
      sql`SELECT (SELECT count(*)::int FROM push_notice) AS notices, (SELECT count(*)::int FROM push_message) AS messages`,
    )
    return rows[0]
  }
  expect(await left()).toEqual({ notices: 3, messages: 2 })
  expect(await forgetPushes({ db: kit.worker })).toBe(0)
  const old = sql`clock_timestamp() - make_interval(days => ${PUSH_KEPT_DAYS}, mins => 1)`
  await kit.past(
    sql`UPDATE push_notice SET noticed_at = ${old}`,
    sql`UPDATE push_message SET created_at = ${old}, ended_at = CASE WHEN ended_at IS NULL THEN NULL ELSE ${old} END`,
    sql`UPDATE proposal SET status = 'REJECTED' WHERE summary = ${`Summary ${made - 2}`}`,
  )
  await expect(kit.worker.query(sql`DELETE FROM push_message WHERE status = 'pending'`)).rejects.toThrow()
  expect(await forgetPushes({ db: kit.worker })).toBe(2)
  expect(await forgetPushes({ db: kit.worker })).toBe(0)
  expect(await left()).toEqual({ notices: 2, messages: 1 })
  kit.pass(QUIET_SECONDS * 1_000 + 1)
  expect(await look()).toBe(0)
})

const at = (time: string) => new Date(`2030-03-02T${time}:00Z`)
const digests = async () =>
  (await kit.worker.query(sql`SELECT account_id, day::text AS day, total FROM needs_digest ORDER BY day`))
    .rows
const ownDigest = () => currentDigest(kit.web, owner.accountId)
const withDigest = (digest = true) =>
  saveChoices({ db: kit.web }, { digest, digest_at: 480, time_zone: 'UTC', topics: ['digest'] }, owner)

it('makes one digest a day, and one message, however many workers look and start anew', async () => {
  await withDigest()
  await kit.past(proposal(2), proposal(2, 5), proposal(2, 6))
  expect(await giveDigests({ db: kit.worker }, at('07:59'))).toBe(0)
  const given = await Promise.all([1, 2, 3].map(() => giveDigests({ db: kit.worker }, at('08:00'))))
  expect(given.reduce((sum, one) => sum + one, 0)).toBe(1)
  expect(await giveDigests({ db: kit.worker }, at('23:59'))).toBe(0)
  expect(await digests()).toContainEqual({ account_id: 'owner', day: '2030-03-02', total: 3 })
  expect(await ownDigest()).toMatchObject({
    day: '2030-03-02',
    counts: { expiring: 2, proposals: 3, failed: 0 },
  })
  const messages = await kit.messages()
  expect(messages).toMatchObject([{ topic: 'digest', status: 'pending' }])
  kit.pass(at('08:01').getTime() - Date.now())
  while ((await kit.deliver()) > 0);
  expect(texts()).toMatchObject([{ title: '3 items need you', body: '2 expire today', url: '/inbox' }])
  kit.pass(Date.now() - at('08:01').getTime())
  expect(await giveDigests({ db: kit.worker }, new Date('2030-03-03T08:00:00Z'))).toBe(1)
})

it('leaves when it is read, for its reader alone', async () => {
  await withDigest()
  await kit.past(proposal(2))
  await giveDigests({ db: kit.worker }, at('08:00'))
  const day = '2030-03-02'
  expect((await readDigest({ db: kit.web }, { day }, await kit.account())).ok).toBe(false)
  expect((await readDigest({ db: kit.web }, { day }, owner)).ok).toBe(true)
  expect(await ownDigest()).toBeNull()
  kit.pass(at('08:01').getTime() - Date.now())
  while ((await kit.deliver()) > 0);
  expect(texts()).toEqual([])
  kit.pass(Date.now() - at('08:01').getTime())
})

it('makes none of nothing, nor of what comes later that day, and shows none that is not wanted', async () => {
  await withDigest()
  expect(await giveDigests({ db: kit.worker }, at('08:00'))).toBe(0)
  await kit.past(proposal(2))
  expect(await giveDigests({ db: kit.worker }, at('09:00'))).toBe(0)
  expect(await ownDigest()).toBeNull()
  await withDigest(false)
  expect(await giveDigests({ db: kit.worker }, new Date('2030-03-03T08:00:00Z'))).toBe(1)
  expect(await ownDigest()).toBeNull()
})
