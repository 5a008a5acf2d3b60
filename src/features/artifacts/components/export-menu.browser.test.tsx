/** The export of an artifact: a file for what is answered, and a message for what is refused. */
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { ExportMenu } from './export-menu.tsx'

const t = textsOf('artifacts')
const errors = textsOf('errors')
const ID = 'art-1'
/** What reads a file of the page itself, whatever stands in for the server. */
const browserFetch = window.fetch.bind(window)
const envelope = (code: string) => ({ error: { code, message: code }, correlation_id: 'c-1' })

afterEach(() => vi.restoreAllMocks())

/** Exports as Markdown in front of a server with this answer; `saved` are the files that the browser downloads, by name. */
async function exportAs(answer: () => Response) {
  const screen = await renderInConsole(<ExportMenu id={ID} />)
  const console_ = window.fetch
  const requested: string[] = []
  window.fetch = async (input, init) => {
    const { pathname, search } = new URL(new Request(input, init).url)
    if (!pathname.endsWith('/export')) return console_(input, init)
    requested.push(pathname + search)
    return answer()
  }
  onTestFinished(() => {
    window.fetch = console_
  })
  const saved: [string, Promise<string>][] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push([this.download, browserFetch(this.href).then((file) => file.text())])
  })
  await screen.getByRole('button', { name: t('export') }).click()
  await screen.getByRole('menuitem', { name: t('exportMarkdown') }).click()
  return { ...screen, saved, requested }
}

it.each([
  [`attachment; filename="art-1.md"; filename*=UTF-8''%D0%A1%D0%B0%D0%B4%27s.md`, "Сад's.md"],
  ['attachment; filename="Beds; north.md"', 'Beds; north.md'],
] as const)('saves the answer of one request under its name: %s', async (disposition, name) => {
  const headers = { 'content-disposition': disposition }
  const { saved, requested, ...screen } = await exportAs(() => new Response('# Title', { headers }))
  await expect.poll(() => saved).toHaveLength(1)
  const [file] = saved
  expect([file?.[0], await file?.[1]]).toEqual([name, '# Title'])
  expect(requested).toEqual([`/api/v1/artifacts/${ID}/export?format=md&lang=en`])
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
