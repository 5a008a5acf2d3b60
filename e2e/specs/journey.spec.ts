/**
 * The journey through the product, in the order in which a person makes it. Each chapter stands by itself: it may be run alone or again.
 */
import { apiOf } from '../fixtures/api.ts'
import {
  faultOf,
  firstWords,
  gardenParts,
  gardenQuestion,
  notesOfGarden,
  noteText,
} from '../fixtures/garden-files.ts'
import { commitsOf, git, hasGit } from '../fixtures/git.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { expect, test } from '../fixtures/test.ts'
import {
  artifact,
  jobIn,
  LONG,
  proposalIn,
  proposalOfAgent,
  proposeNote,
  requestJob,
  runIn,
  statesOf,
} from '../fixtures/work.ts'
import { enterByLink, enterZone } from '../pages/auth.ts'
import { heading, idOf, openPage, press } from '../pages/console.ts'
import { approve, openedSources, openProposal, review, statusOf, undoTray } from '../pages/proposals.ts'
import { askLibrarian, PHASES, phaseRow, runStatus } from '../pages/runs.ts'
import { createZone, revokeZone } from '../pages/zones.ts'

/** What a guest may not do is forbidden, or not there at all. */
const REFUSED = [403, 404]
const QUESTION = gardenQuestion()

test.use({ untouched: true })

