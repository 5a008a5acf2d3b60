import { expect, it } from 'vitest'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { LlmResultView } from './llm-result-view.tsx'

const t = textsOf('artifacts')
const NO_METRICS = { duration_ms: null, tokens_used: null, model: null, provider: null }

const open = (format: 'text' | 'json' | 'markdown', output: string, metrics = {}, tree?: unknown) =>
  renderInConsole(
    <LlmResultView
      tree={tree}
      content={{ format, output, metrics: { ...NO_METRICS, ...metrics }, worker_id: 'orange' }}
    />,
    { at: '/artifacts/an-answer' },
  )

it('shows a text as it was written, with what it took', async () => {
  const screen = await open('text', 'Three bees.', {
    duration_ms: 12_300,
    tokens_used: 1_234,
    model: 'haiku',
  })
  await expect.element(screen.getByText('Three bees.')).toBeVisible()
  for (const text of ['12 s', t('tokens', { count: 1_234 }), 'haiku'])
    await expect.element(screen.getByText(text)).toBeVisible()
  await expectAccessible()
})

it('shows Markdown as it reads', async () => {
  const heading = { type: 'element', tagName: 'h2', properties: {} }
  const tree = {
    type: 'root',
    children: [{ ...heading, children: [{ type: 'text', value: 'Wild bees' }] }],
  }
  const screen = await open('markdown', '## Wild bees', {}, tree)
  await expect.element(screen.getByRole('heading', { name: 'Wild bees' })).toBeVisible()
  expect(screen.getByText('## Wild bees').query()).toBeNull()
  await expectAccessible()
})

it('shows JSON as a tree, and as it was written where it is none', async () => {
  const tree = await open('json', '{"bees":["red mason"]}')
  await expect.element(tree.getByText('"red mason"')).toBeVisible()
  expect(tree.container.querySelector('[data-json]')).not.toBeNull()
  await tree.unmount()
  const text = await open('json', 'not JSON')
  await expect.element(text.getByText('not JSON')).toBeVisible()
})
