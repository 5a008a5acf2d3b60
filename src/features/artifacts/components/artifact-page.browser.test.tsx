import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import {
  type ArtifactType,
  artifactDetail,
  artifactPage,
  artifactSources,
  artifactStats,
} from '#contracts/artifact.contract.ts'
import type { Session } from '#lib/session.tsx'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { media } from '#lib/testing/media.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { ArtifactPage } from './artifact-page.tsx'
import { ArtifactsPage } from './artifacts-page.tsx'
import { CompareArtifact } from './compare-artifact.tsx'
import { CompareArtifactsPage } from './compare-page.tsx'

const t = textsOf('artifacts')
const QUOTE = 'Leeks stand in the north bed.'
const REVISION = 'a'.repeat(40)
const TREE = { type: 'root', children: [{ type: 'text', value: QUOTE }] }
const TIME = '2026-05-04T08:15:00.000Z'
const CONTENT = {
  RESEARCH_BRIEF: {
    title: 'Leeks',
    summary: QUOTE,
    sections: [{ heading: 'Beds', body: QUOTE, sources: ['Beds/North.md'] }],
    conclusions: [],
    open_questions: [],
  },
  BRIEF: { title: 'Leeks', body: 'A text of its own.', entity_map: {}, word_count: 5 },
}

const artifact = (type: ArtifactType & keyof typeof CONTENT) => ({
  artifact_id: 'art-1',
  type,
  title: 'Leeks',
  job_id: null,
  task_id: null,
  run_id: null,
  agent_slug: 'gardener',
  engine: { id: 'extractive', model: null, version: '1' },
  grounding: { status: 'grounded' as const, claims: 1, grounded_claims: 1 },
  tags: [],
  added_tags: [],
  entity_refs: ['leeks'],
  source_paths: ['Beds/North.md'],
  bytes: 900,
  version: 1,
  created_at: TIME,
  finalized: true as const,
  finalized_at: TIME,
  removed_at: null,
  url: 'http://localhost/api/v1/artifacts/art-1',
  object_key: 'k',
  content_sha256: 'c'.repeat(64),
  content: CONTENT[type],
  sources: [{ ref: 'Beds/North.md', lines: { from: 3, to: 3 }, excerpt: QUOTE, revision: REVISION }],
  readable: { summary: TREE, sections: [TREE], conclusions: [] },
  reading: false,
  sentences: null,
  comments: [],
})

const open = (type: keyof typeof CONTENT, role: Session['role'] = 'owner') =>
  renderInConsole(<ArtifactPage id="art-1" />, {
    role,
    procedures: {
      artifacts: router({
        get: query(artifactDetail, () => artifact(type)),
        sources: query(artifactSources, () => ({
          revision: REVISION,
          sources: [{ state: 'changed' as const, lines: null }],
        })),
      }),
    },
  })

it('shows the document of a type without a view of its own as it is stored, and says so', async () => {
  const screen = await open('BRIEF')
  await expect.element(screen.getByText(t('noViewer'))).toBeVisible()
  await expect.element(screen.getByText('"A text of its own."')).toBeVisible()
  await expect.element(screen.getByText(t('sourcesChanged', { n: 1 }))).toBeVisible()
  const entity = screen.getByRole('link', { name: 'leeks', exact: true })
  expect(entity.element().getAttribute('href')).toBe('/artifacts?entity=leeks')
})

it.each([
  ['owner', ['exportMarkdown', 'exportJson', 'print']],
  ['guest', ['exportMarkdown', 'print']],
] as const)('offers the %s the exports that the server gives', async (role, offered) => {
  const screen = await open('RESEARCH_BRIEF', role)
  await screen.getByRole('button', { name: t('export'), exact: true }).click()
  const items = screen.getByRole('menuitem').elements()
  expect(items.map((item) => item.textContent)).toEqual(offered.map((one) => t(one)))
})

