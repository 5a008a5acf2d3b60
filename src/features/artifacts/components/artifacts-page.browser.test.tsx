import { expect, it } from 'vitest'
import { agentList } from '#contracts/agent.contract.ts'
import { artifactPage, artifactStats } from '#contracts/artifact.contract.ts'
import type { Session } from '#lib/session.tsx'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { ArtifactsPage } from './artifacts-page.tsx'

const t = textsOf('artifacts')

const open = (role: Session['role']) =>
  renderInConsole(<ArtifactsPage />, {
    role,
    at: '/artifacts',
    procedures: {
      agents: router({ list: query(agentList, () => ({ items: [] })) }),
      artifacts: router({
        list: query(artifactPage, () => ({ items: [], next_cursor: null })),
        stats: query(artifactStats, () => ({ total: 0, by_type: {} })),
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
