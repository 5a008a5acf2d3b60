import { expect, it, onTestFinished, vi } from 'vitest'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { ExportList } from './export-list.tsx'

const t = textsOf('ui')
const FILTER = { status: ['FAILED', 'DEAD'], q: 'a&b', archived: true, limit: 50, agent: undefined }

async function open() {
  const screen = await renderInConsole(<ExportList list="jobs" filter={FILTER} />)
  const console_ = window.fetch
  const requested: string[] = []
  window.fetch = async (input, init) => {
    const { pathname, search } = new URL(new Request(input, init).url)
    if (!pathname.endsWith('/export')) return console_(input, init)
    requested.push(pathname + search)
    return new Response('a,b\n', { headers: { 'content-disposition': 'attachment; filename="jobs.csv"' } })
  }
  onTestFinished(() => {
    window.fetch = console_
  })
  const saved: string[] = []
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push(this.download)
  })
  onTestFinished(() => click.mockRestore())
  return { ...screen, requested, saved }
}

it('saves the filter on screen in the chosen format', async () => {
  const screen = await open()
  await screen.getByRole('button', { name: t('exportList') }).click()
  await expectAccessible()
  await screen.getByRole('menuitem', { name: t('exportAs.csv') }).click()
  await expect.poll(() => screen.saved).toEqual(['jobs.csv'])
  expect(screen.requested).toEqual([
    '/api/v1/jobs/export?status=FAILED&status=DEAD&q=a%26b&archived=true&format=csv',
  ])
})

it('is refused at once without a network', async () => {
  const screen = await open()
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  onTestFinished(() => online.mockRestore())
  window.dispatchEvent(new Event('offline'))
  await screen.getByRole('button', { name: t('exportList') }).click()
  const item = screen.getByRole('menuitem', { name: t('exportAs.jsonl') })
  await expect.element(item).toHaveAccessibleDescription(t('offline'))
  await item.click({ force: true })
  expect(screen.requested).toEqual([])
  window.dispatchEvent(new Event('online'))
})