it('has no place for an agent in what a guest sees, list or page', async () => {
  const described = { ...artifact('BRIEF'), agent_slug: null }
  const screen = await renderInConsole(
    <>
      <ArtifactsPage />
      <ArtifactPage id="art-1" />
    </>,
    {
      role: 'guest',
      at: '/artifacts?agent=gardener',
      procedures: {
        artifacts: router({
          list: query(artifactPage, () => ({ items: [described], next_cursor: null })),
          stats: query(artifactStats, () => ({ total: 1, by_type: { BRIEF: 1 }, exact: true })),
          get: query(artifactDetail, () => described),
          sources: query(artifactSources, () => ({ revision: REVISION, sources: [] })),
        }),
      },
    },
  )
  await expect.element(screen.getByText(t('noViewer'))).toBeVisible()
  await expect.element(screen.getByRole('row').filter({ hasText: 'Leeks' })).toBeVisible()
  await expect.element(screen.getByText(t('agent'), { exact: true })).not.toBeInTheDocument()
})

it('on paper is the document with its sources, without the frame and what answers to a click', async () => {
  const screen = await open('RESEARCH_BRIEF')
  await expect.element(screen.getByText(t('sourceState.changed')).first()).toBeVisible()
  const folded = document.querySelector('details')
  folded?.removeAttribute('open')
  await media('print')
  try {
    const seen = (one: Element | null | undefined) => one?.checkVisibility({ contentVisibilityAuto: true })
    for (const gone of ['aside', 'nav', 'header button', '[data-chrome]'])
      expect([gone, seen(document.querySelector(gone))]).toEqual([gone, false])
    // What a screen shows short is whole, by its style alone: an id, and the moment of a time.
    const whole = [...document.querySelectorAll<HTMLElement>('main :is([data-paper], time[data-tip])')]
    expect(whole.length).toBeGreaterThan(0)
    for (const one of whole) {
      const said = one.dataset.paper ?? one.dataset.tip
      expect([said, getComputedStyle(one).fontSize]).toEqual([expect.stringMatching(/./), '0px'])
      expect(getComputedStyle(one, '::after').content).toBe(JSON.stringify(said))
    }
    const full = screen.getByText(REVISION, { exact: true })
    expect([seen(full.element()), seen(document.querySelector('details h2'))]).toEqual([true, true])
    expect(getComputedStyle(document.querySelector('main') as Element).overflowY).toBe('visible')
    expect(getComputedStyle(document.documentElement).colorScheme).toBe('light')
  } finally {
    await media('')
  }
})

describe('two artifacts', () => {
  const [LEFT, RIGHT] = [
    'art-11111111-1111-4111-8111-111111111111',
    'art-22222222-2222-4222-8222-222222222222',
  ]
  const answered = (artifact_id: string) => {
    const one = artifact('RESEARCH_BRIEF')
    const summary = artifact_id === LEFT ? QUOTE : 'Leeks stand in the south bed.'
    const created_at = artifact_id === LEFT ? TIME : '2026-05-05T08:15:00.000Z'
    return { ...one, artifact_id, created_at, content: { ...one.content, summary } }
  }
  const procedures = {
    artifacts: router({
      get: query(artifactDetail, ({ artifact_id }: { artifact_id: string }) => answered(artifact_id)),
      list: query(artifactPage, () => ({
        items: [answered(RIGHT), answered(LEFT)],
        next_cursor: null,
      })),
    }),
  }

  it('are compared with the first difference marked, also on a phone, and change sides by a key', async () => {
    await page.viewport(390, 844)
    const at = `/artifacts/compare?a=${LEFT}&b=${RIGHT}`
    const screen = await renderInConsole(<CompareArtifactsPage />, { procedures, at })
    await expect.element(screen.getByText(t('compare.first', { n: 3 }))).toBeVisible()
    await expect.poll(() => document.querySelector('ins')?.textContent).toContain('south')
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
    await page.viewport(1280, 800)
    await expectAccessible()
    await userEvent.keyboard('f')
    expect(document.activeElement?.hasAttribute('data-first-difference')).toBe(true)
    await userEvent.keyboard('s')
    await expect.poll(() => document.querySelector('ins')?.textContent).toContain('north')
  })

  it('are chosen from those of the same agent, the older one left', async () => {
    const screen = await renderInConsole(<CompareArtifact artifact={answered(RIGHT)} />, {
      procedures,
      at: `/artifacts/${RIGHT}`,
    })
    await userEvent.keyboard('d')
    await expect
      .element(screen.getByRole('dialog').getByRole('link', { name: 'Leeks' }))
      .toHaveAttribute('href', `/artifacts/compare?a=${LEFT}&b=${RIGHT}`)
  })
})
