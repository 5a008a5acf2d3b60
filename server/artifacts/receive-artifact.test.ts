import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ArtifactSubmission } from '#contracts/artifact.contract.ts'
import { NLM_BACKEND } from '#domain/authority/caller.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { readyContexts } from '#server/jobs/backend-call.ts'
import type { LeasedJob } from '#server/jobs/job-row.ts'
import { reapLeases } from '#server/jobs/leases.ts'
import { cancelJob } from '#server/jobs/operate-job.ts'
import { releaseJobs } from '#server/jobs/retry.ts'
import {
  ADDRESSES,
  addJob,
  endBackoff,
  eventsOf,
  expireLeases,
  hold,
  jobLine,
  OPERATOR,
  openRoom,
  type Room,
  submissionFor,
} from '#server/jobs/testing/queue-room.ts'
import { issueWriteToken, TOKEN_SECONDS } from '#server/jobs/write-token.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { getVerified, type ObjectStore, StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'
import { makeGarden, PERSON } from '#server/proposals/testing/garden-kit.ts'
import { getArtifact } from './get-artifact.query.ts'
import { groundSubmission } from './ground-submission.ts'
import { receiveArtifact } from './receive-artifact.ts'

const KEY = 'k'.repeat(43)
let room: Room
let store: ObjectStore
let folder: string
let ground: string
let garden: GitRepository
beforeAll(async () => {
  room = await openRoom()
  ground = await makeGarden()
  garden = await openGitRepository(path.join(ground, 'garden.git'))
  folder = await mkdtemp(path.join(tmpdir(), 'artifacts-'))
  store = await openDirectoryStore(folder)
})
afterAll(async () => {
  await room?.close()
  await rm(folder, { recursive: true, force: true })
  await rm(ground, { recursive: true, force: true })
})

/** A job at NOTEBOOKLM_CALL with a genuine token. */
async function called(existing?: string): Promise<{ job: LeasedJob; token: string }> {
  const id = existing ?? (await addJob(room.db))
  const job = await hold(room, id)
  const { token, hash } = await issueWriteToken(KEY, job, job.claimed_at)
  await readyContexts(room.db, [
    { job_id: id, fence: job.fence, context_key: 'k', context_sha256: 's', write_token_hash: hash },
  ])
  return { job, token }
}

const parts = (over: Partial<ObjectStore> = {}) => ({
  ...room.web,
  store: {
    ...store,
    create: store.create.bind(store),
    get: store.get.bind(store),
    ...over,
  } as ObjectStore,
  garden,
  env: { ...ADDRESSES, BLOOM_JOB_TOKEN_KEY: KEY },
})
const send = (token: string, submission: ArtifactSubmission, over?: Partial<ObjectStore>) =>
  receiveArtifact(parts(over), { token, submission, caller: NLM_BACKEND })
const artifactsOf = async (id: string) =>
  (await room.db.query(sql`SELECT * FROM artifact WHERE job_id = ${id}`)).rows