test('1 the owner signs in by the one-time link and sees the Inbox and the health', async ({
  visit,
  product,
  session,
  guard,
}) => {
  const page = await visit()
  await page.goto('/inbox')
  await page.waitForURL(/\/sign-in/)
  await guard.check(page)
  await enterByLink(page, product.signInLink, () => guard.check(page))
  session.state = await page.context().storageState()
  await expect(page.getByText('all systems operational')).toBeVisible(LONG)
  await expect(page.locator('[data-health=healthy]')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Needs you' })).toBeVisible()
  await guard.check(page)
  await openPage(page, '/settings', 'Settings')
  for (const component of [
    'Database (PostgreSQL)',
    'Garden repository',
    'Object store',
    'NotebookLM backend',
  ])
    await expect(page.getByRole('row', { name: component })).toContainText('Healthy')
  // What was only starting has not been unavailable.
  await expect(page.getByRole('region', { name: 'Uptime' }).getByText('100%').first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Uptime' }).getByText(/^\d\d?(\.\d+)?%$/)).toHaveCount(0)
  await guard.check(page)

  const thief = await visit()
  await thief.goto(product.signInLink)
  await expect(thief.getByText('This sign-in link was already used or has expired.')).toBeVisible()
})

test('2 an agent is run: seven phases, a job, a brief whose citations are verbatim', async ({
  owner: page,
  api,
  guard,
  product,
}) => {
  product.nlm.pause()
  const runId = await askLibrarian(page, QUESTION)
  await expect(runStatus(page)).toHaveText('Running', LONG)
  await expect(phaseRow(page, 'Notify')).toContainText('Not started')
  await guard.check(page)
  product.nlm.resume()
  await expect(runStatus(page)).toHaveText('Completed', LONG)
  for (const phase of PHASES) await expect(phaseRow(page, phase)).toContainText('Done')
  await guard.check(page)

  const run = await runIn(api, runId, 'completed')
  const [asked] = run.job_list
  const job = await jobIn(api, asked?.job_id ?? '', 'COMPLETE')
  // A machine so slow that the pause above outlasts the call's patience makes one more try: the last one counts.
  expect(statesOf(job)[0]).toBe('PENDING')
  expect(statesOf(job).slice(-5)).toEqual([
    'QUEUED',
    'CONTEXT_ASSEMBLY',
    'NOTEBOOKLM_CALL',
    'ARTIFACT_WRITE',
    'COMPLETE',
  ])
  await openPage(page, `/jobs/${job.job_id}`, QUESTION)
  await guard.check(page)
  await page.getByRole('link', { name: 'Open artifact' }).click()
  await page.waitForURL(/\/artifacts\//)
  await expect(page.getByText('Extracts from sources (no model)')).toBeVisible()
  await guard.check(page)

  const brief = await artifact(api, job.artifact_id ?? '')
  expect(brief.sources.length).toBeGreaterThan(0)
  expect(brief.sources.map((s) => faultOf({ path: s.ref, lines: s.lines, text: s.excerpt }))).toEqual(
    brief.sources.map(() => null),
  )
  const shown = await openedSources(page)
  expect(shown.length).toBeGreaterThan(0)
  for (const { n, path, quote } of shown)
    expect({ path, quote }).toEqual({ path: brief.sources[n - 1]?.ref, quote: brief.sources[n - 1]?.excerpt })
})

test('3 a proposal is reviewed, approved, undone, approved again and becomes one commit', async ({
  owner: page,
  api,
  guard,
  product,
}) => {
  const { proposal_id: id } = await proposalOfAgent(api, QUESTION)
  await openPage(page, '/inbox', 'Inbox')
  await page.locator(`a[href="/proposals/${id}"]`).first().click()
  await expect(statusOf(page)).toHaveText('Pending')
  const proposal = await proposalIn(api, id, 'PENDING')
  const [change] = proposal.changes
  await expect(review(page).locator('[data-diff]')).toContainText(`+${change?.additions}`)
  await expect(review(page)).toContainText('Expires in')
  await expect(review(page)).toContainText(proposal.base_revision.slice(0, 8))
  expect(proposal.citations.map((c) => faultOf({ path: c.source, lines: c.lines, text: c.quote }))).toEqual(
    proposal.citations.map(() => null),
  )
  expect((await openedSources(page)).map((s) => s.quote)).toEqual(proposal.citations.map((c) => c.quote))
  await guard.check(page)

  await approve(page)
  await proposalIn(api, id, 'APPROVED')
  await expect(undoTray(page)).toContainText('1 approval can be undone')
  await press(page, 'u')
  await proposalIn(api, id, 'PENDING')
  expect(commitsOf(product.home, id)).toEqual([])

  await openProposal(page, id)
  await expect(statusOf(page)).toHaveText('Pending')
  await guard.checkStill(page)
  await approve(page)
  await proposalIn(api, id, 'APPROVED')
  await openProposal(page, id)
  // Nobody takes it back this time, so the hold need not be sat out.
  await inLedger(product.home, 'UPDATE proposal SET apply_not_before = now() WHERE proposal_id = $1', [id])
  await expect(statusOf(page)).toHaveText('Applied', LONG)
  await expect(review(page)).toContainText('Approved → Applying')
  await expect(review(page)).toContainText('Applying → Applied')
  const { git_commit: commit } = await proposalIn(api, id, 'APPLIED')
  await expect(review(page).locator('header')).toContainText(`Applied in commit ${commit?.slice(0, 8)}`)
  await guard.check(page)

  test.info().annotations.push({ type: 'git', description: hasGit ? 'read by git itself' : 'no git here' })
  if (!hasGit) return
  expect(commitsOf(product.home, id)).toEqual([commit])
  const message = git(product.home, 'log', '-1', '--format=%B', commit ?? '')
  for (const trailer of [
    `Proposal-Id: ${id}`,
    'Approved-By: owner',
    `Review-Digest: ${proposal.review_digest}`,
  ])
    expect(message).toContain(trailer)
  expect(git(product.home, 'show', `${commit}:${change?.path}`)).toBe(change?.proposed_text)
  expect(git(product.home, 'fsck', '--strict')).toBe('')
})

test('4 rejected with a note, an edit of her own, an expired one proposed again', async ({
  owner: page,
  api,
  guard,
  product,
}) => {
  const name = (what: string) => `journey/${what} ${Date.now()}.md`
  const rejected = await proposeNote(api, name('rejected'), 'A note that nobody wants')
  await openProposal(page, rejected)
  await press(page, 'r')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note').fill('too short')
  await expect(dialog.getByRole('button', { name: 'Reject' })).toBeDisabled()
  const short = await api.post(`/proposals/${rejected}/reject`, { decision_note: 'too short' })
  expect(short.status).toBe(422)
  await dialog.getByLabel('Note').fill('It says nothing that we do not know.')
  await guard.check(page)
  await dialog.getByRole('button', { name: 'Reject' }).click()
  await proposalIn(api, rejected, 'REJECTED')
  await openProposal(page, rejected)
  await expect(statusOf(page)).toHaveText('Rejected')
  await expect(review(page).locator('header')).toContainText('It says nothing that we do not know.')

  const [note = ''] = notesOfGarden()
  await openPage(page, `/notes/${note.split('/').map(encodeURIComponent).join('/')}`)
  await guard.check(page)
  await press(page, 'e')
  await dialog.getByLabel('Text').fill(`${noteText(note)}\nA line of my own.\n`)
  await dialog.getByLabel('Summary').fill('A line of my own')
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await page.waitForURL(/\/proposals\//)
  await expect(statusOf(page)).toHaveText('Pending')
  await expect(review(page).locator(`[data-diff="${note}"]`)).toContainText('A line of my own.')
  const own = await proposalIn(api, idOf(page), 'PENDING')
  expect(own.source.identity).toBe('owner')
  await openPage(page, `/inbox/${own.lineage.inbox_id}`, 'A line of my own')
  await expect(page.locator('header')).toContainText('Processed')
  await guard.check(page)

  const late = await proposeNote(api, name('late'), 'A note that nobody looked at')
  await openProposal(page, late)
  await expect(statusOf(page)).toHaveText('Pending')
  await inLedger(product.home, 'UPDATE proposal SET expires_at = now() WHERE proposal_id = $1', [late])
  await expect(statusOf(page)).toHaveText('Expired', LONG)
  await guard.check(page)
  await press(page, 's')
  await expect(page).not.toHaveURL(new RegExp(late))
  await expect(statusOf(page)).toHaveText('Pending')
  const again = await proposalIn(api, idOf(page), 'PENDING')
  expect(again.lineage.resubmitted_from).toBe(late)
  await expect(review(page)).toContainText('Resubmitted from')
})

test('5 a guest sees the zone and nothing else, changes nothing, and is out when it is revoked', async ({
  owner,
  visit,
  api,
  guard,
  product,
}) => {
  const { folder, inside, outside } = gardenParts()
  const secret = await proposeNote(api, `journey/secret ${Date.now()}.md`, 'Not for guests')
  const shared = await proposeNote(api, `${folder}/For guests ${Date.now()}.md`, 'For guests too')
  const ask = (agent: string, note: string) => requestJob(api, agent, firstWords(note), [note])
  const [seen, unseen] = await Promise.all([
    ask('research-librarian', inside).then((id) => jobIn(api, id, 'COMPLETE')),
    ask('orphan-scout', outside).then((id) => jobIn(api, id, 'COMPLETE')),
  ])
  const zone = `Guests of ${folder}`
  const code = await createZone(owner, zone, folder)
  await guard.check(owner)

  const guest = await visit()
  await enterZone(guest, code, () => guard.check(guest))
  await expect(heading(guest)).toHaveText('Notes')
  await guard.check(guest)
  const rest = apiOf(guest, product.url)
  const notes = (await rest.get<{ items: { path: string }[] }>('/notes?limit=100')).body.items
  expect(notes.length).toBeGreaterThan(0)
  expect(notes.filter((n) => !n.path.startsWith(`${folder}/`))).toEqual([])

  await openPage(guest, '/proposals', 'Proposals')
  await expect(guest.getByRole('heading', { name: 'For guests too' })).toBeVisible()
  await expect(guest.getByRole('heading', { name: 'Not for guests' })).toHaveCount(0)
  await guard.check(guest)
  await guest.goto(`/proposals/${shared}`)
  const named = guest.getByRole('article').filter({ hasText: 'For guests too' })
  await expect(named.locator('details[open]')).toHaveCount(1)
  expect((await guest.request.get(`/proposals/${secret}`)).status()).toBe(404)
  await guard.check(guest)
  await openPage(guest, '/artifacts', 'Artifacts')
  await expect(guest.locator(`[data-row="${seen.artifact_id}"]`)).toBeVisible()
  await expect(guest.locator(`[data-row="${unseen.artifact_id}"]`)).toHaveCount(0)
  await guard.check(guest)
  await guest.goto('/runs')
  await expect(guest.getByText('You don’t have access')).toBeVisible()
  await guard.check(guest)

  for (const path of [
    `/notes/view?path=${encodeURIComponent(outside)}`,
    `/proposals/${secret}`,
    `/artifacts/${unseen.artifact_id}`,
  ])
    expect((await rest.get(path)).status, path).toBe(404)
  for (const path of ['/runs', '/jobs', '/audit', '/zones', '/inbox/entries', '/agents'])
    expect(REFUSED, path).toContain((await rest.get(path)).status)
  const { review_digest } = await proposalIn(api, shared, 'PENDING')
  for (const [path, body] of [
    [`/proposals/${shared}/approve`, { review_digest }],
    [`/proposals/${shared}/reject`, { decision_note: 'Because I am a guest here' }],
    ['/jobs', { job_type: 'RESEARCH', agent_slug: 'orphan-scout', payload: { query: 'May I?' } }],
    ['/agents/run', { slug: 'orphan-scout' }],
    ['/zones', { name: 'Mine', folders: [folder] }],
  ] as const)
    expect(REFUSED, path).toContain((await rest.post(path, body)).status)
  await proposalIn(api, shared, 'PENDING')

  await openPage(guest, '/notes', 'Notes')
  await openPage(owner, '/zones', 'Zones')
  await revokeZone(owner, zone)
  await guard.check(owner)
  await guest.waitForURL(/\/(signed-out|sign-in)/)
  await guard.check(guest)
  expect((await rest.get('/notes')).status).toBeGreaterThanOrEqual(401)
  const late = await visit()
  await late.goto('/zone')
  await late.getByLabel('Zone code').fill(code)
  await late.getByRole('button', { name: 'Continue' }).click()
  await expect(late).toHaveURL(/signed-out/)
})

const PAGES = [
  'inbox',
  'proposals',
  'runs',
  'jobs',
  'artifacts',
  'agents',
  'notes',
  'zones',
  'audit',
  'alerts',
  'settings',
  'api/v1/docs',
]
const DESK = { width: 1280, height: 800 }
/** `zoom`: a window of 1280 pixels at 200 % is laid out in 640. */
const LOOKS = [
  { name: 'light', locale: 'en', theme: 'light', viewport: DESK },
  { name: 'dark', locale: 'uk', theme: 'dark', viewport: DESK },
  { name: 'phone', locale: 'uk', theme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'zoom', locale: 'en', theme: 'dark', viewport: { width: 640, height: 400 } },
] as const

/** In the page: what moves by itself, for a reader who asked that nothing does. */
const moving = (): string[] =>
  document
    .getAnimations()
    .filter((one) => one.playState === 'running' && Number(one.effect?.getComputedTiming().duration) > 0)
    .map((one) => (one as CSSAnimation).animationName ?? (one as CSSTransition).transitionProperty)

/** What the first paint is set in is asked for before the styles are read, so that no page is drawn in another type before. */
const FIRST_TYPE = {
  en: ['inter-latin-wght', 'jetbrains-mono-latin-wght'],
  uk: ['inter-latin-wght', 'inter-cyrillic-wght', 'jetbrains-mono-latin-wght'],
}

test('6 every page in both languages, light, dark, on a phone and at twice the size, without moving', async ({
  owner: page,
  guard,
  product,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const { name, locale, theme, viewport } of LOOKS) {
    await page.context().addCookies([
      { name: 'locale', value: locale, url: product.url },
      { name: 'theme', value: theme, url: product.url },
    ])
    await page.setViewportSize(viewport)
    for (const where of PAGES) {
      const answer = await page.goto(`/${where}`)
      for (const file of FIRST_TYPE[locale]) expect(answer?.headers().link, where).toContain(`/${file}`)
      await expect(heading(page)).toBeVisible()
      await expect(page.locator('html')).toHaveAttribute('lang', locale)
      expect(await page.evaluate(() => document.documentElement.scrollWidth), where).toBeLessThanOrEqual(
        viewport.width,
      )
      expect(await page.evaluate(moving), where).toEqual([])
      if (name !== 'zoom') await guard.check(page)
      await guard.checkStill(page)
      await page.screenshot({ path: test.info().outputPath(`${where.replaceAll('/', '-')}-${name}.png`) })
    }
    if (locale === 'uk') await openPage(page, '/inbox', 'Вхідні')
  }
})
