import { expect, it } from 'vitest'
import { agentList } from '#contracts/agent.contract.ts'
import { type ArtifactStats, artifactPage, artifactStats } from '#contracts/artifact.contract.ts'
import type { Session } from '#lib/session.tsx'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { ArtifactsPage } from './artifacts-page.tsx'

const t = textsOf('artifacts')

const NONE = { total: 0, by_type: {}, exact: true }

const open = (role: Session['role'], stats: ArtifactStats = NONE) =>
  renderInConsole(<ArtifactsPage />, {
    role,
    at: '/artifacts',
    procedures: {
      agents: router({ list: query(agentList, () => ({ items: [] })) }),
      artifacts: router({
        list: query(artifactPage, () => ({ items: [], next_cursor: null })),
        stats: query(artifactStats, () => stats),
      }),
    },
  })

it('offers whoever may run an agent to make the first one', async () => {
  const screen = await open('owner')
  await expect.element(screen.getByRole('link', { name: t('run') })).toHaveAttribute('href', '/agents')
})

it.each(['operator', 'guest'] as const)('offers nothing that the %s may not do', async (role) => {
  const screen = await open(role)
  await expect.element(screen.getByText(t('empty'))).toBeVisible()
  await expect.element(screen.getByRole('link', { name: t('run') })).not.toBeInTheDocument()
})

it('says of a count that stopped that there are at least so many', async () => {
  const counted = { total: 10_000, by_type: { RESEARCH_BRIEF: 10_000 } }
  const screen = await open('owner', { ...counted, exact: false })
  await expect.element(screen.getByText(t('sentence', { total: counted.total, atLeast: '≥ ' }))).toBeVisible()
})