describe('handing in an artifact', () => {
  it('stores the object, then commits row, event and COMPLETE together', async () => {
    const { job, token } = await called()
    const sent = await send(token, submissionFor(job.job_id))
    expect(sent).toMatchObject({ ok: true, value: { created: true, artifact_id: job.reserved_artifact_id } })
    expect(await jobLine(room.db, job.job_id)).toMatchObject({
      status: 'COMPLETE',
      artifact_id: job.reserved_artifact_id,
      lease_holder: null,
    })
    expect((await eventsOf(room.db, job.job_id)).map((e) => e.transition).slice(-2)).toEqual([
      'nlm_answered',
      'commit',
    ])
    const { rows } = await room.db.query(
      sql`SELECT refs FROM event WHERE name = 'artifact.created' AND resource_id = ${job.reserved_artifact_id}`,
    )
    expect(rows).toEqual([{ refs: expect.objectContaining({ job_id: job.job_id, agent: job.agent_slug }) }])
    const { rows: stored } = await room.db.query<{ object_key: string; content_sha256: string }>(
      sql`SELECT object_key, content_sha256 FROM artifact WHERE job_id = ${job.job_id}`,
    )
    for (const { object_key, content_sha256 } of stored)
      expect(await getVerified(parts().store, object_key, content_sha256)).not.toBeNull()
    expect(stored).toHaveLength(1)
  })

  it('answers a repeat with the existing one, and keeps it against other content', async () => {
    const { job, token } = await called()
    await send(token, submissionFor(job.job_id))
    const [before] = await artifactsOf(job.job_id)
    const again = await send(token, submissionFor(job.job_id))
    const other = await send(token, submissionFor(job.job_id, 'Something else.'))
    for (const sent of [again, other]) expect(sent).toMatchObject({ ok: true, value: { created: false } })
    expect(await artifactsOf(job.job_id)).toEqual([before])
    const { rows } = await room.db.query(
      sql`SELECT outcome FROM event WHERE name = 'artifact.conflict' AND resource_id = ${job.reserved_artifact_id}`,
    )
    expect(rows).toEqual([{ outcome: 'refused' }])
  })

  it('has one effect for twenty copies at once', async () => {
    const { job, token } = await called()
    const sent = await Promise.all(Array.from({ length: 20 }, () => send(token, submissionFor(job.job_id))))
    expect(sent.every((s) => s.ok)).toBe(true)
    expect(sent.filter((s) => s.ok && s.value.created)).toHaveLength(1)
    expect((await eventsOf(room.db, job.job_id)).filter((e) => e.transition === 'commit')).toHaveLength(1)
  })

  it('refuses a forged, foreign or expired token with 403 and no trace', async () => {
    const { job, token } = await called()
    const { job: other } = await called()
    const past = new Date(job.claimed_at.getTime() - (TOKEN_SECONDS + 1) * 1000)
    const tokens = [
      '',
      'x.y',
      `${token}x`,
      token.replace(/.$/, (c) => (c === 'A' ? 'B' : 'A')),
      (await issueWriteToken('o'.repeat(43), job, job.claimed_at)).token,
      (await issueWriteToken(KEY, other, job.claimed_at)).token,
      (await issueWriteToken(KEY, job, past)).token,
      (await issueWriteToken(KEY, job, job.claimed_at)).token,
    ]
    for (const bad of tokens) {
      expect(await send(bad, submissionFor(job.job_id))).toMatchObject({
        ok: false,
        refusal: { code: 'FORBIDDEN' },
      })
    }
    expect((await jobLine(room.db, job.job_id)).status).toBe('NOTEBOOKLM_CALL')
    expect(await artifactsOf(job.job_id)).toEqual([])
  })

  it('tells the bearer of an expired or forged token nothing of an artifact that is there', async () => {
    const { job, token } = await called()
    await send(token, submissionFor(job.job_id))
    const past = new Date(job.claimed_at.getTime() - (TOKEN_SECONDS + 1) * 1000)
    const [late, forged] = [
      await issueWriteToken(KEY, job, past),
      await issueWriteToken('o'.repeat(43), job, job.claimed_at),
    ]
    for (const bad of [late, forged]) {
      expect(await send(bad.token, submissionFor(job.job_id))).toMatchObject({
        refusal: { code: 'FORBIDDEN' },
      })
    }
  })

  it('takes no artifact of one job under the good token of another', async () => {
    const [one, other] = [await called(), await called()]
    expect(await send(other.token, submissionFor(one.job.job_id))).toMatchObject({
      refusal: { code: 'FORBIDDEN' },
    })
    expect((await jobLine(room.db, other.job.job_id)).status).toBe('NOTEBOOKLM_CALL')
  })

  it('refuses the token of an earlier try with 409, recorded, and takes the present one', async () => {
    const first = await called()
    const id = first.job.job_id
    await expireLeases(room.db, [id])
    await reapLeases(room)
    await endBackoff(room.db, id)
    await releaseJobs(room.db)
    const second = await called(id)
    expect(await send(first.token, submissionFor(id))).toMatchObject({
      ok: false,
      refusal: { code: 'FENCE_STALE' },
    })
    expect((await eventsOf(room.db, id)).at(-1)).toMatchObject({
      name: 'job.write.refused',
      outcome: 'refused',
      details: { fence: first.job.fence, current_fence: second.job.fence },
    })
    expect(await send(second.token, submissionFor(id))).toMatchObject({ ok: true, value: { created: true } })
  })

  it('refuses an artifact for a job that was cancelled meanwhile', async () => {
    const { job, token } = await called()
    await cancelJob(room, { job_id: job.job_id, reason: 'not needed' }, OPERATOR)
    expect(await send(token, submissionFor(job.job_id))).toMatchObject({
      ok: false,
      refusal: { code: 'FENCE_STALE' },
    })
    expect(await artifactsOf(job.job_id)).toEqual([])
  })

  it.each([
    ['another type', { type: 'BRIEF' as const }],
    ['content that does not fit', { content: { title: 'x' } }],
    ['an unknown field of the content', { content: { ...submissionFor('x').content, more: 1 } }],
    ['a section that names what is not cited', { sources: [] }],
    ['a NUL', { tags: ['a\0'] }],
  ])('refuses %s with 422 and leaves the job as it is', async (_what, over) => {
    const { job, token } = await called()
    const sent = await send(token, { ...submissionFor(job.job_id), ...over } as ArtifactSubmission)
    expect(sent).toMatchObject({ ok: false, refusal: { code: 'VALIDATION_FAILED' } })
    expect((await jobLine(room.db, job.job_id)).status).toBe('NOTEBOOKLM_CALL')
  })

  it.each([
    ['does not answer', { create: () => Promise.reject(new StorageUnavailable('down')) }],
    ['takes the object and does not have it', { get: async () => null }],
    [
      'has other bytes than it took',
      { get: async (key: string) => ({ key, etag: 'e', bytes: new Uint8Array([1]) }) },
    ],
  ])('backs off by J11 when the store %s', async (_what, over) => {
    const { job, token } = await called()
    const sent = await send(token, submissionFor(job.job_id, 'Not stored.'), over as Partial<ObjectStore>)
    expect(sent).toMatchObject({ ok: false, refusal: { code: 'STORAGE_UNAVAILABLE' } })
    expect(await jobLine(room.db, job.job_id)).toMatchObject({
      status: 'RETRY_BACKOFF',
      error: { code: 'STORAGE_ERROR', phase: 'ARTIFACT_WRITE' },
    })
    expect(await artifactsOf(job.job_id)).toEqual([])
  })
})

