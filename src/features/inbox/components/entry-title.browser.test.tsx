import { expect, it } from 'vitest'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { useEntryTitle } from '../use-entry-title.ts'

const t = textsOf('inbox')

type Named = Parameters<ReturnType<typeof useEntryTitle>>[0]

function Title(entry: Named) {
  return <h1>{useEntryTitle()(entry)}</h1>
}

it.each([
  ['its summary or question', 'propose-artifact', 'agents/scout', 'What keeps slugs away?', undefined],
  ['the agent of work without a question', 'propose-artifact', 'agents/orphan-scout', null, 'orphan-scout'],
  ['the target of anything else', 'propose-tag', 'notes/Beds/North bed.md', null, undefined],
])('calls an entry by %s', async (_by, action, target, summary, agent) => {
  const screen = await renderInConsole(<Title summary={summary} intent={{ action, target }} />)
  const expected = summary ?? (agent ? t('workOf', { agent }) : target)
  await expect.element(screen.getByRole('heading', { level: 1, name: expected })).toBeVisible()
})
