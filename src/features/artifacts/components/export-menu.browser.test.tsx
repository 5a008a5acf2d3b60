/** The export of an artifact: a file for what is answered, and a message for what is refused. */
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { ExportMenu } from './export-menu.tsx'

const t = textsOf('artifacts')
const errors = textsOf('errors')
const ID = 'art-1'
const envelope = (code: string) => ({ error: { code, message: code }, correlation_id: 'c-1' })

afterEach(() => vi.restoreAllMocks())

/** Exports as Markdown in front of a server with this answer; `saved` are the addresses that the browser downloads. */
async function exportAs(answer: () => Response) {
  const screen = await renderInConsole(<ExportMenu id={ID} />)
  const console_ = window.fetch
  window.fetch = async (input, init) =>
    new URL(new Request(input, init).url).pathname.endsWith('/export') ? answer() : console_(input, init)
  onTestFinished(() => {
    window.fetch = console_
  })
  const saved: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.getAttribute('href') ?? '')
  })
  await screen.getByRole('button', { name: t('export') }).click()
  await screen.getByRole('menuitem', { name: t('exportMarkdown') }).click()
  return { ...screen, saved }
}

it('is the browser’s own download', async () => {
  const { saved, ...screen } = await exportAs(() => new Response('# Title'))
  await expect.poll(() => saved).toEqual([`/api/v1/artifacts/${ID}/export?format=md&lang=en`])
  expect(screen.getByRole('alert').elements()).toHaveLength(0)
})

it.each([
  [404, 'NOT_FOUND'],
  [410, 'ARTIFACT_REMOVED'],
  [502, 'UPSTREAM_UNAVAILABLE'],
] as const)('says why a refused one (%i) saves nothing', async (status, code) => {
  const { saved, ...screen } = await exportAs(() => Response.json(envelope(code), { status }))
  await expect.element(screen.getByRole('alert').getByText(errors(code))).toBeVisible()
  expect(saved).toEqual([])
})

it('says so as well when what refuses it is no part of the product', async () => {
  const { saved, ...screen } = await exportAs(() => new Response('<h1>Bad gateway</h1>', { status: 502 }))
  await expect.element(screen.getByRole('alert').getByText(errors('UPSTREAM_UNAVAILABLE'))).toBeVisible()
  expect(saved).toEqual([])
})