describe('the grounding of what is handed in', () => {
  const REF = 'Beds/North.md'
  const QUOTE = 'Leeks and garlic.'
  type Cited = Partial<ArtifactSubmission['sources'][number]>

  /** A brief of these sentences with one citation, whatever it says of its own grounding. */
  const brief = async (jobId: string, text: string, cited: Cited = {}): Promise<ArtifactSubmission> => {
    const source = {
      ref: REF,
      lines: { from: 3, to: 3 },
      excerpt: QUOTE,
      revision: await garden.head(),
      ...cited,
    }
    const content = {
      ...submissionFor(jobId, text).content,
      sections: [{ heading: 'One', body: text, sources: [source.ref] }],
    }
    return { ...submissionFor(jobId), content, sources: [source] }
  }
  const groundingOf = async (text: string, cited?: Cited) => {
    const { job, token } = await called()
    const sent = await send(token, await brief(job.job_id, text, cited))
    expect(sent).toMatchObject({ ok: true, value: { created: true } })
    const [row] = await artifactsOf(job.job_id)
    const stored = await store.get(String(row?.object_key))
    expect(JSON.parse(new TextDecoder().decode(stored?.bytes)).grounding).toEqual(row?.grounding)
    return row?.grounding
  }

  it('is ungrounded for invented quotes, whatever the submission says', async () => {
    const invented = 'Leeks were banned in 1987.'
    expect(await groundingOf(invented, { excerpt: invented })).toEqual({
      status: 'ungrounded',
      claims: 2,
      grounded_claims: 0,
    })
  })

  it('is counted anew: all, or some of it', async () => {
    expect(await groundingOf(QUOTE)).toEqual({ status: 'grounded', claims: 2, grounded_claims: 2 })
    expect(await groundingOf(`${QUOTE} They sing at night.`)).toEqual({
      status: 'partial',
      claims: 4,
      grounded_claims: 2,
    })
    expect(await groundingOf('Leeks  and\ngarlic.', { excerpt: 'Leeks and  garlic.' })).toMatchObject({
      status: 'grounded',
    })
  })

  it('stands beside each sentence of the document, and a reader gets the sentences with it', async () => {
    const { job, token } = await called()
    const submission = await brief(job.job_id, `${QUOTE} They sing at night.`)
    const forged = { ...submission, marks: { summary: [], sections: [], conclusions: [] } }
    expect(await send(token, forged)).toMatchObject({ ok: true })
    const [row] = await artifactsOf(job.job_id)
    const stored = await store.get(String(row?.object_key))
    expect(JSON.parse(new TextDecoder().decode(stored?.bytes)).marks).toEqual({
      summary: [[0], []],
      sections: [[[0], []]],
      conclusions: [],
    })
    const reader = { ...parts(), garden }
    const read = await getArtifact(reader, job.reserved_artifact_id, OPERATOR)
    const both = [
      { text: QUOTE, sources: [0] },
      { text: 'They sing at night.', sources: [] },
    ]
    expect(read).toMatchObject({ value: { sentences: { summary: both, sections: [both], conclusions: [] } } })
  })

  const dangling = async () => {
    const changes = [{ path: 'Beds/Lost.md', content: '# Lost\n\nLeeks and garlic.\n' }]
    const by = { message: 'Lost', author: PERSON, committer: PERSON }
    return garden.commit({ parent: await garden.head(), changes, ...by })
  }
  it.each<[string, () => Promise<Cited>]>([
    ['other lines', async () => ({ lines: { from: 1, to: 1 } })],
    ['another note', async () => ({ ref: 'Beds/South.md' })],
    ['no note', async () => ({ ref: 'Beds/None.md' })],
    ['no path of a garden', async () => ({ ref: '../../etc/passwd' })],
    ['no revision', async () => ({ revision: 'r1' })],
    ['a commit that is not on the branch', async () => ({ ref: 'Beds/Lost.md', revision: await dangling() })],
  ])('does not take a citation of %s', async (_, cited) => {
    expect(await groundingOf(QUOTE, await cited())).toMatchObject({
      status: 'ungrounded',
      grounded_claims: 0,
    })
  })

  it('waits for a garden that does not answer, and the token stays good', async () => {
    const { job, token } = await called()
    const submission = await brief(job.job_id, QUOTE)
    const down = {
      ...parts(),
      garden: {
        isOnBranch: async () => {
          throw new StorageUnavailable('down')
        },
      } as never,
    }
    await expect(receiveArtifact(down, { token, submission, caller: NLM_BACKEND })).rejects.toBeInstanceOf(
      StorageUnavailable,
    )
    expect((await jobLine(room.db, job.job_id)).status).toBe('NOTEBOOKLM_CALL')
    expect(await send(token, submission)).toMatchObject({ ok: true, value: { created: true } })
  })

  it('knows the texts that the job brought, and counts the words of a brief', async () => {
    const payload = { query: 'What?', sources: [{ ref: 'given', text: 'It rained. Twice.' }] }
    const source = {
      ref: 'given',
      lines: { from: 1, to: 1 },
      excerpt: 'It rained.',
      revision: sha256Hex('It rained. Twice.'),
    }
    const content = {
      title: 'T',
      body: 'It rained. Cabbages — голова й листя — flew.',
      entity_map: {},
      word_count: 9_000,
    }
    const grounded = await groundSubmission(
      { garden },
      { payload },
      {
        ...submissionFor('x'),
        type: 'BRIEF',
        content,
        sources: [source],
      },
    )
    expect(grounded.grounding).toEqual({ status: 'partial', claims: 2, grounded_claims: 1 })
    expect(grounded.content).toEqual({ ...content, word_count: 7 })
  })
})

describe('an artifact that is there', () => {
  it('can be changed or removed by nobody', async () => {
    const { job, token } = await called()
    await send(token, submissionFor(job.job_id))
    const id = job.reserved_artifact_id
    await onLedger(room.ownerUrl, async (owner) => {
      const changed = owner.query(sql`UPDATE artifact SET title = 'x' WHERE artifact_id = ${id}`)
      await expect(changed).rejects.toThrow('append-only')
      const removed = owner.query(sql`DELETE FROM artifact WHERE artifact_id = ${id}`)
      await expect(removed).rejects.toThrow('append-only')
    })
  })

  it('and COMPLETE exist together or not at all, whoever writes', async () => {
    const { job } = await called()
    const alone =
      room.db.query(sql`INSERT INTO artifact (artifact_id, job_id, agent_slug, type, title, object_key, content_sha256, bytes)
      VALUES (${job.reserved_artifact_id}, ${job.job_id}, 'a', 'RESEARCH_BRIEF', 't', 'k', 's', 1)`)
    await expect(alone).rejects.toMatchObject({ code: '23514' })
    const empty = room.database.transaction(async (tx) => {
      await tx.query(sql`UPDATE job SET status = 'ARTIFACT_WRITE' WHERE job_id = ${job.job_id}`)
      await tx.query(
        sql`UPDATE job SET status = 'COMPLETE', artifact_id = reserved_artifact_id WHERE job_id = ${job.job_id}`,
      )
    })
    await expect(empty).rejects.toMatchObject({ code: '23514' })
  })

  it('is never served when its bytes have changed, and that is recorded', async () => {
    const { job, token } = await called()
    await send(token, submissionFor(job.job_id, 'To be spoilt.'))
    const reader = { ...parts(), garden: { head: async () => '0'.repeat(40), list: async () => [] } as never }
    const read = () => getArtifact(reader, job.reserved_artifact_id, OPERATOR)
    const good = await read()
    expect(good).toMatchObject({ ok: true, value: { finalized: true, content: { title: 'An answer' } } })
    if (good.ok) await writeFile(path.join(folder, good.value.object_key), 'spoilt')
    expect(await read()).toMatchObject({ ok: false, refusal: { code: 'ARTIFACT_CORRUPT' } })
    const { rows } = await room.db.query(
      sql`SELECT outcome FROM event WHERE name = 'artifact.read_failed' AND resource_id = ${job.reserved_artifact_id}`,
    )
    expect(rows).toEqual([{ outcome: 'error' }])
  })
})
